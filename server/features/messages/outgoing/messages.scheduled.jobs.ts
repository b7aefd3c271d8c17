/**
 * Sends scheduled messages at their time. The row itself says when, by the clock of the database: one that was changed or
 * cancelled meanwhile needs nothing else. Its deletion commits with the message, so that it is sent once: after a crash the
 * next look finds it, and of several workers one deletes it.
 */
import type { Clock } from '../../../platform/db/clock.ts';
import type { Db, Tx } from '../../../platform/db/db.ts';
import { isTemporary } from '../../../platform/http/errors.ts';
import { newId } from '../../../platform/ids.ts';
import { runWhenDue } from '../../../platform/jobs/run-when-due.ts';
import type { Logger } from '../../../platform/logger.ts';
import { type Actor, personMay, selectUsersByIds, systemActor } from '../../accounts/accounts.ts';
import type { AccountConfig, AccountConfigCache } from '../../channels/channels.ts';
import { userMaySee } from '../../kanbans/kanbans.ts';
import {
  applyAiPaused,
  assignTaker,
  changeLifecycle,
  openSession,
  type SessionState,
  sessionUpdated,
  system,
} from '../../sessions/sessions.ts';
import { commitConversations } from '../messages.commit.sql.ts';
import { commitOutgoing, mailData } from '../messages.reply.ts';
import type { NewMessage } from '../messages.sql.ts';
import {
  type Conversation,
  type DueMessage,
  hasDue,
  noteFailed,
  type ScheduledRow,
  selectDue,
  selectNextOf,
  type TakenRow,
  takeDue,
} from './messages.scheduled.sql.ts';
import { isWindowClosed, windowClosedIn } from './messages.window.ts';

export interface ScheduledDeps {
  db: Db;
  clock: Clock;
  logger: Logger;
  accountConfig: AccountConfigCache;
}

const everyMs = 250;
const batch = 200;
const atOnce = 8;
/** The first wait of a conversation after an error; it doubles with every further one. */
const firstWaitMs = { temporary: 500, lasting: 10_000 };
const longestWaitMs = 5 * 60_000;
const retriedAtOnce = 50;
/**
 * So many conversations of an account have failed that its others would too: only these are retried until some succeed.
 * In all, more are only remembered of accounts with few.
 */
const maxWaiting = { ofAccount: 1_000, inAll: 5_000 };

/** A conversation whose next message could not be sent: its later ones wait as well, so that their order is kept. */
interface Waiting extends Conversation {
  failures: number;
  until: number;
}

export function startScheduled(deps: ScheduledDeps): { stop(): Promise<void> } {
  return runWhenDue<boolean>(deps.db, {
    look: { name: 'scheduled messages', value: hasDue },
    isDue: (isAnyDue) => isAnyDue,
    run: createSendDue(deps),
    onError(error) {
      if (!isTemporary(error))
        deps.logger.warn({ err: error }, 'sending scheduled messages failed; retrying');
    },
    everyMs,
  });
}

/** Sends one batch. True: more may be due already. A batch that failed as a whole is followed by a pause. */
export function createSendDue(
  deps: ScheduledDeps,
  monotonicNow = () => performance.now(),
  bounds = maxWaiting,
): (signal?: AbortSignal) => Promise<boolean> {
  const waiting = new Map<string, Waiting>();
  return async (signal) => {
    const due = await findDue(deps, waiting, bounds, monotonicNow());
    const sent = await sendAll(deps, due, waiting, signal, monotonicNow);
    return due.length >= batch && sent > 0;
  };
}

const keyOf = ({ accountId, sessionId }: Conversation) => `${accountId}/${sessionId}`;

/** Those of conversations without an error, so that failing ones delay none of them, and those whose wait is over. */
async function findDue(
  { db }: ScheduledDeps,
  waiting: Map<string, Waiting>,
  bounds: typeof maxWaiting,
  now: number,
): Promise<DueMessage[]> {
  const full = fullAccounts([...waiting.values()], bounds);
  const others = [...waiting.values()].filter(({ accountId }) => !full.has(accountId));
  const due = await selectDue(db, { accountIds: [...full], conversations: others }, batch);
  const ended = inTurn([...waiting.values()].filter(({ until }) => until <= now)).slice(0, retriedAtOnce);
  if (ended.length === 0) return due;
  const retried = await selectNextOf(db, ended);
  const found = new Set(retried.map(keyOf));
  // Cancelled, or sent by another worker.
  for (const one of ended) if (!found.has(keyOf(one))) waiting.delete(keyOf(one));
  return [...due, ...retried];
}

/** Those with too many failures, and those with the most of them while there are too many in all. */
function fullAccounts(waiting: readonly Waiting[], { ofAccount, inAll }: typeof maxWaiting): Set<string> {
  const accounts = [...Map.groupBy(waiting, ({ accountId }) => accountId)];
  const full = new Set<string>();
  let left = waiting.length;
  for (const [accountId, { length }] of accounts.sort(([, a], [, b]) => b.length - a.length)) {
    if (length < ofAccount && left < inAll) break;
    full.add(accountId);
    left -= length;
  }
  return full;
}

/** The first of each account, then the second of each: the many of one do not delay the few of another. */
function inTurn(waiting: readonly Waiting[]): Waiting[] {
  const byTime = waiting.toSorted((a, b) => a.until - b.until);
  const groups = [...Map.groupBy(byTime, ({ accountId }) => accountId).values()];
  const placed = groups.flatMap((group) => group.map((one, place) => ({ one, place })));
  return placed.sort((a, b) => a.place - b.place).map(({ one }) => one);
}

/** Those of one conversation one after the other, in their order. Returns how many were sent. */
async function sendAll(
  deps: ScheduledDeps,
  due: readonly DueMessage[],
  waiting: Map<string, Waiting>,
  signal: AbortSignal | undefined,
  now: () => number,
): Promise<number> {
  const groups = [...Map.groupBy(due, keyOf)];
  let sent = 0;
  const work = async () => {
    for (let next = groups.shift(); next; next = groups.shift()) {
      const [key, group] = next;
      for (const one of group) {
        if (signal?.aborted) return;
        const error = await sendOne(deps, one).then(() => null, toError);
        if (error) {
          waiting.set(key, waitAfter(deps, one, error, now(), waiting.get(key)));
          break;
        }
        waiting.delete(key);
        sent++;
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return sent;
}

const toError = (cause: unknown) => (cause instanceof Error ? cause : new Error(String(cause)));

function waitAfter(
  { logger }: ScheduledDeps,
  { accountId, sessionId, id }: DueMessage,
  error: Error,
  now: number,
  before?: Waiting,
): Waiting {
  const isLasting = !isTemporary(error);
  if (isLasting) logger.warn({ err: error, id }, 'sending a scheduled message failed; retrying');
  const failures = (before?.failures ?? 0) + 1;
  const firstMs = isLasting ? firstWaitMs.lasting : firstWaitMs.temporary;
  const waitMs = Math.min(firstMs * 2 ** (failures - 1), longestWaitMs);
  return { accountId, sessionId, failures, until: now + waitMs };
}

async function sendOne(
  { clock, accountConfig }: ScheduledDeps,
  { accountId, id, sessionId }: DueMessage,
): Promise<void> {
  await accountConfig.runRule(accountId, async (tx, config) => {
    const { state, isBlocked } = await openSession(tx, accountId, sessionId);
    const row = state && (await takeDue(tx, accountId, id));
    if (!state || !row) return;
    const time = clock.now();
    // The clock of this process may be some milliseconds behind the database's.
    const now = Math.max(time, state.lastMessageAt, row.sendAt);
    const message = messageOf(row, state, now);
    const reason = isBlocked() ? blockedReason : reasonAgainst(config, state, row, time);
    if (reason === null) await send(tx, accountId, config, state, row, message);
    else
      await fail(tx, accountId, config, state, row, { ...message, status: 'failed', statusReason: reason });
  });
}

const blockedReason = 'The customer was blocked before the time at which the message was to be sent.';
const notAllowedReason =
  'The author was not allowed to reply any more at the time at which the message was to be sent.';
const closedBoardReason =
  'The author could not see the board any more at the time at which the message was to be sent.';
const disabledReason = 'The channel was disabled at the time at which the message was to be sent.';
const unconnectedReason =
  'The channel had no connector any more at the time at which the template was to be sent.';

/** Null: it may be sent. */
function reasonAgainst(
  { definitions, directory }: AccountConfig,
  state: SessionState,
  { template, rights, userId }: TakenRow,
  now: number,
): string | null {
  if (rights && !personMay(rights, 'conversations.reply')) return notAllowedReason;
  const kanban = definitions.kanbans.get(state.kanbanId);
  if (rights && kanban && !userMaySee({ id: userId!, role: rights.role }, kanban)) return closedBoardReason;
  if (directory.channels.get(state.channelId)?.enabled === false) return disabledReason;
  if (template) return directory.connectedIds.has(state.channelId) ? null : unconnectedReason;
  return isWindowClosed(directory, state, 'person', now) ? windowClosedIn(directory, state.channelId) : null;
}

function messageOf(row: ScheduledRow, { messageCount }: SessionState, now: number): NewMessage {
  const { content, attachments, author, replyToMessageId, template, mail } = row;
  return {
    id: newId(now),
    position: messageCount + 1,
    role: 'operator',
    content,
    timestamp: now,
    attachments,
    operator: author,
    replyToMessageId,
    ...(mail && { data: mailData(mail) }),
    ...(template && { data: { template } }),
  };
}

/** Nobody has read the conversation for it: what is unread stays so, and what needs attention too. */
async function send(
  tx: Tx,
  accountId: string,
  { directory, version }: AccountConfig,
  found: SessionState,
  row: ScheduledRow,
  message: NewMessage,
): Promise<void> {
  const { timestamp: now } = message;
  let session = found;
  if (row.pauseAi) {
    session = await assignTaker(tx, await authorOf(tx, accountId, row), now, session);
    if (!session.aiPaused) {
      const changedBy = { id: row.author.id, isAgent: false };
      session = await applyAiPaused(tx, accountId, now, session, true, changedBy);
    }
  }
  await commitOutgoing(tx, accountId, now, directory, { session, message, agentId: null }, version);
}

/** Somebody who is no longer a user, and a token, cannot own a conversation. */
async function authorOf(tx: Tx, accountId: string, { author }: ScheduledRow): Promise<Actor> {
  const [user] = await selectUsersByIds(tx, accountId, [author.id]);
  if (!user) return systemActor(accountId);
  return {
    kind: 'user',
    accountId,
    ...author,
    email: '',
    role: user.role,
    permissions: user.permissions,
    isInstanceAdmin: false,
    sessionId: '',
  };
}

/** It stays in the conversation, so that a person can send it another way. */
async function fail(
  tx: Tx,
  accountId: string,
  { version }: AccountConfig,
  state: SessionState,
  { userId }: ScheduledRow,
  message: NewMessage,
): Promise<void> {
  const { timestamp: now } = message;
  const opened = changeLifecycle(state, now, system, { status: 'open' });
  const session: SessionState = {
    ...opened.state,
    needsAttention: true,
    messageCount: message.position,
    lastMessageAt: now,
    updatedAt: now,
  };
  if (userId !== null) await noteFailed(tx, accountId, state.sessionId, userId);
  await commitConversations(
    tx,
    accountId,
    [
      {
        session,
        isNewSession: false,
        messages: [message],
        record: null,
        reply: null,
        sessionChange: opened.change,
        events: opened.change ? [sessionUpdated(accountId, session, opened.change)] : [],
      },
    ],
    version,
  );
}
