/** Rules of ownership: who may own a conversation, how a person becomes its owner, and when it loses one. */
import type { SessionChanger, SessionCounts } from '../../../contract/messaging/sessions.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { badRequest } from '../../platform/http/errors.ts';
import { isId } from '../../platform/ids.ts';
import { type Actor, personOf, type SessionsOfUser } from '../accounts/accounts.ts';
import { checkTeamId } from '../teams/teams.ts';
import { changeLifecycle, changerOf, type LifecycleChange, recordChange } from './sessions.lifecycle.ts';
import { openSession } from './sessions.open.ts';
import { countByOwner, findMayOwn, selectOwnedIds } from './sessions.owner.sql.ts';
import { type SessionState, updateSession } from './sessions.sql.ts';

/** More than anyone works on. Each is locked; those beyond lose their owner without an entry in their history. */
const releasedWithHistory = 500;

/** A 400 unless the new owner may see the conversation, and the team exists. */
export async function checkOwner(
  tx: Tx,
  accountId: string,
  { kanbanId }: SessionState,
  { assignedUserId, teamId }: LifecycleChange,
): Promise<void> {
  if (teamId !== undefined) await checkTeamId(tx, accountId, teamId, 'teamId');
  if (typeof assignedUserId !== 'string') return;
  const may = isId(assignedUserId) ? await findMayOwn(tx, accountId, kanbanId, assignedUserId) : null;
  const id = assignedUserId.slice(0, 100);
  if (may === null) throw badRequest(`assignedUserId has an unknown user: ${id}`);
  if (!may) throw badRequest(`assignedUserId has someone who cannot see this board: ${id}`);
}

/**
 * A person who takes a conversation over owns it, unless it has an owner. A token is not a person. The caller
 * writes the returned state.
 */
export async function assignTaker(
  tx: Tx,
  actor: Actor,
  now: number,
  state: SessionState,
): Promise<SessionState> {
  if (actor.kind !== 'user' || state.assignedUserId !== null) return state;
  const changed = changeLifecycle(state, now, changerOf(actor), { assignedUserId: actor.id });
  await recordChange(tx, actor.accountId, changed);
  return changed.state;
}

/** After a move to another board. The caller writes the returned state. */
export async function releaseIfHidden(
  tx: Tx,
  actor: Actor,
  now: number,
  state: SessionState,
): Promise<SessionState> {
  const { assignedUserId, kanbanId } = state;
  if (assignedUserId === null) return state;
  if (await findMayOwn(tx, actor.accountId, kanbanId, assignedUserId)) return state;
  const changed = changeLifecycle(state, now, changerOf(actor), { assignedUserId: null });
  await recordChange(tx, actor.accountId, changed);
  return changed.state;
}

/** Locks the conversation and takes its owner away, if `isDue` still holds then. */
export async function releaseSession(
  tx: Tx,
  actor: Actor,
  now: number,
  sessionId: string,
  isDue: (state: SessionState) => boolean | Promise<boolean>,
): Promise<void> {
  const { state } = await openSession(tx, actor.accountId, sessionId);
  if (!state?.assignedUserId || !(await isDue(state))) return;
  await setOwner(tx, actor.accountId, now, state, changerOf(actor), null);
}

/** Of a conversation that is open for writing. */
export async function setOwner(
  tx: Tx,
  accountId: string,
  now: number,
  state: SessionState,
  changedBy: SessionChanger,
  assignedUserId: string | null,
): Promise<void> {
  const changed = changeLifecycle(state, now, changedBy, { assignedUserId });
  await updateSession(tx, accountId, changed.state);
  await recordChange(tx, accountId, changed);
}

export const sessionsOfUser: SessionsOfUser = {
  async release(tx, actor, now, userId) {
    for (const id of await selectOwnedIds(tx, actor.accountId, userId, releasedWithHistory)) {
      await releaseSession(tx, actor, now, id, (state) => state.assignedUserId === userId);
    }
  },
};

export function countSessions(db: Reader, actor: Actor, visible: string[] | null): Promise<SessionCounts> {
  return countByOwner(db, actor.accountId, visible, personOf(actor)?.id ?? null);
}
