/** Verdicts of an invented past, and rules that leave nothing behind. */
import type { Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';
import type { StoredVerdict } from './automations.causes.sql.ts';

export interface PastVerdict {
  /** Of the cause. */
  row: string;
  type: 'message' | 'session_change';
  sourceId: string;
  sessionId: string;
  at: number;
  verdict: StoredVerdict;
}

export async function insertVerdicts(
  tx: Tx,
  accountId: string,
  verdicts: readonly PastVerdict[],
): Promise<void> {
  await tx.query(sql`
    insert into automation_verdicts (account_id, id, type, source_id, subject, session_id, at, verdicts)
    select ${accountId}::uuid, n."row", n.type, n."sourceId", 's:' || n."sessionId", n."sessionId", n.at,
      jsonb_build_array(n.verdict)
    from json_to_recordset(${JSON.stringify(verdicts)}::json) as n ("row" uuid, type text, "sourceId" text,
      "sessionId" text, at bigint, verdict jsonb)
    order by n.at`);
}

/** With their runs and verdicts. */
export async function eraseAutomations(tx: Tx, accountId: string, ids: readonly string[]): Promise<void> {
  const long = { timeoutMs: 60_000 };
  await tx.query(
    sql`delete from automations where account_id = ${accountId} and id = any(${ids}::uuid[])`,
    long,
  );
  await tx.query(
    sql`delete from automation_runs where account_id = ${accountId} and rule_id = any(${ids}::uuid[])`,
    long,
  );
  const others = sql`(
    select coalesce(jsonb_agg(v order by place), '[]') from jsonb_array_elements(c.verdicts) with ordinality as e (v, place)
    where v ->> 'ruleId' <> all(${ids}::text[]))`;
  await tx.query(
    sql`
    update automation_verdicts c set verdicts = ${others}
    where account_id = ${accountId} and exists (
      select from jsonb_array_elements(c.verdicts) v where v ->> 'ruleId' = any(${ids}::text[]))`,
    long,
  );
  await tx.query(
    sql`delete from automation_verdicts where account_id = ${accountId} and verdicts = '[]'`,
    long,
  );
}
