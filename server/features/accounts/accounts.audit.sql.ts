import type { AuditEntry, AuditQuery } from '../../../contract/accounts.ts';
import type { Reader, Tx } from '../../platform/db.ts';
import { sql } from '../../platform/sql.ts';

export async function insertAuditEntry(tx: Tx, accountId: string, entry: AuditEntry): Promise<void> {
  await tx.query(sql`
    insert into audit_log (account_id, id, at, actor_type, actor_id, actor_name, action, target_type, target_id, changes)
    values (${accountId}, ${entry.id}, ${entry.at}, ${entry.actor.type}, ${entry.actor.id}, ${entry.actor.name},
      ${entry.action}, ${entry.target.type}, ${entry.target.id}, ${JSON.stringify(entry.changes)})`);
}

interface AuditRow {
  id: string;
  at: number;
  actor_type: string;
  actor_id: string;
  actor_name: string;
  action: string;
  target_type: string;
  target_id: string;
  changes: Record<string, unknown>;
}

/** Ids are made from the time of the change, so their order is the order of the log. */
export async function selectAuditEntries(
  db: Reader,
  accountId: string,
  { actorId, targetType, from, to }: AuditQuery,
  before: string | null,
  limit: number,
): Promise<AuditEntry[]> {
  const rows = await db.query<AuditRow>(sql`
    select id, at, actor_type, actor_id, actor_name, action, target_type, target_id, changes
    from audit_log
    where account_id = ${accountId} and (${before}::uuid is null or id < ${before}::uuid)
      and (${actorId ?? null}::text is null or actor_id = ${actorId ?? null})
      and (${targetType ?? null}::text is null or target_type = ${targetType ?? null})
      and (${from ?? null}::bigint is null or at >= ${from ?? null})
      and (${to ?? null}::bigint is null or at <= ${to ?? null})
    order by id desc limit ${limit}`);
  return rows.map((row) => ({
    id: row.id,
    at: row.at,
    actor: { type: row.actor_type, id: row.actor_id, name: row.actor_name },
    action: row.action,
    target: { type: row.target_type, id: row.target_id },
    changes: row.changes,
  }));
}
