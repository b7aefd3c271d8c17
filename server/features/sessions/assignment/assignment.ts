/**
 * Automatic assignment. It does not react to single changes: it looks at what waits and who is free, and assigns until
 * one of the two is used up. So no trigger can be missed, and messages cost nothing more. One transaction at a time per
 * account: it alone adds to a user's load automatically, so it never exceeds their capacity.
 */
import type { Clock } from '../../../platform/db/clock.ts';
import type { Db, Tx } from '../../../platform/db/db.ts';
import { type Definitions, type DefinitionsCache, userMaySee } from '../../kanbans/kanbans.ts';
import { system } from '../sessions.lifecycle.ts';
import { openFreeSessions } from '../sessions.open.ts';
import { setOwner } from '../sessions.owner.ts';
import type { SessionState } from '../sessions.sql.ts';
import {
  type Candidate,
  lockAssignment,
  type Place,
  selectAccountsToAssign,
  selectCandidates,
  selectWaiting,
  upsertTurns,
  type Waiting,
} from './assignment.sql.ts';

export interface AssignmentDeps {
  db: Db;
  clock: Clock;
  definitions: DefinitionsCache;
}

/** Each is locked until the commit, and the customer may be writing. */
const perTransaction = 25;
const accountsAtATime = 50;

/** Returns how many conversations got an owner. An account that fails holds up no other. */
export async function assignAll(deps: AssignmentDeps): Promise<number> {
  let count = 0;
  const failed: unknown[] = [];
  for (const accountId of await selectAccountsToAssign(deps.db, accountsAtATime)) {
    try {
      count += await assignAccount(deps, accountId);
    } catch (error) {
      failed.push(error);
    }
  }
  if (failed.length > 0) throw failed[0];
  return count;
}

async function assignAccount({ db, clock, definitions }: AssignmentDeps, accountId: string): Promise<number> {
  for (let total = 0; ; ) {
    const count = await db.transaction((tx) => assignSome(tx, clock.now(), definitions, accountId));
    total += count;
    if (count < perTransaction) return total;
  }
}

async function assignSome(
  tx: Tx,
  now: number,
  definitions: DefinitionsCache,
  accountId: string,
): Promise<number> {
  if (!(await lockAssignment(tx, accountId))) return 0;
  // After the lock: every assignment of the worker before is visible.
  const people = (await selectCandidates(tx, accountId)).filter((one) => one.open < one.capacity);
  if (people.length === 0) return 0;
  const boards = await definitions.fresh(accountId, tx);
  // Conversations that none of them may own are not read, however many wait.
  const waiting = await selectWaiting(tx, accountId, placesOf(people, boards));
  const chosen = choose(people, waiting, boards, perTransaction);
  if (chosen.length === 0) return 0;
  // Never waits: a locked conversation is tried again in the next round.
  const opened = await openFreeSessions(tx, accountId, chosen);
  const taken = chosen.filter((one, index) => {
    const state = opened[index]?.state;
    return state && stillWaits(state) && state.kanbanId === one.kanbanId && state.teamId === one.ownTeamId;
  });
  for (const { sessionId, userId } of taken) {
    const state = opened[chosen.findIndex((one) => one.sessionId === sessionId)]!.state!;
    await setOwner(tx, accountId, now, state, system, userId);
  }
  if (taken.length > 0) await upsertTurns(tx, accountId, lastTurns(taken));
  return taken.length;
}

/** Where at least one of these people may have a conversation. */
export function placesOf(
  people: readonly Pick<Candidate, 'id' | 'role' | 'teamIds'>[],
  { kanbans }: Pick<Definitions, 'kanbans'>,
): Place[] {
  return [...kanbans.values()].flatMap((kanban) => {
    const allowed = people.filter((one) => userMaySee(one, kanban));
    if (allowed.length === 0) return [];
    const teamIds = new Set(allowed.flatMap((one) => one.teamIds));
    return [null, ...teamIds].map((teamId) => ({ kanbanId: kanban.id, teamId }));
  });
}

const stillWaits = ({ status, assignedUserId, aiPaused, needsAttention }: SessionState) =>
  status === 'open' && assignedUserId === null && (aiPaused || needsAttention);

interface Chosen extends Waiting {
  userId: string;
  turn: number;
}

/** Who gets which conversation. A conversation that no available user may own waits, and does not hold up others. */
export function choose(
  candidates: readonly Candidate[],
  waiting: readonly Waiting[],
  { kanbans }: Pick<Definitions, 'kanbans'>,
  limit: number,
): Chosen[] {
  const people = candidates.map((one) => ({ ...one }));
  const chosen: Chosen[] = [];
  let turn = Math.max(0, ...people.map((one) => one.turn));
  for (const session of waiting) {
    if (chosen.length === limit) break;
    const kanban = kanbans.get(session.kanbanId);
    const fit = people.filter(
      (one) =>
        one.open < one.capacity &&
        (session.teamId === null || one.teamIds.includes(session.teamId)) &&
        (!kanban || userMaySee(one, kanban)),
    );
    const order = session.mode === 'least_busy' ? byLoad : byTurn;
    const next = fit.sort(order)[0];
    if (!next) continue;
    next.open++;
    next.turn = ++turn;
    chosen.push({ ...session, userId: next.id, turn });
  }
  return chosen;
}

const byTurn = (a: Candidate, b: Candidate) => a.turn - b.turn || (a.id < b.id ? -1 : 1);
const byLoad = (a: Candidate, b: Candidate) => a.open - b.open || byTurn(a, b);

/** Turns increase, so the last one of a user counts. */
function lastTurns(chosen: readonly Chosen[]): { userId: string; turn: number }[] {
  const turns = new Map(chosen.map(({ userId, turn }) => [userId, turn]));
  return [...turns].map(([userId, turn]) => ({ userId, turn }));
}
