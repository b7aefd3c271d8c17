import type { SlaKind, SlaPolicy } from '../../../contract/service-levels.ts';
import { isServedHere } from '../../platform/cells/move/served-here.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { jobKind } from '../../platform/jobs/job-kinds.ts';
import { hasJob } from '../../platform/jobs/jobs.ts';
import { isActive } from '../../platform/jobs/suspended.ts';
import type { StoredSla } from '../sessions/sessions.ts';
import type { Happening, Outcome, StoredTargets } from './service-levels.targets.ts';

/** Of a conversation whose targets could not be computed. */
export const serviceLevelsJobKind = jobKind('service-levels');

export interface StoredPolicy {
  id: string;
  name: string;
  order: number;
  filter: SlaPolicy['filter'];
  firstResponseMinutes: number | null;
  nextResponseMinutes: number | null;
  resolutionMinutes: number | null;
  hoursId: string | null;
  pauseWhileSnoozed: boolean;
  pauseWhileWaitingForCustomer: boolean;
  aiCounts: boolean;
  warnBeforeMinutes: number;
}

const policyColumns = sql`id, name, rank as "order", filter, first_response_minutes as "firstResponseMinutes",
  next_response_minutes as "nextResponseMinutes", resolution_minutes as "resolutionMinutes", hours_id as "hoursId",
  pause_while_snoozed as "pauseWhileSnoozed", pause_while_waiting as "pauseWhileWaitingForCustomer",
  ai_counts as "aiCounts", warn_before_minutes as "warnBeforeMinutes"`;

/** In the order in which they are tried. */
export async function selectPolicies(db: Reader, accountId: string): Promise<StoredPolicy[]> {
  return db.query<StoredPolicy>(sql`
    select ${policyColumns} from sla_policies where account_id = ${accountId} order by rank, id`);
}

export async function findPolicy(db: Reader, accountId: string, id: string): Promise<StoredPolicy | null> {
  const [row] = await db.query<StoredPolicy>(sql`
    select ${policyColumns} from sla_policies where account_id = ${accountId} and id = ${id}`);
  return row ?? null;
}

export async function upsertPolicy(tx: Tx, accountId: string, policy: StoredPolicy): Promise<void> {
  await tx.query(sql`
    insert into sla_policies (account_id, id, name, rank, filter, first_response_minutes, next_response_minutes,
      resolution_minutes, hours_id, pause_while_snoozed, pause_while_waiting, ai_counts, warn_before_minutes)
    values (${accountId}, ${policy.id}, ${policy.name}, ${policy.order},
      ${policy.filter && JSON.stringify(policy.filter)}::jsonb, ${policy.firstResponseMinutes},
      ${policy.nextResponseMinutes}, ${policy.resolutionMinutes}, ${policy.hoursId}, ${policy.pauseWhileSnoozed},
      ${policy.pauseWhileWaitingForCustomer}, ${policy.aiCounts}, ${policy.warnBeforeMinutes})
    on conflict (account_id, id) do update set name = excluded.name, rank = excluded.rank, filter = excluded.filter,
      first_response_minutes = excluded.first_response_minutes,
      next_response_minutes = excluded.next_response_minutes, resolution_minutes = excluded.resolution_minutes,
      hours_id = excluded.hours_id, pause_while_snoozed = excluded.pause_while_snoozed,
      pause_while_waiting = excluded.pause_while_waiting, ai_counts = excluded.ai_counts,
      warn_before_minutes = excluded.warn_before_minutes`);
}

export async function deletePolicy(tx: Tx, accountId: string, id: string): Promise<void> {
  await tx.query(sql`delete from sla_policies where account_id = ${accountId} and id = ${id}`);
}

/** Also those whose filter names the hours. */
export async function selectPoliciesWithHours(
  db: Reader,
  accountId: string,
  hoursId: string,
): Promise<{ id: string; name: string }[]> {
  return db.query<{ id: string; name: string }>(sql`
    select id, name from sla_policies
    where account_id = ${accountId} and (hours_id = ${hoursId} or strpos(filter::text, ${hoursId}::text) > 0)
    order by rank, id`);
}

// --- passes: a changed policy reaches open conversations ---------------------------------------------

export async function requestPass(tx: Tx, accountId: string, now: number): Promise<void> {
  await tx.query(sql`
    insert into sla_passes (account_id, rounds, since, run_at) values (${accountId}, 2, ${now}, ${now})
    on conflict (account_id) do update set after = '', rounds = 2, since = excluded.since, run_at = excluded.run_at`);
}

const nowMs = sql`(extract(epoch from now()) * 1000)::bigint`;
const worksHere = (account: Sql) => sql`${isServedHere(account)} and ${isActive(account)}`;
const isPassDue = (now: Sql) => sql`run_at <= ${now} and ${worksHere(sql`sla_passes.account_id`)}`;

export interface DuePass {
  accountId: string;
  /** The last conversation that has the changed policy. */
  after: string;
  rounds: number;
  since: number;
}

export async function selectDuePasses(db: Reader, now: number): Promise<DuePass[]> {
  return db.query<DuePass>(sql`
    select account_id as "accountId", after, rounds, since from sla_passes where ${isPassDue(sql`${now}::bigint`)}
    order by run_at limit 20`);
}

export async function selectOpenSessionIds(
  db: Reader,
  accountId: string,
  after: string,
  limit: number,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select session_id as id from sessions
    where account_id = ${accountId} and session_id > ${after} and status <> 'resolved'
    order by session_id limit ${limit}`);
  return rows.map(({ id }) => id);
}

/** Unless the policies have changed again, or another process was faster. */
export async function savePass(
  tx: Tx,
  accountId: string,
  before: Omit<DuePass, 'accountId'>,
  { after, rounds, runAt }: { after: string; rounds: number; runAt: number },
): Promise<void> {
  const isSame = sql`account_id = ${accountId} and after = ${before.after} and rounds = ${before.rounds}
    and since = ${before.since}`;
  if (rounds === 0) await tx.query(sql`delete from sla_passes where ${isSame}`);
  else {
    await tx.query(sql`
      update sla_passes set after = ${after}, rounds = ${rounds}, run_at = ${runAt} where ${isSame}`);
  }
}

// --- conversations that changed, and targets that are due -------------------------------------------

export interface QueuedSession {
  id: string;
  accountId: string;
  sessionId: string;
  since: number | null;
}

const isQueued = worksHere(sql`sla_queue.account_id`);
const isDue = (now: Sql) => sql`sla_at < ${now} and ${worksHere(sql`sessions.account_id`)}
  and not ${hasJob(sql`sessions.account_id`, serviceLevelsJobKind, sql`sessions.session_id`)}`;

/** An expression: whether there is anything to do. */
export const hasWork = sql`(exists (select from sla_queue where ${isQueued})
  or exists (select from sessions where ${isDue(nowMs)}) or exists (select from sla_passes where ${isPassDue(nowMs)}))`;

export async function selectQueue(db: Reader, limit: number): Promise<QueuedSession[]> {
  return db.query<QueuedSession>(sql`
    select id, account_id as "accountId", session_id as "sessionId", since from sla_queue
    where ${isQueued} order by seq limit ${limit}`);
}

export async function deleteQueued(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.query(sql`delete from sla_queue where id = any(${ids}::uuid[])`);
}

export async function selectDue(
  db: Reader,
  now: number,
  limit: number,
): Promise<{ accountId: string; sessionId: string }[]> {
  return db.query(sql`
    select account_id as "accountId", session_id as "sessionId" from sessions
    where ${isDue(sql`${now}::bigint`)} order by sla_at limit ${limit}`);
}

/** False: another process computes targets of the account at this moment. */
export async function lockServiceLevels(tx: Tx, accountId: string): Promise<boolean> {
  const [row] = await tx.query<{ locked: boolean }>(sql`
    select pg_try_advisory_xact_lock(hashtextextended(${accountId}::text || '/service-levels', 0)) as locked`);
  return row!.locked;
}

export interface KnownTargets {
  sessionId: string;
  state: StoredTargets | null;
  sla: StoredSla | null;
  slaAt: number | null;
  slaDue: number | null;
}

/** Of conversations that are locked. */
export async function selectKnown(
  tx: Tx,
  accountId: string,
  sessionIds: readonly string[],
): Promise<KnownTargets[]> {
  return tx.query<KnownTargets>(sql`
    select s.session_id as "sessionId", t.state, s.sla, s.sla_at as "slaAt", s.sla_due as "slaDue"
    from sessions s left join sla_states t on t.account_id = s.account_id and t.session_id = s.session_id
    where s.account_id = ${accountId} and s.session_id = any(${sessionIds}::text[])`);
}

export type HistoryEntry = (Happening | { type: 'held'; at: number }) & {
  sessionId: string;
  isAi: boolean;
  place: number;
};

/**
 * What happened after these positions, in order: messages of customers, answers, and changes of the status; and replies that
 * are held, or were at that time. Of a message and a change at the same moment the message comes first: it reopened the
 * conversation, or was sent with its resolution.
 */
export async function selectHistory(
  tx: Tx,
  accountId: string,
  from: readonly { sessionId: string; position: number; sequence: number; held?: number[] }[],
): Promise<HistoryEntry[]> {
  return tx.query<HistoryEntry>(sql`
    with wanted as (
      select "sessionId" as session_id, position, sequence, coalesce(held, '[]') as held
      from json_to_recordset(${JSON.stringify(from)}::json) as f ("sessionId" text, position bigint, sequence int, held jsonb)
    ), replies_held as (
      select m.session_id, m.held, m.position, m.updated_at, m.created_at
      from wanted w join messages m on m.account_id = ${accountId} and m.session_id = w.session_id
        and m.held and m.position > w.position
      union all
      select m.session_id, m.held, m.position, m.updated_at, m.created_at
      from wanted w cross join lateral jsonb_array_elements_text(w.held) h (position)
      join messages m on m.account_id = ${accountId} and m.session_id = w.session_id and m.position = h.position::int
    )
    select m.session_id as "sessionId",
      case when m.role = 'user' and not m.is_echo then 'customer' else 'answer' end as type, m.created_at as at,
      case when m.role = 'operator' and u.id is not null then m.operator_id end as "userId", null as status,
      m.role = 'assistant' and not m.is_echo as "isAi", 0 as part, m.position as place
    from wanted w join messages m
      on m.account_id = ${accountId} and m.session_id = w.session_id and m.position > w.position
    left join users u on u.account_id = m.account_id and u.id::text = m.operator_id
    where not m.is_note and not m.held and not m.by_rule and m.role <> 'system'
    union all
    select c.session_id, 'status', c.at, c.changed_by ->> 'id', f.value ->> 'newValue', false, 1, c.sequence
    from wanted w join session_changes c
      on c.account_id = ${accountId} and c.session_id = w.session_id and c.sequence > w.sequence
    cross join lateral jsonb_array_elements(c.changes) f
    where f.value ->> 'field' = 'status'
    union all
    select h.session_id, case when h.held then 'held' else 'answer' end, case when h.held then h.created_at else h.updated_at end,
      null, null, true, 0, h.position
    from replies_held h
    order by at, part, place`);
}

export async function saveStates(
  tx: Tx,
  accountId: string,
  states: readonly { sessionId: string; state: StoredTargets }[],
): Promise<void> {
  if (states.length === 0) return;
  await tx.query(sql`
    insert into sla_states (account_id, session_id, state)
    select ${accountId}::uuid, g."sessionId", g.state
    from json_to_recordset(${JSON.stringify(states)}::json) as g ("sessionId" text, state jsonb)
    on conflict (account_id, session_id) do update set state = excluded.state`);
}

export async function deleteStates(tx: Tx, accountId: string, sessionIds: readonly string[]): Promise<void> {
  await tx.query(sql`
    delete from sla_states where account_id = ${accountId} and session_id = any(${sessionIds}::text[])`);
}

export interface Result extends Pick<Outcome, 'startedAt' | 'dueAt' | 'at' | 'userId'> {
  sessionId: string;
  kind: SlaKind;
  outcome: 'met' | 'breached';
  policyId: string;
  channelId: string;
  teamId: string | null;
}

/** A target has one result. */
export async function insertResults(tx: Tx, accountId: string, results: readonly Result[]): Promise<void> {
  if (results.length === 0) return;
  await tx.query(sql`
    insert into sla_results (account_id, session_id, kind, started_at, policy_id, outcome, at, due_at, channel_id,
      team_id, user_id)
    select ${accountId}::uuid, g."sessionId", g.kind, g."startedAt", g."policyId", g.outcome, g.at, g."dueAt",
      g."channelId", g."teamId", g."userId"
    from json_to_recordset(${JSON.stringify(results)}::json) as g ("sessionId" text, kind text, "startedAt" bigint,
      "policyId" uuid, outcome text, at bigint, "dueAt" bigint, "channelId" uuid, "teamId" uuid, "userId" uuid)
    on conflict do nothing`);
}
