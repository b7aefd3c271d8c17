/**
 * Causes: what rules may run for. Triggers write them with the change (migrations/0128_automation_verdicts.sql), and they go
 * when they have been worked on: what is kept is their verdicts.
 */
import type { CauseType } from '../../../contract/automation/runs.ts';
import { isServedHere } from '../../platform/cells/move/served-here.ts';
import { createSharedStatement } from '../../platform/concurrency/shared-statements.ts';
import type { Db, Reader, Tx } from '../../platform/db/db.ts';
import { jsonSeparator, plainList, sql } from '../../platform/db/sql.ts';
import { newId } from '../../platform/ids.ts';
import { claimed, type LeasedTable } from '../../platform/jobs/leases.ts';
import { LeaseLost } from '../../platform/jobs/process-row.ts';
import { isActive } from '../../platform/jobs/suspended.ts';
import { packVerdicts, type StoredVerdict } from './automations.verdicts.sql.ts';

/** A cause at work is never due. */
export const causeTable: LeasedTable = {
  name: sql`automation_causes`,
  holder: sql`lease_token`,
  isHeld: sql`t.is_open and t.ready_at = 'infinity'`,
  whenClaimed: [sql`attempts = t.attempts + 1`, sql`ready_at = 'infinity'`],
  whenFreed: [sql`ready_at = now()`],
};

/** One chain of rules whose steps led to each other. */
export interface ChainLink {
  ruleId: string;
  name: string;
  /** What the rule did that the next one listens to; null: of the last one. */
  event: string | null;
}

export interface CauseRow {
  accountId: string;
  seq: number;
  id: string;
  /** `run`: a run goes on. */
  type: CauseType | 'run';
  sourceId: string;
  subject: string;
  sessionId: string | null;
  recordId: string | null;
  triggers: string[];
  ruleId: string | null;
  runId: string | null;
  chain: ChainLink[] | null;
  detail: CauseDetail | null;
  payload: unknown;
  at: number;
  attempts: number;
  verdicts: StoredVerdict[];
  leaseToken: string;
  /** Of the account's rules, when it was claimed. */
  rulesVersion: number | null;
}

/** What triggers ask about the change. */
export interface CauseDetail {
  changes?: { field: string; oldValue: unknown; newValue: unknown }[];
  kanbanId?: string;
  fieldId?: string;
  from?: string;
  to?: string;
  score?: number;
  taskId?: string;
  /** Of a timer: what it was about, to see whether that is still so. */
  period?: string;
  /** Of a hook whose payload names nothing that is there. */
  isSubjectMissing?: boolean;
  /** Of a schedule: how many more it found than it may go over. */
  left?: number;
}

const columns = sql`t.account_id as "accountId", t.seq, t.id, t.type, t.source_id as "sourceId", t.subject,
  t.session_id as "sessionId", t.record_id as "recordId", t.triggers, t.rule_id as "ruleId", t.run_id as "runId",
  t.chain, t.detail, t.payload, t.at, t.attempts, t.verdicts, t.lease_token as "leaseToken",
  (select l.version from automation_listeners l where l.account_id = t.account_id) as "rulesVersion"`;

const isDue = sql`exists (select from automation_causes c where c.is_open and c.ready_at <= now())`;

export interface CauseWork {
  isDue: boolean;
  /** Whether any rule of this database listens to changes. */
  isListening: boolean;
}

/** Whether anything may be claimed: an idle process asks only this. */
export const causeWork = sql`(json_build_object('isDue', ${isDue},
  'isListening', exists (select from automation_listeners where triggers <> '{}')))`;

/** Far less than a claim. */
export async function hasClaimable(db: Reader): Promise<boolean> {
  const [row] = await db.query<{ isDue: boolean }>(sql`select ${isDue} as "isDue"`);
  return row!.isDue;
}

/** A cause that this transaction has locked. */
export interface DueCause extends CauseRow {
  place: string;
}

/** In their order, those of schedules last; of each subject only the first. Those that others have locked are left out. */
export async function lockDue(tx: Tx, limit: number): Promise<DueCause[]> {
  return tx.query<DueCause>(sql`
    select t.ctid as place, ${columns} from automation_causes t
    where t.is_open and t.ready_at <= now()
      and not exists (select from automation_causes earlier
        where earlier.account_id = t.account_id and earlier.subject = t.subject and earlier.is_open and earlier.seq < t.seq)
      and ${isServedHere(sql`t.account_id`)} and ${isActive(sql`t.account_id`)}
    order by t.is_bulk, t.seq limit ${limit} for update of t skip locked`);
}

/** Of those that this transaction has locked. */
export async function leaseCauses(tx: Tx, token: string, causes: readonly DueCause[]): Promise<CauseRow[]> {
  const due = sql`select n.place from unnest(${causes.map(({ place }) => place)}::tid[]) as n (place)`;
  return tx.query<CauseRow>(
    sql`with ${claimed(causeTable, token, due, columns)} select * from claimed order by seq`,
  );
}

export interface Missed {
  cause: DueCause;
  verdicts: readonly StoredVerdict[];
}

/** Ends causes that this transaction has locked. One that no rule was evaluated for leaves nothing. */
export async function endMissed(tx: Tx, missed: readonly Missed[]): Promise<void> {
  const ruleIds = missed.map(({ verdicts }) => plainList(verdicts.map(({ ruleId }) => ruleId)));
  const packed = missed.map(({ verdicts }) => packVerdicts(verdicts)).join(jsonSeparator);
  await tx.query(sql`
    with missed as (
      select * from unnest(${missed.map(({ cause }) => cause.place)}::tid[], ${ruleIds}::text[],
        string_to_array(${packed}, ${jsonSeparator})) as m (place, rule_ids, packed)
    ), gone as (
      delete from automation_causes c using missed m where c.ctid = m.place
      returning c.account_id, c.seq, c.id, c.type, c.source_id, c.subject, c.session_id, c.record_id, c.at, m.rule_ids,
        m.packed)
    insert into automation_verdicts (account_id, id, type, source_id, subject, session_id, record_id, at, rule_ids,
      matched_ids, packed)
    select account_id, id, type, source_id, subject, session_id, record_id, at, rule_ids::uuid[], '{}', packed
    from gone where rule_ids <> '{}' order by seq`);
}

/** Part of each transaction that works on the cause: another process may have it by now. */
export async function keepCause(tx: Tx, cause: CauseRow): Promise<void> {
  const kept = await tx.query(sql`
    select from automation_causes
    where account_id = ${cause.accountId} and subject = ${cause.subject} and id = ${cause.id} and is_open
      and lease_token = ${cause.leaseToken} for update`);
  if (kept.length === 0) throw new LeaseLost('another worker has this cause');
}

/** Also the misses before it, so that a crash evaluates no rule again. */
export async function addVerdicts(
  tx: Tx,
  cause: CauseRow,
  verdicts: readonly StoredVerdict[],
): Promise<void> {
  await tx.query(sql`
    update automation_causes set verdicts = verdicts || ${JSON.stringify(verdicts)}::jsonb
    where account_id = ${cause.accountId} and subject = ${cause.subject} and id = ${cause.id}`);
}

interface Ending {
  cause: CauseRow;
  /** Those that are not stored yet. */
  verdicts: readonly StoredVerdict[];
}

const endedAtOnce = 200;

/** A cause that no rule was evaluated for leaves nothing. False: another worker has it. */
export const closeCause = createSharedStatement(endedAtOnce, async (db, endings: readonly Ending[]) => {
  const rows = endings.map(({ cause, verdicts }) => ({
    a: cause.accountId,
    s: cause.subject,
    i: cause.id,
    t: cause.leaseToken,
    v: verdicts,
  }));
  const ended = await db.autocommit<{ id: string }>(
    sql`
    with ended as (
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as e (a uuid, s text, i uuid, t uuid, v jsonb)
    ), gone as (
      delete from automation_causes c using ended
      where c.account_id = ended.a and c.subject = ended.s and c.id = ended.i and c.lease_token = ended.t
      returning c.account_id, c.seq, c.id, c.type, c.source_id, c.subject, c.session_id, c.record_id, c.at,
        c.verdicts || ended.v as verdicts
    ), kept as (
      insert into automation_verdicts (account_id, id, type, source_id, subject, session_id, record_id, at, rule_ids,
        matched_ids, packed)
      select account_id, id, type, source_id, subject, session_id, record_id, at, p.rule_ids, p.matched_ids, p.packed
      from gone cross join lateral packed_verdicts(gone.verdicts) p where gone.verdicts <> '[]' order by seq)
    select id from gone`,
    { isSilent: true },
  );
  const ids = new Set(ended.map(({ id }) => id));
  return endings.map(({ cause }) => ids.has(cause.id));
});

/** In the transaction of what it was for. */
export async function endCause(tx: Tx, cause: CauseRow): Promise<void> {
  const ended = await tx.query(sql`
    delete from automation_causes
    where account_id = ${cause.accountId} and subject = ${cause.subject} and id = ${cause.id} and lease_token = ${cause.leaseToken}
    returning 1`);
  if (ended.length === 0) throw new LeaseLost('another worker has this cause');
}

/** One cause of a rule for each subject, after all others. */
export async function insertScheduled(
  tx: Tx,
  { accountId, ruleId, sourceId }: CauseRow,
  subjects: readonly { sessionId: string | null; recordId: string | null }[],
  left: number,
): Promise<void> {
  const detail = left > 0 ? JSON.stringify({ left }) : null;
  await tx.query(
    sql`
    insert into automation_causes (account_id, type, source_id, subject, session_id, record_id, triggers, rule_id, detail,
      is_bulk)
    select ${accountId}::uuid, 'timer', ${sourceId}, coalesce('s:' || n.session_id, 'r:' || n.record_id), n.session_id,
      n.record_id, '{due}', ${ruleId}::uuid, ${detail}::jsonb, true
    from unnest(${subjects.map(({ sessionId }) => sessionId)}::text[],
      ${subjects.map(({ recordId }) => recordId)}::uuid[]) with ordinality as n (session_id, record_id, place)
    order by n.place`,
    { timeoutMs: 60_000 },
  );
}

/** It has not ended, and is tried again. */
export async function releaseCause(
  db: Db,
  cause: CauseRow,
  waitMs: number,
  isCounted: boolean,
): Promise<void> {
  await db.autocommit(
    sql`
    update automation_causes set lease_token = null, ready_at = now() + make_interval(secs => ${waitMs / 1000}::float8),
      attempts = case when ${isCounted} then attempts else greatest(attempts - 1, 0) end
    where account_id = ${cause.accountId} and subject = ${cause.subject} and id = ${cause.id}
      and lease_token = ${cause.leaseToken}`,
    { isSilent: true },
  );
}

export interface NewCause {
  accountId: string;
  type: CauseRow['type'];
  subject: string;
  sessionId?: string | null;
  recordId?: string | null;
  triggers: readonly string[];
  ruleId?: string | null;
  runId?: string | null;
  detail?: CauseDetail | null;
  payload?: unknown;
  /** Left out: the id of the cause. */
  sourceId?: string;
}

/** Returns its id. */
export async function insertCause(tx: Tx, cause: NewCause): Promise<string> {
  const id = newId();
  await tx.query(sql`
    insert into automation_causes (account_id, id, type, source_id, subject, session_id, record_id, triggers, rule_id,
      run_id, detail, payload)
    values (${cause.accountId}, ${id}, ${cause.type}, ${cause.sourceId ?? id}, ${cause.subject},
      ${cause.sessionId ?? null}, ${cause.recordId ?? null}, ${[...cause.triggers]}::text[], ${cause.ruleId ?? null},
      ${cause.runId ?? null}, ${cause.detail ? JSON.stringify(cause.detail) : null}::jsonb,
      ${cause.payload === undefined ? null : JSON.stringify(cause.payload)}::jsonb)`);
  return id;
}
