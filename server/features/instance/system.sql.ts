/** How much waits, what is stored, and which statements are slow, in one database. */
import type { Reader } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';
import type { QueueDepth } from '../../platform/http/metrics.ts';
import { isActive } from '../../platform/jobs/suspended.ts';

/** Counts along the indexes that the workers use. What waits for a suspended account to be resumed does not count. */
export async function selectQueues(db: Reader, timeoutMs: number): Promise<QueueDepth[]> {
  return db.query<QueueDepth>(
    sql`
      select 'jobs' as queue, count(*) filter (where failed_at is null and lease_token is null)::int as waiting,
        coalesce(extract(epoch from now() - min(run_at) filter (where failed_at is null and lease_token is null)), 0)::float8
          as "oldestSeconds",
        count(*) filter (where failed_at is not null)::int as failed
      from jobs where (failed_at is not null or run_at <= now()) and ${isActive(sql`account_id`)}
      union all
      select 'webhooks', count(*)::int, coalesce(extract(epoch from now() - min(next_attempt_at)), 0)::float8, null
      from webhook_deliveries
      where status in ('pending', 'retrying') and lease_token is null and next_attempt_at <= now()
        and ${isActive(sql`account_id`)}
      union all
      select 'outbound', count(*)::int, coalesce(extract(epoch from now() - min(due_at)), 0)::float8, null
      from connector_outbound
      where state in ('waiting', 'sending') and lease_token is null and due_at <= now() and ${isActive(sql`account_id`)}
      union all
      select 'inbound', count(*)::int,
        coalesce(extract(epoch from now()) - min(received_at) / 1000.0, 0)::float8, null
      from (
        select account_id, received_at from connector_inbound where failed_at is null
        union all select account_id, received_at from connector_items where state = 'waiting') came
      where ${isActive(sql`account_id`)}`,
    { timeoutMs },
  );
}

export async function selectStorage(db: Reader): Promise<{ databaseBytes: number; fileBytes: number }> {
  const [row] = await db.query<{ databaseBytes: number; fileBytes: number }>(sql`
    select pg_database_size(current_database()) as "databaseBytes",
      (select coalesce(sum(bytes), 0)::bigint from storage_usage) as "fileBytes"`);
  return row!;
}

export async function selectPostgresVersion(db: Reader): Promise<string> {
  const [row] = await db.query<{ version: string }>(sql`select current_setting('server_version') as version`);
  return row!.version;
}

export interface SlowRow {
  text: string;
  count: number;
  totalMs: number;
  maxMs: number;
}

export async function hasStatementStatistics(db: Reader): Promise<boolean> {
  const [row] = await db.query<{ there: boolean }>(sql`
    select to_regclass('pg_stat_statements') is not null
      and exists (select from pg_settings where name = 'pg_stat_statements.max') as there`);
  return row!.there;
}

/** Only statements whose values PostgreSQL has replaced: others may have a secret in their text. */
export async function selectSlowStatements(db: Reader, slowMs: number, limit: number): Promise<SlowRow[]> {
  return db.query<SlowRow>(sql`
    select query as text, calls::float8 as count, total_exec_time::float8 as "totalMs", max_exec_time::float8 as "maxMs"
    from pg_stat_statements
    where dbid = (select oid from pg_database where datname = current_database()) and max_exec_time >= ${slowMs}::float8
      and query ~* '^[[:space:]]*(with|select|insert|update|delete|merge)[[:space:]]'
    order by total_exec_time desc limit ${limit}`);
}

export async function selectAccountNames(
  db: Reader,
  ids: readonly string[],
): Promise<{ id: string; name: string }[]> {
  return db.query(sql`select id, name from accounts where id = any(${ids}::uuid[])`);
}
