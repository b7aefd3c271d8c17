/**
 * Makes notifications of changes, in the background. It follows the numbered changes: its position, the notifications
 * and the jobs that push them commit together, and only one process at a time can advance. So each change is
 * processed once, whichever worker dies when.
 */
import {
  assignedNotificationBody,
  autoAssignedNotificationBody,
  fileNotificationBody,
  type NotificationTopic,
} from '../../../../contract/notifications.ts';
import type { Clock } from '../../../platform/db/clock.ts';
import { isOverload, isTransientConflict } from '../../../platform/db/database-errors.ts';
import type { Db, Tx } from '../../../platform/db/db.ts';
import { isTemporary } from '../../../platform/http/errors.ts';
import { runWhenDue } from '../../../platform/jobs/run-when-due.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { RedisLinks } from '../../../platform/redis-links.ts';
import { personMay } from '../../accounts/accounts.ts';
import { userMaySee } from '../../kanbans/kanbans.ts';
import { findReview } from '../../knowledge/knowledge.ts';
import { type StoredMessage, selectMessagesByKeys } from '../../messages/messages.ts';
import {
  findFailedAuthor,
  type LiveState,
  type LoggedChange,
  liveState,
  takeUnnotified,
  tick,
  type Unnotified,
} from '../realtime.log.sql.ts';
import {
  type Colleague,
  findAssigner,
  findChannelName,
  findLimitedAgent,
  findPersonRequest,
  findRuleName,
  findWebhookUrl,
  markConnectorRead,
  type NewNotification,
  selectColleagues,
  selectWaiting,
} from '../realtime.notifications.sql.ts';
import { announceCommits } from '../realtime.wake.ts';
import { wordsIn } from '../realtime.words.ts';
import { commentMentions, taskAssigned } from './realtime.card-news.ts';
import { type Boards, createBoards, excerpt, insertNews, recipients } from './realtime.news.ts';
import { notifiedByRule } from './realtime.rule-news.ts';
import { aboutServiceLevel } from './realtime.service-level-news.ts';
import { aboutSnooze } from './realtime.snooze-news.ts';

export interface NotifierDeps {
  db: Db;
  clock: Clock;
  logger: Logger;
  redis: RedisLinks | null;
  cell: string;
}

const everyMs = 250;
const batch = 200;
/** Restored or imported data is not news. */
const newsWithinMs = 10 * 60_000;
const dayMs = 86_400_000;
/** What the API returns; the dashboard and push messages show it in the reader's language. */
const english = wordsIn('en');
const scheduledFailure = 'A scheduled message could not be sent.';
const disabledByUser = 'disabled by an administrator';

export async function startNotifier(deps: NotifierDeps): Promise<{ stop(): Promise<void> }> {
  const { db, logger } = deps;
  const endAnnouncing = await announceCommits(deps);
  const boards = createBoards();
  let doneUpTo: number | null = null;
  /** The last batch was refused: in the next one, only the changes that are refused are left out. */
  let isRefused = false;
  const loop = runWhenDue<LiveState | null>(db, {
    look: liveState,
    isDue: (found) => found === null || found.isUnnumbered || found.head !== doneUpTo,
    async run() {
      // Numbers what was committed also without connected clients.
      const { head } = await tick(db, Number.MAX_SAFE_INTEGER, 0);
      if (head === doneUpTo) return false;
      const taken = await db.transaction((tx) => notify(tx, deps, boards, isRefused));
      isRefused = false;
      doneUpTo = taken.position;
      return taken.changes.length === batch;
    },
    onError(error) {
      logger.warn({ err: error }, 'creating notifications failed; retrying');
      isRefused = !isTemporary(error);
    },
    everyMs,
  });
  const forgetCommits = db.onCommit(loop.wake);
  return {
    async stop() {
      forgetCommits();
      await loop.stop();
      endAnnouncing();
    },
  };
}

async function notify(
  tx: Tx,
  { clock, logger }: Pick<NotifierDeps, 'clock' | 'logger'>,
  boards: Boards,
  leavesOut: boolean,
): Promise<Unnotified> {
  const now = clock.now();
  const taken = await takeUnnotified(tx, batch);
  const { changes } = taken;
  const about = changes.filter(({ type }) => type === 'message.created' || type === 'note.mentioned');
  const keys = about.map(({ accountId, itemId }) => ({ accountId, id: itemId! }));
  const messages = new Map(
    keys.length === 0 ? [] : (await selectMessagesByKeys(tx, keys)).map((message) => [message.id, message]),
  );
  const insert = async (change: LoggedChange) => {
    const news = await newsOf(tx, boards, change, messages.get(change.itemId ?? ''), now);
    if (news && news.to.length > 0) await insertNews(tx, change.accountId, news, now);
  };
  for (const change of changes) {
    if (!leavesOut) await insert(change);
    else {
      await tx
        .savepoint(() => insert(change))
        .catch((error) => {
          if (isTemporary(error) || isTransientConflict(error) || isOverload(error)) throw error;
          const { accountId, type, subjectId } = change;
          logger.error({ err: error, accountId, type, subjectId }, 'a notification cannot be created');
        });
    }
  }
  return taken;
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
    const isAsked = await findPersonRequest(tx, accountId, subjectId);
    return aboutSession(tx, boards, change, now, 'handover', (name) => ({
      title: name,
      body: isAsked ? english.personRequested : english.handover,
    }));
  }
  if (change.type === 'session.updated' && change.detail === 'attention') {
    return aboutSession(tx, boards, change, now, 'attention', (name, failure) => ({
      title: name,
      body: failure === null ? english.attention : `${english.attention} ${excerpt(failure)}`,
    }));
  }
  if (change.type === 'session.updated' && change.detail === 'snooze_ended') {
    return aboutSnooze(tx, boards, change, now);
  }
  if (change.type === 'sla.warning' || change.type === 'sla.breached') {
    return aboutServiceLevel(tx, boards, change, now);
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
  if (change.type === 'task.assigned') return taskAssigned(tx, boards, change, now);
  if (change.type === 'comment.mentioned') return commentMentions(tx, boards, change, now);
  if (change.type === 'owner.assigned') {
    const assigner = await findAssigner(tx, accountId, subjectId, change.userId!);
    return aboutSession(tx, boards, change, now, 'assigned', (customer) =>
      assigner === null
        ? { title: customer, body: autoAssignedNotificationBody }
        : { title: `${assigner} · ${customer}`, body: assignedNotificationBody },
    );
  }
  if (change.type === 'rule.notified') return notifiedByRule(tx, change, now);
  if (change.type === 'scheduled.failed') {
    return aboutSession(tx, boards, change, now, 'attention', (name) => ({
      title: name,
      body: `${english.attention} ${scheduledFailure}`,
    }));
  }
  if (change.type === 'webhook.disabled' && change.detail !== disabledByUser) {
    const url = await findWebhookUrl(tx, accountId, subjectId);
    if (url === null) return null;
    const admins = (await selectColleagues(tx, accountId)).filter((one) => personMay(one, 'webhooks.manage'));
    const body = `${new URL(url).host}: ${change.detail ?? 'it kept failing'}`;
    return {
      kind: 'webhook_disabled',
      subjectId,
      title: english.webhook,
      body,
      to: recipients(admins, () => 'webhook_disabled', now),
    };
  }
  if (change.type === 'knowledge_run.review') {
    const review = await findReview(tx, accountId, subjectId);
    if (review === null) return null;
    const admins = (await selectColleagues(tx, accountId)).filter((one) =>
      personMay(one, 'knowledge.manage'),
    );
    return {
      kind: 'knowledge_review',
      subjectId: review.sourceId,
      title: english.knowledgeReview,
      body: excerpt(`${review.name}: ${review.reason}`),
      to: recipients(admins, () => 'knowledge_review', now),
    };
  }
  if (change.type === 'automation.disabled') {
    const name = await findRuleName(tx, accountId, subjectId);
    if (name === null) return null;
    const admins = (await selectColleagues(tx, accountId)).filter((one) =>
      personMay(one, 'automation.manage'),
    );
    return {
      kind: 'rule_disabled',
      subjectId,
      title: english.ruleDisabled,
      body: excerpt(`${name}: ${change.detail ?? ''}`),
      to: recipients(admins, () => 'rule_disabled', now),
    };
  }
  if (change.type === 'agent.limited') {
    // Once a day.
    const name = await findLimitedAgent(tx, accountId, subjectId, now - (now % dayMs));
    if (name === null) return null;
    const admins = (await selectColleagues(tx, accountId)).filter((one) => personMay(one, 'agents.manage'));
    return {
      kind: 'agent_limit',
      subjectId,
      title: english.agentLimit,
      body: excerpt(`${name}: ${change.detail ?? ''}`),
      to: recipients(admins, () => 'agent_limit', now),
    };
  }
  if (change.type === 'connector.connected') {
    await markConnectorRead(tx, accountId, subjectId, now);
    return null;
  }
  if (change.type === 'connector.failed') {
    const name = await findChannelName(tx, accountId, subjectId);
    if (name === null) return null;
    const admins = (await selectColleagues(tx, accountId)).filter((one) => personMay(one, 'channels.manage'));
    return {
      kind: 'connector_failed',
      subjectId,
      title: english.connector,
      body: excerpt(`${name}: ${change.detail ?? ''}`),
      to: recipients(admins, () => 'connector_failed', now),
    };
  }
  return null;
}

/**
 * The owners of the conversation or its record; without one, if it waits for a person, everyone who may see the board.
 * Messages also go to those who want all, a mention to the mentioned user, an
 * assignment to the new owner, a failed scheduled message to its author.
 */
async function aboutSession(
  tx: Tx,
  boards: Boards,
  { accountId, seq, type, subjectId, itemId, userId }: LoggedChange,
  now: number,
  kind: 'message' | 'handover' | 'attention' | 'mention' | 'assigned',
  words: (name: string, failure: string | null) => { title: string; body: string },
): Promise<NewNotification | null> {
  const session = await selectWaiting(tx, accountId, subjectId, itemId);
  if (!session) return null;
  const { assignedUserIds, waitsForPerson, viewerIds } = session;
  const isForAll = kind === 'message' && session.isHeardByAll;
  const isPersonal = kind === 'mention' || kind === 'assigned' || type === 'scheduled.failed';
  // Another user may own it by now.
  if (kind === 'assigned' && session.ownerId !== userId) return null;
  if (!isPersonal && !isForAll && !waitsForPerson && assignedUserIds.length === 0) return null;
  const kanban = (await boards(tx, accountId)).kanbans.get(session.kanbanId);
  if (!kanban) return null;
  const may = (await selectColleagues(tx, accountId)).filter(
    (one) => personMay(one, 'conversations.view') && userMaySee(one, kanban),
  );
  const isAssigned = may.some(({ id }) => assignedUserIds.includes(id));
  const topicOf = ({ id }: Colleague): NotificationTopic | null => {
    if (isPersonal && kind !== 'message') return id === userId ? kind : null;
    const isMine = assignedUserIds.includes(id);
    const isCalled = isMine || (!isAssigned && waitsForPerson);
    if (kind !== 'message') return isCalled ? kind : null;
    return isMine ? 'message_mine' : isCalled ? 'message_waiting' : 'message_any';
  };
  const isRaised = kind === 'handover' || (kind === 'attention' && !isPersonal);
  const notifiedId = isRaised ? await findFailedAuthor(tx, { accountId, seq, subjectId }) : null;
  const absent = may.filter(({ id }) => !viewerIds.includes(id) && id !== notifiedId);
  return { kind, subjectId, ...words(session.name, session.failure), to: recipients(absent, topicOf, now) };
}
