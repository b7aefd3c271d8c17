/** The same change for many conversations, and their history. */

import { limits } from '../../../contract/limits.ts';
import type {
  BulkSessionResult,
  SessionChangeEntry,
  SessionChangesQuery,
  SessionMarks,
  SessionsBulk,
} from '../../../contract/messaging/lifecycle.ts';
import type { SessionChanger } from '../../../contract/messaging/sessions.ts';
import { pageSize } from '../../../contract/shapes/paging.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { phraseOf } from '../../platform/http/error-handler.ts';
import { AppError, badRequest, conflict, notFound } from '../../platform/http/errors.ts';
import { cutPage, type Page, type PageTokens } from '../../platform/http/page-token.ts';
import { type Actor, checkUserIds } from '../accounts/accounts.ts';
import { changeLabels, findKnownLabels, labelsToAdd, sameLabels } from '../labels/labels.ts';
import { checkTeamId } from '../teams/teams.ts';
import { lockSessionStates, selectHeldSessionIds, selectSessionChanges } from './sessions.bulk.sql.ts';
import { type ChangedSession, changeLifecycle, changerOf, writeChanges } from './sessions.lifecycle.ts';
import { checkOwner } from './sessions.owner.ts';
import { type SessionState, selectSessionsByKeys } from './sessions.sql.ts';
import { isPossibleId, requireSession } from './sessions.ts';

/**
 * A few statements for all of them in one transaction, so that a customer who writes meanwhile hardly waits. A
 * conversation that cannot be changed leaves the others alone.
 */
export async function changeSessions(
  tx: Tx,
  actor: Actor,
  now: number,
  visible: string[] | null,
  { sessionIds, ...given }: SessionsBulk,
): Promise<BulkSessionResult[]> {
  const [change, expected] = [onlyMarks(given.change), onlyMarks(given.expected ?? {})];
  const { accountId } = actor;
  if (change.snoozedUntil && change.snoozedUntil <= now) {
    throw badRequest('change.snoozedUntil must be in the future');
  }
  if (change.assignedUserId !== undefined && change.assignedUserId !== null) {
    await checkUserIds(tx, accountId, [change.assignedUserId], 'change.assignedUserId');
  }
  if (change.teamId) await checkTeamId(tx, accountId, change.teamId, 'change.teamId');
  const states = await lockSessionStates(tx, accountId, sessionIds.filter(isPossibleId));
  const refusals = await refusedOwners(tx, accountId, [...states.values()], change);
  const known = await findKnownLabels(tx, accountId, labelsToAdd(change));
  const isHandled = change.needsAttention === false || change.status === 'resolved';
  const attended = [...states.values()].filter((state) => isHandled && state.needsAttention);
  const held = await selectHeldSessionIds(
    tx,
    accountId,
    attended.map(({ sessionId }) => sessionId),
  );
  const decided = new Map<string, Decided>();
  for (const sessionId of new Set(sessionIds)) {
    const state = states.get(sessionId);
    decided.set(
      sessionId,
      decide(() => {
        if (!state || (visible !== null && !visible.includes(state.kanbanId))) throw notFound('session');
        requireExpected(state, expected);
        const refusal = refusals.get(state.kanbanId);
        if (refusal) throw refusal;
        const labelIds = changeLabels(state.labelIds, change, known);
        return changeMarks(state, now, changerOf(actor), { ...change, labelIds }, held.has(sessionId));
      }),
    );
  }
  await writeChanges(
    tx,
    accountId,
    [...decided.values()].flatMap(({ changed }) => changed ?? []),
  );
  const shown = [...decided].flatMap(([id, { before }]) => (before ? { accountId, id } : []));
  const sessions = new Map(
    (await selectSessionsByKeys(tx, shown)).map(({ accountId: _, ...session }) => [
      session.sessionId,
      session,
    ]),
  );
  return sessionIds.map((sessionId): BulkSessionResult => {
    const { before, changed, error } = decided.get(sessionId)!;
    if (!before) return { sessionId, ...error! };
    const previous = marksOf(before);
    return { sessionId, status: 200, changed: changed !== null, session: sessions.get(sessionId)!, previous };
  });
}

/** A body may have other members, which are ignored. */
function onlyMarks({
  status,
  snoozedUntil,
  assignedUserId,
  teamId,
  unread,
  needsAttention,
  labelIds,
  addLabelIds,
  removeLabelIds,
}: SessionsBulk['change']): SessionsBulk['change'] {
  const labels = { labelIds, addLabelIds, removeLabelIds };
  const marks = { status, snoozedUntil, assignedUserId, teamId, unread, needsAttention, ...labels };
  return Object.fromEntries(Object.entries(marks).filter(([, value]) => value !== undefined));
}

/** By board: the same person may own the conversations of one board and not those of another. */
async function refusedOwners(
  tx: Tx,
  accountId: string,
  states: readonly SessionState[],
  change: SessionsBulk['change'],
): Promise<Map<string, AppError>> {
  const refusals = new Map<string, AppError>();
  for (const [kanbanId, [state]] of Map.groupBy(states, (one) => one.kanbanId)) {
    try {
      await checkOwner(tx, accountId, state!, change);
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      refusals.set(kanbanId, error);
    }
  }
  return refusals;
}

interface Decided {
  /** Null: rejected. */
  before: SessionState | null;
  /** Null: nothing is to be written. */
  changed: ChangedSession | null;
  error?: Pick<BulkSessionResult, 'status' | 'error' | 'message' | 'code'>;
}

function decide(rule: () => { before: SessionState; changed: ChangedSession | null }): Decided {
  try {
    return rule();
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    const { status, code, message } = error;
    return { before: null, changed: null, error: { status, error: phraseOf(status), message, code } };
  }
}

function changeMarks(
  before: SessionState,
  now: number,
  changedBy: SessionChanger,
  change: SessionsBulk['change'],
  isHeld: boolean,
): { before: SessionState; changed: ChangedSession | null } {
  const { state, change: entry } = changeLifecycle(before, now, changedBy, change);
  const isResolved = change.status === 'resolved';
  const { unread = isResolved ? 0 : before.unread } = change;
  const { needsAttention = isResolved ? false : before.needsAttention } = change;
  const after = { ...state, unread, needsAttention: needsAttention || isHeld, updatedAt: now };
  const isSame = !entry && unread === before.unread && after.needsAttention === before.needsAttention;
  return { before, changed: isSame ? null : { state: after, change: entry } };
}

function requireExpected(state: SessionState, expected: NonNullable<SessionsBulk['expected']>): void {
  const { labelIds, ...values } = expected;
  const names = Object.keys(values) as (keyof typeof values)[];
  const other = names.find((name) => values[name] !== undefined && values[name] !== state[name]);
  if (labelIds && !sameLabels(labelIds, state.labelIds)) throw conflict('labelIds has changed meanwhile');
  if (other) throw conflict(`${other} has changed meanwhile`);
}

function marksOf({
  status,
  snoozedUntil,
  assignedUserId,
  teamId,
  unread,
  needsAttention,
  labelIds,
}: SessionState): SessionMarks {
  return { status, snoozedUntil, assignedUserId, teamId, unread, needsAttention, labelIds };
}

export async function listSessionChanges(
  db: Reader,
  actor: Actor,
  visible: string[] | null,
  tokens: PageTokens,
  sessionId: string,
  query: SessionChangesQuery,
): Promise<Page<SessionChangeEntry>> {
  const { accountId } = actor;
  const scope = ['session changes', accountId, sessionId];
  const cursor = query.nextToken === undefined ? null : tokens.read(query.nextToken, scope);
  await requireSession(db, actor, visible, sessionId);
  const size = pageSize(query.limit, limits.listPage);
  const before = cursor && Number(cursor[0]);
  const rows = await selectSessionChanges(db, accountId, sessionId, before, size + 1);
  return cutPage(rows, size, (last) => tokens.issue([last.sequence], scope));
}
