import { type Sql, sql } from '../../platform/db/sql.ts';

/** A record left a status. */
export interface StatusChange {
  recordId: string;
  /** Of the event that reports it. */
  sequence: number;
  at: number;
  from: string;
  /** Null: it was deleted. */
  to: string | null;
  recordCreatedAt: number;
}

/**
 * Kept for reports, beside the events, which are removed after a while; part of a larger statement with a `change`. A
 * change is never stored before the one that it follows, even if the clock went back.
 */
export function statusChanges(accountId: string, kanbanId: string, changes: readonly StatusChange[]): Sql {
  return sql`status_changes as (
    insert into record_status_changes (account_id, kanban_id, record_id, sequence, at, from_status, to_status,
      entered_at, record_created_at)
    select ${accountId}::uuid, ${kanbanId}::uuid, c.record_id, c.sequence, greatest(c.at, c.entered_at), c.from_status,
      c.to_status, c.entered_at, c.record_created_at
    from (
      select n.record_id, n.sequence, n.at, n.from_status, n.to_status, n.record_created_at,
        coalesce((
          select p.at from record_status_changes p
          where p.account_id = ${accountId} and p.kanban_id = ${kanbanId} and p.record_id = n.record_id
          order by p.sequence desc limit 1), n.record_created_at) as entered_at
      from unnest(${changes.map((one) => one.recordId)}::uuid[], ${changes.map((one) => one.sequence)}::int[],
        ${changes.map((one) => one.at)}::bigint[], ${changes.map((one) => one.from)}::text[],
        ${changes.map((one) => one.to)}::text[], ${changes.map((one) => one.recordCreatedAt)}::bigint[])
        as n (record_id, sequence, at, from_status, to_status, record_created_at)
    ) c
    where exists (select from change))`;
}
