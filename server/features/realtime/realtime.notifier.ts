/**
 * Makes notifications of changes, in the background. It follows the numbered changes: its position, the notifications
 * and the jobs that push them commit together, and only one process at a time can advance. So each change is
 * processed once, whichever worker dies when.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  assignedNotificationBody,
  autoAssignedNotificationBody,
  fileNotificationBody,
  type NotificationKind,
  type NotificationTopic,
} from '../../../contract/notifications.ts';
import type { Clock } from '../../platform/db/clock.ts';
import type { Db, Tx } from '../../platform/db/db.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import type { Logger } from '../../platform/logger.ts';
import { type Definitions, loadDefinitions, userMaySee } from '../kanbans/kanbans.ts';
import { type StoredMessage, selectMessagesByKeys } from '../messages/messages.ts';
import { selectVersions } from './realtime.load.sql.ts';
import { type LoggedChange, takeUnnotified, tick } from './realtime.log.sql.ts';
import {
  type Colleague,
  findAssigner,
  findWebhookUrl,
  type NewNotification,
  type Recipient,
  selectColleagues,
  selectWaiting,
  upsertNotifications,
} from './realtime.notifications.sql.ts';
import { selectSubscriptionIds } from './realtime.push.sql.ts';
import { pushJobKind } from './realtime.push.ts';
import { waysFor } from './realtime.settings.ts';
import { openBus } from './realtime.wake.ts';
import { wordsIn } from './realtime.words.ts';

export interface NotifierDeps {
  db: Db;
  clock: Clock;
  logger: Logger;
  config: { redisUrl: string };
}

const pollMs = 250;
const batch = 200;
const accountsKept = 1_000;
const excerptLength = 140;
/** Restored or imported data is not news. */
const newsWithinMs = 10 * 60_000;
/** What the API returns; the dashboard and push messages show it in the reader's language. */
const english = wordsIn('en');
const disabledByUser = 'disabled by an administrator';

export interface Notifier {
  /** Tells the processes with connections that something was committed. */
  announce(): void;
  stop(): Promise<void>;
}

export async function startNotifier(deps: NotifierDeps): Promise<Notifier> {
  const stop = new AbortController();
  const bus = await openBus({ ...deps, onWake: () => {}, onSignal: () => {} });
  const boards = createBoards();
  const run = async () => {
    while (!stop.signal.aborted) {
      let count = 0;
      try {
        // Numbers what was committed also while nobody is connected.
        await tick(deps.db, Number.MAX_SAFE_INTEGER, 0);
        count = await deps.db.transaction((tx) => notify(tx, deps.clock.now(), boards));
        if (count > 0) bus.announce();
      } catch (error) {
        deps.logger.warn({ err: error }, 'creating notifications failed; retrying');
      }
      if (count < batch) await sleep(pollMs, undefined, { signal: stop.signal }).catch(() => {});
    }
  };
  const running = run();
  return {
    announce: bus.announce,
    async stop() {
      stop.abort();
      await running;
      await bus.close();
    },
  };
}

async function notify(tx: Tx, now: number, boards: Boards): Promise<number> {
  const changes = await takeUnnotified(tx, batch);
  const about = changes.filter(({ type }) => type === 'message.created' || type === 'note.mentioned');
  const keys = about.map(({ accountId, itemId }) => ({ accountId, id: itemId! }));
  const messages = new Map(
    keys.length === 0 ? [] : (await selectMessagesByKeys(tx, keys)).map((message) => [message.id, message]),
  );
  for (const change of changes) {
    const news = await newsOf(tx, boards, change, messages.get(change.itemId ?? ''), now);
    if (news && news.to.length > 0) await insertNews(tx, change.accountId, news, now);
  }
  return changes.length;
}

async function newsOf(
  tx: Tx,
  boards: Boards,
  change: LoggedChange,
  message: StoredMessage | undefined,
  now: number,
): Promise<NewNotification | null> {
  const { accountId, subjectId } = change;
  if (change.type === 'message.created') {
    const isCustomers = message?.role === 'user' && !message.isEcho && !message.isNote;
    if (!isCustomers || message.timestamp < now - newsWithinMs) return null;
    const attached = message.attachments.length > 0 ? fileNotificationBody : '';
    const text = message.content.trim() || attached;
    return aboutSession(tx, boards, change, now, 'message', (name) => ({ title: name, body: excerpt(text) }));
  }
  if (change.type === 'session.updated' && change.detail === 'handover') {
    return aboutSession(tx, boards, change, now, 'handover', (name) => ({
      title: name,
      body: english.handover,
    }));
  }
  if (change.type === 'session.updated' && change.detail === 'attention') {
    return aboutSession(tx, boards, change, now, 'attention', (name, failure) => ({
      title: name,
      body: failure === null ? english.attention : `${english.attention} ${excerpt(failure)}`,
    }));
  }
  if (change.type === 'note.mentioned') {
    const mention = message?.mentions?.find(({ id }) => id === change.userId);
    // Reverted meanwhile, or the note is gone.
    if (!message?.isNote || !mention) return null;
    const namedBy = mention.addedBy ?? message.operator;
    if (namedBy?.id === change.userId) return null;
    const { name } = namedBy ?? { name: '' };
    return aboutSession(tx, boards, change, now, 'mention', (customer) => ({
      title: `${name} · ${customer}`,
      body: excerpt(message.content.trim()),
    }));
  }
  if (change.type === 'owner.assigned') {
    const assigner = await findAssigner(tx, accountId, subjectId, change.userId!);
    return aboutSession(tx, boards, change, now, 'assigned', (customer) =>
      assigner === null
        ? { title: customer, body: autoAssignedNotificationBody }
        : { title: `${assigner} · ${customer}`, body: assignedNotificationBody },
    );
  }
  if (change.type === 'webhook.disabled' && change.detail !== disabledByUser) {
    const url = await findWebhookUrl(tx, accountId, subjectId);
    if (url === null) return null;
    const admins = (await selectColleagues(tx, accountId)).filter((one) => one.role === 'admin');
    const body = `${new URL(url).host}: ${change.detail ?? 'it kept failing'}`;
    return {
      kind: 'webhook_disabled',
      subjectId,
      title: english.webhook,
      body,
      to: recipients(admins, () => 'webhook_disabled', now),
    };
  }
  return null;
}

type Boards = (tx: Tx, accountId: string) => Promise<Definitions>;

/** Read on the transaction's own connection: waiting for a second one could deadlock with others that do the same. */
function createBoards(): Boards {
  const kept = new Map<string, Definitions>();
  return async (tx, accountId) => {
    const [current] = await selectVersions(tx, [accountId]);
    const known = kept.get(accountId);
    if (known && known.version === current?.version) return known;
    if (kept.size >= accountsKept) kept.clear();
    const definitions = await loadDefinitions(tx, accountId);
    kept.set(accountId, definitions);
    return definitions;
  };
}

/**
 * The owners of the conversation or its record; without one, if it waits for a person, everyone who may see the board.
 * Messages also go to those who want all, a mention to the mentioned user, an assignment to the new owner.
 */
async function aboutSession(
  tx: Tx,
  boards: Boards,
  { accountId, subjectId, itemId, userId }: LoggedChange,
  now: number,
  kind: Exclude<NotificationKind, 'webhook_disabled'>,
  words: (name: string, failure: string | null) => { title: string; body: string },
): Promise<NewNotification | null> {
  const session = await selectWaiting(tx, accountId, subjectId, itemId);
  if (!session) return null;
  const { assignedUserIds, waitsForPerson, viewerIds } = session;
  const isForAll = kind === 'message' && session.isHeardByAll;
  const isPersonal = kind === 'mention' || kind === 'assigned';
  // Somebody else may own it by now.
  if (kind === 'assigned' && session.ownerId !== userId) return null;
  if (!isPersonal && !isForAll && !waitsForPerson && assignedUserIds.length === 0) return null;
  const kanban = (await boards(tx, accountId)).kanbans.get(session.kanbanId);
  if (!kanban) return null;
  const may = (await selectColleagues(tx, accountId)).filter((one) => userMaySee(one, kanban));
  const isAssigned = may.some(({ id }) => assignedUserIds.includes(id));
  const topicOf = ({ id }: Colleague): NotificationTopic | null => {
    if (isPersonal) return id === userId ? kind : null;
    const isMine = assignedUserIds.includes(id);
    const isCalled = isMine || (!isAssigned && waitsForPerson);
    if (kind !== 'message') return isCalled ? kind : null;
    return isMine ? 'message_mine' : isCalled ? 'message_waiting' : 'message_any';
  };
  const absent = may.filter(({ id }) => !viewerIds.includes(id));
  return { kind, subjectId, ...words(session.name, session.failure), to: recipients(absent, topicOf, now) };
}

/** Without those who have disabled every channel. */
function recipients(
  people: readonly Colleague[],
  topicOf: (person: Colleague) => NotificationTopic | null,
  now: number,
): Recipient[] {
  return people.flatMap((person) => {
    const topic = topicOf(person);
    const ways = topic && waysFor(person.settings, topic, now);
    return ways && (ways.page || ways.push) ? [{ userId: person.id, ...ways }] : [];
  });
}

/** One job per browser: a failing push service must not repeat successful ones. */
async function insertNews(tx: Tx, accountId: string, news: NewNotification, now: number): Promise<void> {
  for (const { id: notificationId, userId } of await upsertNotifications(tx, accountId, news, now)) {
    if (!news.to.find((one) => one.userId === userId)?.push) continue;
    for (const subscriptionId of await selectSubscriptionIds(tx, accountId, userId)) {
      await enqueue(tx, {
        accountId,
        kind: pushJobKind,
        payload: { notificationId, subscriptionId },
        maxAttempts: 5,
      });
    }
  }
}

function excerpt(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  if (line.length <= excerptLength) return line;
  return `${line.slice(0, excerptLength).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
