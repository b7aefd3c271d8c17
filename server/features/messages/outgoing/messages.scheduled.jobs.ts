/**
 * Sends scheduled messages at their time. The row itself says when, by the clock of the database: one that was changed or
 * cancelled meanwhile needs nothing else. Its deletion commits with the message, so that it is sent once: after a crash the
 * next look finds it, and of several workers one deletes it.
 */
import type { Clock } from '../../../platform/db/clock.ts';
import type { Db, Tx } from '../../../platform/db/db.ts';
import { isTemporary } from '../../../platform/http/errors.ts';
import { newId } from '../../../platform/ids.ts';
import { type JobHandler, retryByJob } from '../../../platform/jobs/jobs.ts';
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
  scheduledJobKind,
  selectDue,
  selectDueOf,
  type TakenRow,
  takeDue,
} from './messages.scheduled.sql.ts';
import { isWindowClosed, windowClosedIn } from './messages.window.ts';

export { scheduledJobKind };

export interface ScheduledDeps {
  db: Db;
  clock: Clock;
  logger: Logger;
  accountConfig: AccountConfigCache;
}

const everyMs = 250;
const batch = 200;
const atOnce = 8;

export function startScheduled(deps: ScheduledDeps): { stop(): Promise<void> } {
  return runWhenDue<boolean>(deps.db, {
    look: { name: 'scheduled messages', value: hasDue },
    isDue: (isAnyDue) => isAnyDue,
    run: (signal) => sendDue(deps, signal),
    onError(error) {
      if (!isTemporary(error))
        deps.logger.warn({ err: error }, 'sending scheduled messages failed; retrying');
    },
    everyMs,
  });
}

/** Sends one batch. True: more may be due already. */
export async function sendDue(deps: ScheduledDeps, signal?: AbortSignal): Promise<boolean> {
  const due = await selectDue(deps.db, batch);
  const conversations = [...Map.groupBy(due, keyOf).values()];
  const work = async () => {
    for (let next = conversations.shift(); next; next = conversations.shift())
      await sendAll(deps, next, signal);
  };
  const ended = await Promise.allSettled(Array.from({ length: atOnce }, work));
  const failed = ended.find(({ status }) => status === 'rejected');
  if (failed) throw (failed as PromiseRejectedResult).reason;
  return due.length >= batch;
}

const keyOf = ({ accountId, sessionId }: Conversation) => `${accountId}/${sessionId}`;

/** In their order. If one cannot be sent, a job tries it again, and later ones of the conversation wait with it. */
async function sendAll(
  deps: ScheduledDeps,
  messages: readonly DueMessage[],
  signal?: AbortSignal,
): Promise<void> {
  const { accountId, sessionId } = messages[0]!;
  try {
    for (const one of messages) {
      if (signal?.aborted) return;
      await sendOne(deps, one);
    }
  } catch (error) {
    if (!isTemporary(error))
      deps.logger.warn({ err: error, sessionId }, 'sending a scheduled message failed; retrying');
    const job = { kind: scheduledJobKind, payload: { sessionId }, dedupeKey: sessionId };
    await retryByJob(deps.db, { accountId, ...job });
  }
}

/** Of a conversation whose next message could not be sent at its time. */
export function scheduledHandler(deps: ScheduledDeps): JobHandler {
  return async ({ accountId, payload, signal }) => {
    for (const one of await selectDueOf(deps.db, { accountId, sessionId: String(payload.sessionId) })) {
      signal.throwIfAborted();
      await sendOne(deps, one);
    }
  };
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
