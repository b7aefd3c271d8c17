import type { AuditEntry, AuditQuery } from '../../../contract/accounts.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';
import { firstIdAt } from '../../platform/ids.ts';

/** Not awaited: an entry costs its transaction no round trip. */
export async function insertAuditEntries(
  tx: Tx,
  accountId: string,
  entries: readonly AuditEntry[],
): Promise<void> {
  const rows = entries.map((entry) => ({
    id: entry.id,
    at: entry.at,
    actor_type: entry.actor.type,
    actor_id: entry.actor.id,
    actor_name: entry.actor.name,
    action: entry.action,
    target_type: entry.target.type,
    target_id: entry.target.id,
    changes: entry.changes,
    address: entry.address,
  }));
  await tx.query(sql`
    insert into audit_log (account_id, id, at, actor_type, actor_id, actor_name, action, target_type, target_id,
      changes, address)
    select ${accountId}::uuid, id, at, actor_type, actor_id, actor_name, action, target_type, target_id, changes, address
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as e (id uuid, at bigint, actor_type text, actor_id text,
      actor_name text, action text, target_type text, target_id text, changes jsonb, address text)`);
}

export async function countAudited(
  db: Reader,
  accountId: string,
  action: string,
  since: number,
): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    select count(*)::int as count from audit_log
    where account_id = ${accountId} and id >= ${firstIdAt(since)}::uuid and action = ${action}`);
  return row!.count;
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
  address: string | null;
}

/** Ids contain the time of the change, so their order is the order of the log. */
export async function selectAuditEntries(
  db: Reader,
  accountId: string,
  { actorId, action, targetType, from, to }: AuditQuery,
  before: string | null,
  limit: number,
): Promise<AuditEntry[]> {
  const rows = await db.query<AuditRow>(sql`
    select id, at, actor_type, actor_id, actor_name, action, target_type, target_id, changes, address
    from audit_log
    where account_id = ${accountId} and (${before}::uuid is null or id < ${before}::uuid)
      and (${actorId ?? null}::text is null or actor_id = ${actorId ?? null})
      and (${action ?? null}::text is null or action = ${action ?? null})
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
    address: row.address,
  }));
}

/** All that an actor did, all that was done to these targets, and the deletions of records on these boards. */
export async function eraseAuditEntries(
  tx: Tx,
  accountId: string,
  { actorId, targetIds, kanbanIds }: { actorId: string; targetIds: string[]; kanbanIds: string[] },
): Promise<void> {
  await tx.query(sql`
    delete from audit_log where account_id = ${accountId} and (actor_id = ${actorId}
      or target_id = any(${targetIds}::text[])
      or (action = 'record.deleted' and changes -> 'kanbanId' ->> 'from' = any(${kanbanIds}::text[])))`);
}

export interface AuditedTarget {
  id: string;
  action: string;
  targetType: string;
  targetId: string;
  changes: Record<string, unknown>;
}

/** A batch of the log, oldest first. */
export async function selectAuditBatch(
  db: Reader,
  accountId: string,
  after: string | null,
  limit: number,
): Promise<AuditedTarget[]> {
  return db.query<AuditedTarget>(sql`
    select id, action, target_type as "targetType", target_id as "targetId", changes from audit_log
    where account_id = ${accountId} and (${after}::uuid is null or id > ${after}::uuid) order by id limit ${limit}`);
}

/** What names a person who is erased has been taken out of these. */
export async function saveCleared(
  tx: Tx,
  accountId: string,
  entries: readonly Pick<AuditedTarget, 'id' | 'targetId' | 'changes'>[],
): Promise<void> {
  if (entries.length === 0) return;
  await tx.query(sql`
    update audit_log l set changes = e.changes, target_id = e.target_id
    from unnest(${entries.map(({ id }) => id)}::uuid[], ${entries.map(({ targetId }) => targetId)}::text[],
      ${entries.map(({ changes }) => JSON.stringify(changes))}::text[]::jsonb[]) as e (id, target_id, changes)
    where l.account_id = ${accountId} and l.id = e.id`);
}
