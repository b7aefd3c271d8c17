/** What may be written of an account in the cells of its move. Migration 0062 explains the states. */
import type { Db, Reader, Tx } from '../../db/db.ts';
import { sql } from '../../db/sql.ts';
import { type MovedTable, raw } from './tables.ts';

export interface Fence {
  moveId: string;
  state: 'leaving' | 'arriving' | 'moved';
  otherCell: string;
  isSettled: boolean;
}

export async function findFence(db: Reader, accountId: string): Promise<Fence | null> {
  const [row] = await db.query<Fence>(sql`
    select move_id as "moveId", state, other_cell as "otherCell", settled_at is not null as "isSettled"
    from account_fences where account_id = ${accountId}`);
  return row ?? null;
}

export interface NewFence {
  moveId: string;
  holder: string;
  state: 'leaving' | 'arriving';
  otherCell: string;
}

/** Also takes over the fence of the same move from a command that has ended. */
export async function putFence(db: Db, accountId: string, fence: NewFence): Promise<boolean> {
  const { moveId, holder, state, otherCell } = fence;
  const rows = await db.autocommit(sql`
    insert into account_fences as f (account_id, move_id, holder, state, other_cell)
    values (${accountId}, ${moveId}, ${holder}, ${state}, ${otherCell})
    on conflict (account_id) do update set holder = excluded.holder, quiet_until = null, closed_until = null
      where f.move_id = excluded.move_id and f.state = excluded.state
    returning 1`);
  return rows.length > 0;
}

export async function dropFence(
  db: Db,
  accountId: string,
  moveId: string,
  state: Fence['state'],
): Promise<boolean> {
  const rows = await db.autocommit(sql`
    delete from account_fences where account_id = ${accountId} and move_id = ${moveId} and state = ${state}
    returning 1`);
  return rows.length > 0;
}

const triggerName = 'guard_account_row';

/** The tables that have the trigger. */
export async function selectGuarded(db: Reader): Promise<Set<string>> {
  const rows = await db.query<{ name: string }>(sql`
    select c.relname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where t.tgname = ${triggerName} and c.relnamespace = current_schema()::regnamespace`);
  return new Set(rows.map(({ name }) => name));
}

/**
 * To all of them or none. Waits for each table a moment only, because everybody else waits behind it and behind those
 * that it has: it fails with an overload then.
 */
export async function addGuards(db: Db, tables: readonly MovedTable[], waitMs: number): Promise<void> {
  const statements = tables.map(({ name, key }) => {
    const columns = key.map((column) => `'${column}'`).join(', ');
    return `create or replace trigger ${triggerName} before insert or update or delete on "${name}"
      for each row execute function guard_account_row(${columns});`;
  });
  await db.transaction(async (tx) => {
    await tx.query(raw(`set local lock_timeout = '${waitMs}ms'`));
    await tx.query(raw(`do $$ begin ${statements.join(' ')} end $$`));
  });
}

/** Unless a move has begun: it writes its fence first and its triggers then. */
export async function removeGuard(db: Db, table: string): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query(sql`set local lock_timeout = '200ms'`);
    await tx.query(sql`lock table account_fences in share row exclusive mode`);
    const fences = await tx.query(sql`select from account_fences limit 1`);
    if (fences.length === 0) await tx.query(raw(`drop trigger if exists ${triggerName} on "${table}"`));
  });
}

export async function hasFences(db: Reader): Promise<boolean> {
  return (await db.query(sql`select from account_fences limit 1`)).length > 0;
}

/** Transactions that had begun before now: they may not know the fence. */
export async function nextTransaction(db: Db): Promise<string> {
  const [row] = await db.autocommit<{ xid: string }>(sql`select pg_current_xact_id()::text as xid`);
  return row!.xid;
}

export async function haveEnded(db: Reader, xid: string): Promise<boolean> {
  const [row] = await db.query<{ ended: boolean }>(
    sql`select pg_snapshot_xmin(pg_current_snapshot()) >= ${xid}::xid8 as ended`,
  );
  return row!.ended;
}

/**
 * Runs when no write of the account is under way; those that come later see what it has changed. Waits a moment
 * only, because they wait behind it: it fails with an overload then.
 */
async function alone(db: Db, accountId: string, run: (tx: Tx) => Promise<boolean>): Promise<boolean> {
  return db.transaction(async (tx) => {
    await tx.query(sql`set local lock_timeout = '400ms'`);
    await tx.query(sql`select pg_advisory_xact_lock(7231020, hashtext(${accountId}::text))`);
    return run(tx);
  });
}

/** No background work begins meanwhile. */
export async function quieten(db: Db, accountId: string, holder: string, seconds: number): Promise<boolean> {
  const rows = await db.autocommit(sql`
    update account_fences set quiet_until = now() + make_interval(secs => ${seconds}::float8)
    where account_id = ${accountId} and holder = ${holder} and state = 'leaving' returning 1`);
  // What had begun to claim something has done so afterwards.
  return rows.length > 0 && alone(db, accountId, async () => true);
}

/** Work under way that ends elsewhere than in the database: it must not be done twice. */
export async function countLeases(db: Reader, accountId: string): Promise<{ kind: string; count: number }[]> {
  return db.query(sql`
    select kind, count(*)::int as count from (
      select kind from jobs where account_id = ${accountId} and lease_token is not null and run_at > now()
      union all
      select 'webhook delivery' from webhook_deliveries
      where account_id = ${accountId} and lease_token is not null and status in ('pending', 'retrying')
      union all
      select 'message to a provider' from connector_outbound
      where account_id = ${accountId} and lease_token is not null and state in ('waiting', 'sending', 'unknown')
        and due_at > now()) work
    group by kind order by kind`);
}

/** Nothing is written from now on, for at most this long. */
export async function close(db: Db, accountId: string, holder: string, ms: number): Promise<boolean> {
  return alone(db, accountId, async (tx) => {
    const rows = await tx.query(sql`
      update account_fences set closed_until = clock_timestamp() + make_interval(secs => ${ms / 1000}::float8),
        quiet_until = clock_timestamp() + make_interval(secs => ${ms / 1000}::float8)
      where account_id = ${accountId} and holder = ${holder} and state = 'leaving' returning 1`);
    return rows.length > 0;
  });
}

export async function reopen(db: Db, accountId: string, holder: string): Promise<void> {
  await db.autocommit(sql`
    update account_fences set closed_until = null, quiet_until = null
    where account_id = ${accountId} and holder = ${holder} and state = 'leaving'`);
}

/** The moment at which the account moves. False: it was closed for too long, and has been written to since. */
export async function leave(db: Db, accountId: string, holder: string): Promise<boolean> {
  return alone(db, accountId, async (tx) => {
    const rows = await tx.query(sql`
      update account_fences set state = 'moved', closed_until = null, quiet_until = null
      where account_id = ${accountId} and holder = ${holder} and state = 'leaving'
        and closed_until > clock_timestamp() returning 1`);
    return rows.length > 0;
  });
}

export async function settleFence(db: Db, accountId: string, moveId: string): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query(sql`
      update account_fences set settled_at = now()
      where account_id = ${accountId} and move_id = ${moveId} and state = 'moved' and settled_at is null`);
    await tx.query(sql`delete from account_move_changes where account_id = ${accountId}`, {
      timeoutMs: 60_000,
    });
  });
}

export interface MovedAway {
  accountId: string;
  moveId: string;
}

/** So long ago that their rows are no longer kept. */
export async function selectMovedBefore(db: Reader, seconds: number): Promise<MovedAway[]> {
  return db.query<MovedAway>(sql`
    select account_id as "accountId", move_id as "moveId" from account_fences
    where state = 'moved' and settled_at < now() - make_interval(secs => ${seconds}::float8)
    order by settled_at limit 100`);
}

export async function selectUnsettled(db: Reader): Promise<MovedAway[]> {
  return db.query<MovedAway>(sql`
    select account_id as "accountId", move_id as "moveId" from account_fences
    where state = 'moved' and settled_at is null`);
}

export interface NotedChange {
  id: number;
  table: string;
  /** A JSON object. */
  key: string;
}

export async function selectChanges(source: Reader, accountId: string): Promise<NotedChange[]> {
  return source.query<NotedChange>(
    sql`select id, table_name as "table", key::text as key from account_move_changes where account_id = ${accountId}`,
    { timeoutMs: 60_000 },
  );
}

export async function countChanges(source: Reader, accountId: string): Promise<number> {
  const [row] = await source.query<{ count: number }>(sql`
    select count(*)::int as count from account_move_changes where account_id = ${accountId}`);
  return row!.count;
}

export async function forgetChanges(source: Db, ids: readonly number[]): Promise<void> {
  await source.autocommit(sql`delete from account_move_changes where id = any(${ids}::bigint[])`);
}

export async function forgetAllChanges(source: Db, accountId: string): Promise<void> {
  await source.autocommit(sql`delete from account_move_changes where account_id = ${accountId}`);
}
