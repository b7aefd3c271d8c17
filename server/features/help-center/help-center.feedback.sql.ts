import type { Db, Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';

export async function countVote(
  db: Db,
  accountId: string,
  { id, version }: { id: string; version: number },
  { day, voter, helpful }: { day: string; voter: Buffer; helpful: boolean },
): Promise<void> {
  await db.autocommit(sql`
    with voter as (
      insert into help_voters (account_id, day, voter) values (${accountId}, ${day}::date, ${voter})
      on conflict do nothing returning 1)
    insert into help_feedback (account_id, document_id, version, helpful, not_helpful)
    select ${accountId}, ${id}, ${version}, ${helpful ? 1 : 0}, ${helpful ? 0 : 1} from voter
    on conflict (account_id, document_id, version) do update set
      helpful = help_feedback.helpful + excluded.helpful,
      not_helpful = help_feedback.not_helpful + excluded.not_helpful`);
}

/** At most `limit`; returns how many. */
export async function deleteVoters(tx: Tx, before: string, limit: number): Promise<number> {
  const rows = await tx.query(
    sql`
    delete from help_voters where ctid = any(array(
      select ctid from help_voters where day < ${before}::date limit ${limit})) returning 1`,
    { timeoutMs: 60_000 },
  );
  return rows.length;
}
