/**
 * Sends scheduled messages at their time. The row itself says when, by the clock of the database: one that was changed or
 * cancelled meanwhile needs nothing else. Its deletion commits with the message, so that it is sent once: after a crash the
 * next poll finds it, and of several workers one deletes it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../../platform/db/clock.ts';
import type { Db, Tx } from '../../../platform/db/db.ts';
import { isTemporary } from '../../../platform/http/errors.ts';
import { newId } from '../../../platform/ids.ts';
import type { Logger } from '../../../platform/logger.ts';
import { type Actor, selectUsersByIds, systemActor } from '../../accounts/accounts.ts';
import type { AccountConfigCache, Directory } from '../../channels/channels.ts';
import {
  applyAiPaused,
  assignTaker,
  changeLifecycle,
  openSession,
  type SessionState,
  sessionUpdated,
  system,
} from '../../sessions/sessions.ts';
import { commitConversation } from '../messages.commit.sql.ts';
import { commitOutgoing } from '../messages.reply.ts';
import type { NewMessage } from '../messages.sql.ts';
import {
  type DueMessage,
  noteFailed,
  type ScheduledRow,
  selectDue,
  takeDue,
} from './messages.scheduled.sql.ts';
import { isWindowClosed, windowClosedReason } from './messages.window.ts';

export interface ScheduledDeps {
  db: Db;
  clock: Clock;
  logger: Logger;
  accountConfig: AccountConfigCache;
  /** Something was committed that windows show. */
  onSent(): void;
}

const pollMs = 250;
const batch = 200;
const atOnce = 8;
/** After an error that does not pass by itself. */
const tryAgainMs = 10_000;

export function startScheduled(deps: ScheduledDeps): { stop(): Promise<void> } {
  const stopping = new AbortController();
  /** Failed lately, and when they are tried again: they must not keep others from being found. */
  const failed = new Map<string, number>();
  const run = async () => {
    while (!stopping.signal.aborted) {
      let found = 0;
      try {
        for (const [id, until] of failed) if (until <= performance.now()) failed.delete(id);
        const due = await selectDue(deps.db, [...failed.keys()], batch);
        found = due.length;
        await sendAll(deps, due, failed, stopping.signal);
        if (found > 0) deps.onSent();
      } catch (error) {
        if (!isTemporary(error))
          deps.logger.warn({ err: error }, 'sending scheduled messages failed; retrying');
      }
      if (found < batch)
        await sleep(pollMs, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
    }
  };
  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/** Those of one conversation one after the other, in their order. */
async function sendAll(
  deps: ScheduledDeps,
  due: readonly DueMessage[],
  failed: Map<string, number>,
  signal: AbortSignal,
): Promise<void> {
  const groups = [...Map.groupBy(due, ({ accountId, sessionId }) => `${accountId}/${sessionId}`).values()];
  const work = async () => {
    for (let group = groups.shift(); group; group = groups.shift()) {
      for (const one of group) {
        if (signal.aborted) return;
        await sendOne(deps, one).catch((error) => {
          if (isTemporary(error)) return;
          failed.set(one.id, performance.now() + tryAgainMs);
          deps.logger.warn({ err: error, id: one.id }, 'sending a scheduled message failed; retrying');
        });
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

async function sendOne(
  { db, clock, accountConfig }: ScheduledDeps,
  { accountId, id, sessionId }: DueMessage,
): Promise<void> {
  const { directory } = await accountConfig.fresh(accountId);
  await db.transaction(async (tx) => {
    const { state, isBlocked } = await openSession(tx, accountId, sessionId);
    const row = state && (await takeDue(tx, accountId, id));
    if (!state || !row) return;
    const time = clock.now();
    const now = Math.max(time, state.lastMessageAt);
    const message = messageOf(row, state, now);
    const reason = isBlocked() ? blockedReason : reasonAgainst(directory, state, row, time);
    if (reason === null) await send(tx, accountId, directory, state, row, message);
    else await fail(tx, accountId, state, row, { ...message, status: 'failed', statusReason: reason });
  });
}

const blockedReason = 'The customer was blocked before the time at which the message was to be sent.';
const disabledReason = 'The channel was disabled at the time at which the message was to be sent.';
const unconnectedReason =
  'The channel had no connector any more at the time at which the template was to be sent.';

/** Null: it may be sent. */
function reasonAgainst(
  directory: Directory,
  state: SessionState,
  { template }: ScheduledRow,
  now: number,
): string | null {
  if (directory.channels.get(state.channelId)?.enabled === false) return disabledReason;
  if (template) return directory.connectedIds.has(state.channelId) ? null : unconnectedReason;
  return isWindowClosed(directory, state, 'person', now) ? windowClosedReason : null;
}

function messageOf(row: ScheduledRow, { messageCount }: SessionState, now: number): NewMessage {
  const { content, attachments, author, replyToMessageId, template } = row;
  return {
    id: newId(now),
    position: messageCount + 1,
    role: 'operator',
    content,
    timestamp: now,
    attachments,
    operator: author,
    replyToMessageId,
    ...(template && { data: { template } }),
  };
}

/** Nobody has read the conversation for it: what is unread stays so, and what needs attention too. */
async function send(
  tx: Tx,
  accountId: string,
  directory: Directory,
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
  await commitOutgoing(tx, accountId, now, directory, { session, message, agentId: null });
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
    isInstanceAdmin: false,
    sessionId: '',
  };
}

/** It stays in the conversation, so that a person can send it another way. */
async function fail(
  tx: Tx,
  accountId: string,
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
  await commitConversation(tx, accountId, {
    session,
    isNewSession: false,
    messages: [message],
    record: null,
    reply: null,
    sessionChange: opened.change,
    events: opened.change ? [sessionUpdated(accountId, session, opened.change)] : [],
    definitionsVersion: null,
  });
}
