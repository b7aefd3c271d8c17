/** What rules said about causes: one row for each cause with the verdicts of all its rules. */
import type { CauseType } from '../../../contract/automation/runs.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { empty, sql } from '../../platform/db/sql.ts';
import type { StoredVerdict } from './automations.causes.sql.ts';

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

/** Newest first. */
export async function selectCauses(
  db: Reader,
  accountId: string,
  { sessionId, recordId, ruleId, matched }: VerdictsOf,
  visible: readonly string[] | null,
  before: number | null,
  limit: number,
): Promise<CauseOfVerdicts[]> {
  const subject =
    sessionId === undefined ? (recordId === undefined ? null : `r:${recordId}`) : `s:${sessionId}`;
  const contained = ruleId === undefined ? [] : [{ ruleId, ...(matched !== undefined && { matched }) }];
  return db.query<CauseOfVerdicts>(sql`
    select c.seq, c.type, c.source_id as "sourceId", c.session_id as "sessionId", c.record_id as "recordId", c.at,
      c.verdicts
    from (
      select account_id, seq, type, source_id, subject, session_id, record_id, at, verdicts from automation_verdicts
      union all
      select account_id, seq + ${atWorkFrom}::bigint, type, source_id, subject, session_id, record_id, at, verdicts
      from automation_causes where is_open and verdicts <> '[]') c
    where c.account_id = ${accountId}
      ${subject === null ? empty : sql`and c.subject = ${subject}`}
      ${before === null ? empty : sql`and c.seq < ${before}`}
      and c.verdicts @> ${JSON.stringify(contained)}::jsonb
      ${visible === null ? empty : isVisible(visible)}
    order by c.seq desc limit ${limit}`);
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
