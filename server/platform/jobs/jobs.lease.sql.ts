/** What the owner of a lease may do with its job: renew it, keep it, give it back, end it. */

import { createSharedStatement } from '../concurrency/shared-statements.ts';
import type { Db, Reader, Tx } from '../db/db.ts';
import { type Sql, sql } from '../db/sql.ts';

export class LeaseLost extends Error {}

export const leaseMs = 4_000;

export interface ClaimedRow {
  account_id: string;
  id: string;
  kind: string;
  payload: Record<string, unknown>;
  attempts: number;
  max_attempts: number;
}

/** False: another worker has the job, or it has ended. */
export async function renew(db: Db, row: ClaimedRow, token: string): Promise<boolean> {
  const renewed = await db.autocommit(sql`
    update jobs set lease_until = now() + make_interval(secs => ${leaseMs / 1000}::float8),
      run_at = now() + make_interval(secs => ${leaseMs / 1000}::float8)
    where account_id = ${row.account_id} and id = ${row.id} and lease_token = ${token} returning 1`);
  return renewed.length > 0;
}

export async function keep(tx: Tx, row: ClaimedRow, token: string, attempts: number): Promise<void> {
  const kept = await tx.query(sql`
    update jobs set attempts = ${attempts}, lease_until = now() + make_interval(secs => ${leaseMs / 1000}::float8),
      run_at = now() + make_interval(secs => ${leaseMs / 1000}::float8)
    where account_id = ${row.account_id} and id = ${row.id} and lease_token = ${token} returning 1`);
  if (kept.length === 0) throw new LeaseLost(`job ${row.id} was taken over by another worker`);
}

export async function releaseJob(tx: Tx, row: ClaimedRow, token: string): Promise<void> {
  await tx.query(sql`
    update jobs set lease_token = null, lease_until = null, run_at = now(), attempts = greatest(attempts - 1, 0)
    where account_id = ${row.account_id} and id = ${row.id} and lease_token = ${token}`);
}

export async function postponeJob(tx: Tx, row: ClaimedRow, token: string, delayMs: number): Promise<void> {
  await tx.query(sql`
    update jobs set lease_token = null, lease_until = null, run_at = now() + make_interval(secs => ${delayMs / 1000}::float8)
    where account_id = ${row.account_id} and id = ${row.id} and lease_token = ${token}`);
}

export async function finish(tx: Tx, row: ClaimedRow, token: string): Promise<void> {
  if (!(await remove(tx, row, token, sql`true`)))
    throw new LeaseLost(`job ${row.id} was taken over by another worker`);
}

export async function remove(tx: Tx, row: ClaimedRow, token: string, condition: Sql): Promise<boolean> {
  const ended = await tx.query(sql`
    delete from jobs where account_id = ${row.account_id} and id = ${row.id} and lease_token = ${token}
      and ${condition} returning 1`);
  return ended.length > 0;
}

interface Ending {
  row: ClaimedRow;
  token: string;
  wakes: number;
}

const endedAtOnce = 50;

/**
 * Whether the job has ended. One that is being woken is left alone: to wait for the locks of several jobs could be to wait
 * in a circle.
 */
export const removeUnlessWoken = createSharedStatement(endedAtOnce, async (db, ending: readonly Ending[]) => {
  const ended = await db.autocommit<{ id: string }>(sql`
    with ended as (
      select j.account_id, j.id
      from unnest(${ending.map(({ row }) => row.account_id)}::uuid[], ${ending.map(({ row }) => row.id)}::uuid[],
          ${ending.map(({ token }) => token)}::uuid[], ${ending.map(({ wakes }) => wakes)}::bigint[])
          as e (account_id, id, token, wakes)
        join jobs j on j.account_id = e.account_id and j.id = e.id
      where j.lease_token = e.token and (j.payload ->> 'wakes')::bigint = e.wakes
      for update of j skip locked)
    delete from jobs j using ended where j.account_id = ended.account_id and j.id = ended.id
    returning j.id`);
  const ids = new Set(ended.map(({ id }) => id));
  return ending.map(({ row }) => ids.has(row.id));
});

export interface Lease {
  token: string;
  /** The commit of this transaction ends the job. */
  endsWith(tx: Tx): void;
}

/** `Job.completeIf` for several jobs of one account; returns the ids of those that have ended. `condition` is about `j`. */
export async function completeEachIf(
  tx: Tx,
  accountId: string,
  jobs: readonly { id: string; lease: Lease }[],
  condition: Sql,
): Promise<Set<string>> {
  const rows = await tx.query<{ id: string }>(sql`
    delete from jobs j
    using unnest(${jobs.map(({ id }) => id)}::uuid[], ${jobs.map(({ lease }) => lease.token)}::uuid[]) as l (id, token)
    where j.account_id = ${accountId} and j.id = l.id and j.lease_token = l.token and ${condition} returning j.id`);
  const ended = new Set(rows.map(({ id }) => id));
  for (const { id, lease } of jobs) if (ended.has(id)) lease.endsWith(tx);
  return ended;
}

/** How often the job was woken: read before it looks for work again. */
export async function countWakes(
  db: Reader,
  { accountId, id }: { accountId: string; id: string },
): Promise<number> {
  const [row] = await db.query<{ wakes: number }>(
    sql`select (payload ->> 'wakes')::bigint as wakes from jobs where account_id = ${accountId} and id = ${id}`,
  );
  return row?.wakes ?? 0;
}
