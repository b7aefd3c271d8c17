/** Conversations: finding them, renaming them, pausing their AI. */
import { limits } from '../../../contract/limits.ts';
import type { Session, SessionUpdate } from '../../../contract/messaging/sessions.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { emitFrozen } from '../../platform/events/outbox.ts';
import { notFound } from '../../platform/http/errors.ts';
import type { Actor } from '../accounts/accounts.ts';
import { mergeLabels } from '../labels/labels.ts';
import { hasWaitingCall, suppressReplies } from '../pending-replies/pending-replies.ts';
import { changeLifecycle, changerOf, pauseEvent, recordChange } from './sessions.lifecycle.ts';
import { openSession } from './sessions.open.ts';
import { assignTaker, checkOwner } from './sessions.owner.ts';
import {
  findSession,
  hasHeldReply,
  insertAiPause,
  type SessionState,
  takeSessionLock,
  updateSession,
} from './sessions.sql.ts';

export { rate, readRating } from './ratings/ratings.ts';
export { insertSessionChanges, lockSessionStates } from './sessions.bulk.sql.ts';
export { updateStoredContactKeys } from './sessions.contact-keys.ts';
export {
  fillContacts,
  findChannelOfContact,
  moveSessionsToContact,
  type SessionOfContact,
  type SessionWithoutContact,
  selectOtherSessionsOfContact,
  selectSessionIdsOfContact,
  selectSessionsWithoutContact,
} from './sessions.contacts.sql.ts';
export type { SessionFilters } from './sessions.filters.ts';
export { labelledSessions } from './sessions.labels.ts';
export {
  type ChangedSession,
  changeLifecycle,
  changerOf,
  customer,
  newLifecycle,
  pauseEvent,
  recordChange,
  sessionUpdated,
  system,
} from './sessions.lifecycle.ts';
export { countMatching, type ListDeps, listSessions } from './sessions.list.ts';
export {
  ContactBlocked,
  type OpenedSession,
  openFreeSessions,
  openSession,
  openVisitorSession,
  type RequestCustomer,
} from './sessions.open.ts';
export { assignTaker, releaseIfHidden, sessionsOfUser } from './sessions.owner.ts';
export { eraseSessions, insertPastPauses, insertPastSessions, returnSessions } from './sessions.past.sql.ts';
export { requestPerson, storeCustomer, visitorName } from './sessions.person.ts';
export { type StoredSla, updateSla } from './sessions.sla.sql.ts';
export {
  findContactSession,
  findSession,
  findSessionRecord,
  findTypingBoard,
  insertAiPause,
  insertSessionChange,
  insertSessions,
  linkRecord,
  lockStart,
  type SessionChange,
  type SessionState,
  searchTextOf,
  selectCustomerEmail,
  selectHasGeneratedId,
  selectSessionsByKeys,
  updateSession,
  updateSessions,
} from './sessions.sql.ts';
export { resolveTarget, type Target } from './sessions.transfer.ts';

const longestSessionId = 255;

export async function requireSession(
  db: Reader,
  actor: Actor,
  visible: string[] | null,
  sessionId: string,
): Promise<Session> {
  const session = isPossibleId(sessionId) ? await findSession(db, actor.accountId, sessionId) : null;
  if (!session || (visible !== null && !visible.includes(session.kanbanId))) throw notFound('session');
  return session;
}

/** For writing: locked until the transaction ends. */
export async function requireOpenSession(
  tx: Tx,
  actor: Actor,
  visible: string[] | null,
  sessionId: string,
): Promise<{ state: SessionState; requireNotBlocked(): void }> {
  if (!isPossibleId(sessionId)) throw notFound('session');
  const { state, requireNotBlocked } = await openSession(tx, actor.accountId, sessionId);
  if (!state || (visible !== null && !visible.includes(state.kanbanId))) throw notFound('session');
  return { state, requireNotBlocked };
}

/**
 * For a transaction that holds the definitions before it opens the conversation: a conversation is locked before the
 * definitions, here as everywhere. An impossible id is left to the code that opens it.
 */
export async function lockSession(tx: Tx, accountId: string, sessionId: string): Promise<void> {
  if (isPossibleId(sessionId)) await takeSessionLock(tx, accountId, sessionId);
}

export async function changeSession(
  tx: Tx,
  actor: Actor,
  now: number,
  visible: string[] | null,
  sessionId: string,
  change: SessionUpdate,
): Promise<Session> {
  const { accountId } = actor;
  const { state } = await requireOpenSession(tx, actor, visible, sessionId);
  await checkOwner(tx, accountId, state, change);
  const labelIds = await mergeLabels(tx, accountId, state.labelIds, change);
  const changed = changeLifecycle(state, now, changerOf(actor), { ...change, labelIds });
  const isResolved = change.status === 'resolved';
  const isHandled = change.needsAttention === false || isResolved;
  const after: SessionState = {
    ...changed.state,
    sessionName: change.sessionName ?? state.sessionName,
    needsAttention: isHandled
      ? await stillNeedsAttention(tx, accountId, state, now)
      : (change.needsAttention ?? state.needsAttention),
    unread: isResolved ? 0 : unreadAfter(state.unread, change.unread),
    updatedAt: now,
  };
  await updateSession(tx, accountId, after);
  await recordChange(tx, accountId, { ...changed, state: after });
  return (await findSession(tx, actor.accountId, sessionId))!;
}

/** Marked as unread, one with unread messages keeps their number. */
const unreadAfter = (before: number, marked: number | undefined): number =>
  marked === undefined || (marked === 1 && before > 0) ? before : marked;

/**
 * A person has handled the conversation. It still needs attention while one of its replies is held: only releasing or
 * dropping the last one ends that, and while a call of a tool waits for approval. Either implies needsAttention, so most calls query nothing.
 */
export async function stillNeedsAttention(
  tx: Tx,
  accountId: string,
  { sessionId, needsAttention }: SessionState,
  now: number,
): Promise<boolean> {
  if (!needsAttention) return false;
  if (await hasHeldReply(tx, accountId, sessionId)) return true;
  return hasWaitingCall(tx, accountId, sessionId, now - limits.tools.approvalMs);
}

/** The pause revokes the permission to reply in its own transaction: nothing uncommitted is sent after it. */
export async function setAiPaused(
  tx: Tx,
  actor: Actor,
  now: number,
  visible: string[] | null,
  sessionId: string,
  aiPaused: boolean,
): Promise<{ changed: boolean }> {
  const { state: found } = await requireOpenSession(tx, actor, visible, sessionId);
  const state = aiPaused ? await assignTaker(tx, actor, now, found) : found;
  if (state.aiPaused === aiPaused) {
    if (state !== found) await updateSession(tx, actor.accountId, state);
    // Resuming also handles it, even if only a failure of the model had requested attention.
    if (!aiPaused && state.needsAttention) {
      const needsAttention = await stillNeedsAttention(tx, actor.accountId, state, now);
      const after = { ...state, needsAttention, updatedAt: now };
      await updateSession(tx, actor.accountId, after);
    }
    return { changed: false };
  }
  await applyAiPaused(tx, actor.accountId, now, state, aiPaused, { id: actor.id, isAgent: false });
  return { changed: true };
}

/**
 * Also for the hand-over by an agent and for a reply that takes over, which have the conversation open already.
 * Returns the state as written.
 */
export async function applyAiPaused(
  tx: Tx,
  accountId: string,
  now: number,
  state: SessionState,
  aiPaused: boolean,
  changedBy: { id: string; isAgent: boolean },
): Promise<SessionState> {
  const after: SessionState = {
    ...state,
    aiPaused,
    needsAttention: aiPaused ? state.needsAttention : await stillNeedsAttention(tx, accountId, state, now),
    updatedAt: now,
    eventSequence: state.eventSequence + 1,
  };
  await updateSession(tx, accountId, after);
  await tx.query(insertAiPause(accountId, after, changedBy.isAgent));
  if (aiPaused) await suppressReplies(tx, accountId, state.sessionId, 'AI paused', now);
  await emitFrozen(tx, pauseEvent(accountId, after, changedBy.id));
  return after;
}

/** An id that cannot be stored matches nothing; querying it would be a database error. */
export function isPossibleId(sessionId: string): boolean {
  return sessionId.length <= longestSessionId * 2 && !sessionId.includes('\0') && sessionId.isWellFormed();
}
