/** Verdicts of an invented past, and rules that leave nothing behind. */
import type { Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';
import type { StoredVerdict } from './automations.verdicts.sql.ts';

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
    insert into automation_verdicts (account_id, id, type, source_id, subject, session_id, at, rule_ids, matched_ids, packed)
    select ${accountId}::uuid, n."row", n.type, n."sourceId", 's:' || n."sessionId", n."sessionId", n.at, p.rule_ids,
      p.matched_ids, p.packed
    from json_to_recordset(${JSON.stringify(verdicts)}::json) as n ("row" uuid, type text, "sourceId" text,
      "sessionId" text, at bigint, verdict jsonb)
    cross join lateral packed_verdicts(jsonb_build_array(n.verdict)) p
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
  await tx.query(
    sql`
    update automation_verdicts v set rule_ids = o.rule_ids,
      matched_ids = array(select m from unnest(v.matched_ids) m where m <> all(${ids}::uuid[])), packed = o.packed
    from automation_verdicts w cross join lateral (
      select coalesce(array_agg(r.id order by r.n), '{}') as rule_ids, coalesce(json_agg(p.one order by p.n), '[]')::text as packed
      from unnest(w.rule_ids) with ordinality r (id, n)
      join json_array_elements(w.packed::json) with ordinality p (one, n) on p.n = r.n
      where r.id <> all(${ids}::uuid[])) o
    where v.account_id = ${accountId} and v.ctid = w.ctid and w.account_id = ${accountId}
      and w.rule_ids && ${ids}::uuid[]`,
    long,
  );
  await tx.query(
    sql`delete from automation_verdicts where account_id = ${accountId} and rule_ids = '{}'`,
    long,
  );
}
