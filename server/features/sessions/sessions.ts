/** Conversations: finding them, renaming them, pausing their AI. */
import { limits } from '../../../contract/limits.ts';
import {
  type Session,
  type SessionStatus,
  type SessionsQuery,
  type SessionUpdate,
  sessionStatuses,
} from '../../../contract/messaging/sessions.ts';
import { pageSize } from '../../../contract/shapes/paging.ts';
import { peopleTerms } from '../../../contract/shapes/people-search.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { emitFrozen } from '../../platform/events/outbox.ts';
import { badRequest, notFound } from '../../platform/http/errors.ts';
import { cutPage, type Page, type PageTokens } from '../../platform/http/page-token.ts';
import { isId } from '../../platform/ids.ts';
import { type Actor, personOf } from '../accounts/accounts.ts';
import { mergeLabels } from '../labels/labels.ts';
import { hasWaitingCall, suppressReplies } from '../pending-replies/pending-replies.ts';
import { findLabelCondition } from './sessions.labels.sql.ts';
import { changeLifecycle, changerOf, pauseEvent, recordChange } from './sessions.lifecycle.ts';
import { openSession } from './sessions.open.ts';
import { assignTaker, checkOwner } from './sessions.owner.ts';
import {
  findSession,
  hasHeldReply,
  insertAiPause,
  type SessionState,
  selectSessions,
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

export async function listSessions(
  db: Reader,
  actor: Actor,
  visible: string[] | null,
  tokens: PageTokens,
  query: SessionsQuery,
): Promise<Page<Session>> {
  const { channelId, kanbanId, agentId, recordId, contactId, aiPaused, needsAttention, unread, q } = query;
  const { sla, sort = 'latest' } = query;
  const size = pageSize(query.limit, limits.listPage);
  const { status, assignedUserId, teamId, label } = query;
  const filters = [channelId, kanbanId, agentId, recordId, aiPaused, needsAttention, unread, q];
  const scope = ['sessions', actor.accountId, ...filters, status, assignedUserId, teamId, label, contactId];
  if (sla !== undefined || sort !== 'latest') scope.push(sla, sort);
  const cursor = query.nextToken === undefined ? null : tokens.read(query.nextToken, scope);
  const owner = assignedUserId === 'me' ? (personOf(actor)?.id ?? 'none') : assignedUserId;
  const ids = [channelId, kanbanId, agentId, recordId, contactId, noneIsAbsent(owner), noneIsAbsent(teamId)];
  const statuses = statusesOf(status);
  if (ids.some((id) => id !== undefined && !isId(id))) return { items: [], nextToken: null };
  const labelled = label === undefined ? undefined : await findLabelCondition(db, actor.accountId, label);
  if (labelled === null) return { items: [], nextToken: null };
  const filter = {
    channelId,
    kanbanId,
    agentId,
    recordId,
    contactId,
    aiPaused,
    needsAttention,
    unread,
    statuses,
    assignedUserId: noneIsNull(owner),
    teamId: noneIsNull(teamId),
    label: labelled,
    people: q === undefined ? [] : peopleTerms(q),
    visibleKanbanIds: visible,
    sla,
  };
  const after = cursor && { at: Number(cursor[0]), sessionId: String(cursor[1]) };
  const rows = await selectSessions(db, actor.accountId, filter, after, size + 1, sort);
  const { items, nextToken } = cutPage(rows, size, (last) =>
    tokens.issue([sort === 'due_next' ? last.slaDue! : last.lastMessageAt, last.sessionId], scope),
  );
  return { items: items.map(({ slaDue: _, ...session }) => session), nextToken };
}

const noneIsAbsent = (id: string | undefined) => (id === 'none' ? undefined : id);
const noneIsNull = (id: string | undefined) => (id === 'none' ? null : id);

function statusesOf(text: string | undefined): SessionStatus[] | undefined {
  const given = text?.split(',').map((one) => one.trim());
  if (given?.every(isStatus) === false)
    throw badRequest(`status must be one of ${sessionStatuses.join(', ')}`);
  return given as SessionStatus[] | undefined;
}

const isStatus = (text: string): text is SessionStatus => sessionStatuses.includes(text as never);

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
    unread: isResolved ? 0 : (change.unread ?? state.unread),
    updatedAt: now,
  };
  await updateSession(tx, accountId, after);
  await recordChange(tx, accountId, { ...changed, state: after });
  return (await findSession(tx, actor.accountId, sessionId))!;
}

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
