/**
 * Brings the targets of conversations up to date: what happened since the last time, the policy that applies now, and what
 * is due. It reads the history under the conversation's lock, so it may run late, twice or after a crash: the
 * targets are the same, and each is told and counted once.
 */
import { isDeepStrictEqual } from 'node:util';
import { slaKinds } from '../../../contract/service-levels.ts';
import type { Tx } from '../../platform/db/db.ts';
import { noteLiveChange } from '../../platform/events/live-changes.ts';
import { emitAllFrozen, type FrozenEvent, freeze } from '../../platform/events/outbox.ts';
import { isOpen, listHours } from '../business-hours/business-hours.ts';
import { Conditions, evaluate, loadSubjects } from '../conditions/conditions.ts';
import type { DefinitionsCache } from '../kanbans/kanbans.ts';
import { lockSessionStates, type SessionState, type StoredSla, updateSla } from '../sessions/sessions.ts';
import {
  deleteStates,
  type HistoryEntry,
  insertResults,
  type KnownTargets,
  type Result,
  type StoredPolicy,
  saveStates,
  selectHistory,
  selectKnown,
  selectPolicies,
} from './service-levels.sql.ts';
import {
  type AppliedPolicy,
  type Happening,
  noTargets,
  type Outcome,
  type PolicyTerms,
  type StoredTarget,
  type StoredTargets,
  Targets,
} from './service-levels.targets.ts';

/** What the filter of a policy may be about. */
export const filterKinds = ['session', 'contact'] as const;

export interface SettleDeps {
  definitions: Pick<DefinitionsCache, 'fresh'>;
}

export interface Wanted {
  sessionId: string;
  /** Of one that is not followed yet: from when on its targets count. */
  since: number;
}

export async function settle(
  tx: Tx,
  deps: SettleDeps,
  accountId: string,
  wanted: readonly Wanted[],
  now: number,
): Promise<void> {
  const since = new Map<string, number>();
  for (const one of wanted) {
    since.set(one.sessionId, Math.min(one.since, since.get(one.sessionId) ?? Infinity));
  }
  const states = await lockSessionStates(tx, accountId, [...since.keys()]);
  const known = await selectKnown(tx, accountId, [...states.keys()]);
  const policies = await selectPolicies(tx, accountId);
  if (policies.length === 0) return forget(tx, accountId, known, states);
  const history = Map.groupBy(
    await selectHistory(
      tx,
      accountId,
      known.map(({ sessionId, state }) => ({ sessionId, ...(state ?? noTargets) })),
    ),
    ({ sessionId }) => sessionId,
  );
  const applied = await choosePolicies(tx, deps, accountId, policies, [...states.keys()], now);
  const settled = known.map((one) =>
    settleOne(one, states.get(one.sessionId)!, {
      applied: applied.get(one.sessionId) ?? null,
      history: history.get(one.sessionId) ?? [],
      since: since.get(one.sessionId)!,
      now,
    }),
  );
  await write(tx, accountId, settled, now);
}

/** The account has no policies any more. */
async function forget(
  tx: Tx,
  accountId: string,
  known: readonly KnownTargets[],
  states: ReadonlyMap<string, SessionState>,
): Promise<void> {
  const followed = known.filter(({ sla }) => sla !== null);
  await updateSla(
    tx,
    accountId,
    followed.map(({ sessionId }) => {
      const { eventSequence } = states.get(sessionId)!;
      return { sessionId, sla: null, slaAt: null, slaDue: null, eventSequence };
    }),
  );
  await deleteStates(
    tx,
    accountId,
    followed.map(({ sessionId }) => sessionId),
  );
}

/** Of each conversation the first policy that matches it. */
async function choosePolicies(
  tx: Tx,
  { definitions }: SettleDeps,
  accountId: string,
  policies: readonly StoredPolicy[],
  sessionIds: readonly string[],
  now: number,
): Promise<Map<string, AppliedPolicy>> {
  const hours = new Map((await listHours(tx, accountId)).map((one) => [one.id, one]));
  const fieldOf = () => undefined;
  const read = policies.map((policy) => ({
    applied: { policy, hours: policy.hoursId === null ? null : (hours.get(policy.hoursId) ?? null) },
    conditions: policy.filter && new Conditions(policy.filter, 'filter', { fieldOf, kinds: filterKinds }),
  }));
  const filters = read.map(({ conditions }) => conditions);
  const subjects = filters.some((one) => one !== null)
    ? await loadSubjects(
        tx,
        accountId,
        await definitions.fresh(accountId, tx),
        sessionIds.map((sessionId) => ({ sessionId })),
        filters,
      )
    : null;
  const isOpenAt = (hoursId: string, at: number) => {
    const one = hours.get(hoursId);
    return one ? isOpen(one, at) : null;
  };
  const chosen = new Map<string, AppliedPolicy>();
  for (const [index, sessionId] of sessionIds.entries()) {
    for (const { applied, conditions } of read) {
      const { matched } =
        conditions === null
          ? { matched: true }
          : await evaluate(conditions, subjects![index]!, now, { fieldOf, isOpen: isOpenAt });
      if (!matched) continue;
      chosen.set(sessionId, applied);
      break;
    }
  }
  return chosen;
}

interface Settled {
  session: SessionState;
  before: KnownTargets;
  state: StoredTargets;
  sla: StoredSla;
  slaAt: number | null;
  slaDue: number | null;
  outcomes: readonly Outcome[];
  policy: PolicyTerms | null;
}

function settleOne(
  before: KnownTargets,
  session: SessionState,
  parts: { applied: AppliedPolicy | null; history: readonly HistoryEntry[]; since: number; now: number },
): Settled {
  const { applied, since, now } = parts;
  const held = parts.history.filter(({ type }) => type === 'held').map(({ place }) => place);
  const history = parts.history
    .filter((one): one is HistoryEntry & Happening => one.type !== 'held')
    .filter(({ isAi }) => !isAi || applied?.policy.aiCounts);
  const isNew = before.state === null;
  const targets = new Targets(before.state ?? noTargets, isNew ? null : applied);
  // What was before anybody followed the conversation only says what is open.
  const past = isNew ? history.filter(({ at }) => at < since) : [];
  if (isNew) targets.begin(session.createdAt);
  for (const one of past) targets.add(one);
  if (isNew) targets.apply(applied, since);
  for (const one of history.slice(past.length)) targets.add(one);
  // Such as of a conversation that is older than its history.
  if (targets.status !== session.status) {
    const { status, statusChangedAt } = session;
    targets.add({ type: 'status', at: statusChangedAt ?? now, status });
  }
  targets.apply(applied, now);
  const state = targets.result(session.messageCount, session.eventSequence, held);
  const open = state.targets.filter(({ endedAt, minutes }) => endedAt === null && minutes !== null);
  const running = open.filter((one) => one.state === 'running');
  return {
    session,
    before,
    state,
    sla: applied ? shown(applied, state.targets) : {},
    slaAt: earliest(running.flatMap(({ warnAt, dueAt }) => [warnAt, dueAt])),
    slaDue: earliest(open.map(({ dueAt }) => dueAt)),
    outcomes: targets.outcomes,
    policy: applied?.policy ?? null,
  };
}

function shown({ policy: { id, hoursId } }: AppliedPolicy, targets: readonly StoredTarget[]): StoredSla {
  return {
    policyId: id,
    hoursId,
    targets: slaKinds.flatMap((kind) => {
      const target = targets.find((one) => one.kind === kind);
      if (!target || target.minutes === null) return [];
      const { dueAt, state, minutes } = target;
      // With hours that never open again.
      const left = state === 'running' && dueAt === null ? minutes : target.left;
      return [{ kind, dueAt, state, left }];
    }),
  };
}

const earliest = (times: readonly (number | null)[]): number | null => {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.min(...known);
};

async function write(tx: Tx, accountId: string, settled: readonly Settled[], now: number): Promise<void> {
  const events: FrozenEvent[] = [];
  const results: Result[] = [];
  const updates = settled.flatMap((one) => {
    const { session, sla, slaAt, slaDue, before } = one;
    const told = one.policy ? one.outcomes.filter(({ type }) => type !== 'met') : [];
    const eventSequence = session.eventSequence + told.length;
    told.forEach((outcome, index) => {
      events.push(eventOf(accountId, one, outcome, session.eventSequence + index + 1, now));
    });
    results.push(...resultsOf(one));
    const isSame = isDeepStrictEqual([sla, slaAt, slaDue], [before.sla, before.slaAt, before.slaDue]);
    if (isSame && told.length === 0) return [];
    return [{ sessionId: session.sessionId, sla, slaAt, slaDue, eventSequence }];
  });
  await updateSla(tx, accountId, updates);
  await saveStates(
    tx,
    accountId,
    settled
      .filter(({ state, before }) => !isDeepStrictEqual(state, before.state))
      .map(({ session: { sessionId }, state }) => ({ sessionId, state })),
  );
  await insertResults(tx, accountId, results);
  if (events.length === 0) return;
  await emitAllFrozen(tx, events);
  for (const { session, outcomes } of settled) {
    for (const { type, kind } of outcomes) {
      if (type === 'met') continue;
      await noteLiveChange(tx, accountId, {
        type: `sla.${type}`,
        subjectId: session.sessionId,
        detail: kind,
      });
    }
  }
}

function eventOf(
  accountId: string,
  { session: { sessionId, channelId, kanbanId }, policy }: Settled,
  { type, kind, dueAt }: Outcome,
  sequence: number,
  now: number,
): FrozenEvent {
  return freeze({
    event: type === 'warning' ? 'sla_warning' : 'sla_breached',
    accountId,
    subjectId: sessionId,
    sequence,
    kanbanId,
    fieldId: null,
    data: { sessionId, channelId, policyId: policy!.id, kind, dueAt },
    timestamp: now,
  });
}

function resultsOf({ session, policy, outcomes }: Settled): Result[] {
  const { sessionId, channelId, teamId, assignedUserId } = session;
  return outcomes.flatMap(({ type, kind, startedAt, dueAt, at, userId }) =>
    type === 'warning' || policy === null
      ? []
      : [
          {
            sessionId,
            kind,
            startedAt,
            outcome: type,
            policyId: policy.id,
            at,
            dueAt,
            channelId,
            teamId,
            userId: userId ?? assignedUserId,
          },
        ],
  );
}
