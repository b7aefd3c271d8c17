/** What rules said about causes: one row for each cause with the verdicts of all its rules. */
import type { MissedCondition } from '../../../contract/automation/conditions.ts';
import type { CauseType } from '../../../contract/automation/runs.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { empty, type Sql, sql } from '../../platform/db/sql.ts';

export interface StoredVerdict {
  ruleId: string;
  version: number;
  matched: boolean;
  reason: string | null;
  /** Absent when a condition is not the reason. */
  missed?: MissedCondition;
  runId: string | null;
  at: number;
}

type Packed = [
  version: number,
  at: number,
  reason: string | null,
  runId: string | null,
  missed?: MissedCondition | null,
];

/** A text of JSON without the ids of the rules: PostgreSQL reads only those. */
export const packVerdicts = (verdicts: readonly StoredVerdict[]): string =>
  JSON.stringify(
    verdicts.map(
      ({ version, at, reason, runId, missed }): Packed =>
        missed ? [version, at, reason, runId, missed] : [version, at, reason, runId],
    ),
  );

const unpacked = (ruleIds: readonly string[], packed: string): StoredVerdict[] =>
  (JSON.parse(packed) as Packed[]).map(([version, at, reason, runId, missed], index) => ({
    ruleId: ruleIds[index]!,
    version,
    matched: reason === null,
    reason,
    ...(missed && { missed }),
    runId,
    at,
  }));

export interface VerdictsOf {
  sessionId?: string;
  recordId?: string;
  ruleId?: string;
  matched?: boolean;
}

export interface CauseOfVerdicts {
  seq: number;
  type: CauseType;
  sourceId: string;
  sessionId: string | null;
  recordId: string | null;
  at: number;
  verdicts: StoredVerdict[];
}

/** Causes that are at work come before all others: they have numbers of another table. */
const atWorkFrom = 2 ** 52;

/** Of a rule that is seldom asked for, a page looks at so many causes, and the next one goes on. */
const lookedAt = 10_000;

export interface Causes {
  causes: CauseOfVerdicts[];
  /** Where to go on; null: nothing is before it. */
  lookedTo: number | null;
}

type CauseRow = Omit<CauseOfVerdicts, 'verdicts'> & { ruleIds: string[]; packed: string };

/** Newest first. */
export async function selectCauses(
  db: Reader,
  accountId: string,
  { sessionId, recordId, ruleId, matched }: VerdictsOf,
  visible: readonly string[] | null,
  before: number | null,
  limit: number,
): Promise<Causes> {
  const subject =
    sessionId === undefined ? (recordId === undefined ? null : `r:${recordId}`) : `s:${sessionId}`;
  const among = (seq: Sql) => sql`account_id = ${accountId}
    ${subject === null ? empty : sql`and subject = ${subject}`} ${before === null ? empty : sql`and ${seq} < ${before}`}`;
  const atWork = sql`seq + ${atWorkFrom}::bigint`;
  const columns = sql`account_id, type, source_id, session_id, record_id, at, rule_ids, matched_ids, packed`;
  const [row] = await db.query<{ causes: CauseRow[]; lookedTo: number | null }>(sql`
    with looked as (
      (select seq, ${columns} from automation_verdicts where ${among(sql`seq`)} order by seq desc limit ${lookedAt})
      union all
      select ${atWork}, ${columns} from automation_causes cross join lateral packed_verdicts(verdicts)
      where is_open and verdicts <> '[]' and ${among(atWork)}
    ), met as (
      select c.seq, c.type, c.source_id as "sourceId", c.session_id as "sessionId", c.record_id as "recordId", c.at,
        c.rule_ids as "ruleIds", c.packed
      from looked c
      where true ${ruleId === undefined ? empty : sql`and c.rule_ids @> array[${ruleId}::uuid]`}
        ${ruleId === undefined || matched === undefined ? empty : sql`and (c.matched_ids @> array[${ruleId}::uuid]) = ${matched}`}
        ${visible === null ? empty : isVisible(visible)}
      order by c.seq desc limit ${limit})
    select coalesce((select json_agg(m order by m.seq desc) from met m), '[]') as causes,
      case when (select count(*) from looked) >= ${lookedAt} then (select min(seq) from looked) end as "lookedTo"`);
  const { causes, lookedTo } = row!;
  return {
    causes: causes.map(({ ruleIds, packed, ...cause }) => ({
      ...cause,
      verdicts: unpacked(ruleIds, packed),
    })),
    lookedTo,
  };
}

const isVisible = (visible: readonly string[]) => sql`
  and (c.session_id is null or exists (select from sessions s
    where s.account_id = c.account_id and s.session_id = c.session_id and s.kanban_id = any(${visible}::uuid[])))
  and (c.record_id is null or exists (select from records r
    where r.account_id = c.account_id and r.id = c.record_id and r.kanban_id = any(${visible}::uuid[])))`;

/** Of causes that v1.7.255 has ended, beside this release. */
export async function moveEndedCauses(tx: Tx): Promise<void> {
  await tx.query(sql`select move_ended_causes()`, { timeoutMs: 60_000 });
}

/** Those that are older than verdicts are kept. */
export async function deleteOldVerdicts(tx: Tx, before: number, limit: number): Promise<number> {
  const rows = await tx.query(
    sql`
    delete from automation_verdicts where ctid = any(array(
      select ctid from automation_verdicts where at < ${before} limit ${limit}))
    returning 1`,
    { timeoutMs: 60_000 },
  );
  return rows.length;
}
