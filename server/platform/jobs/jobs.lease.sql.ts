/** Jobs as leased work: claim, and what the owner of a lease may do with its job: keep it, release it, end it. */

import { isServedHere } from '../cells/move/served-here.ts';
import { createSharedStatement } from '../concurrency/shared-statements.ts';
import type { Db, Reader, Tx } from '../db/db.ts';
import { type Sql, sql } from '../db/sql.ts';
import { claimed, type LeasedTable } from './leases.ts';
import { LeaseLost } from './process-row.ts';
import { isActive } from './suspended.ts';

/** A running job is never due. Its attempt stays counted when its process dies: it may be what killed it. */
export const jobTable: LeasedTable = {
  name: sql`jobs`,
  holder: sql`lease_token`,
  isHeld: sql`t.failed_at is null and t.run_at = 'infinity'`,
  whenClaimed: [sql`attempts = t.attempts + 1`, sql`run_at = 'infinity'`],
  whenFreed: [sql`run_at = now()`],
};

export interface ClaimedRow {
  account_id: string;
  id: string;
  kind: string;
  payload: Record<string, unknown>;
  attempts: number;
  max_attempts: number;
}

export async function claimJobs(
  db: Db,
  token: string,
  { kinds, count, runsSuspended }: { kinds: readonly string[]; count: number; runsSuspended: boolean },
): Promise<ClaimedRow[]> {
  const due = sql`
    select ctid as place from jobs
    where failed_at is null and run_at <= now() and kind = any(${kinds}::text[]) and ${isServedHere(sql`jobs.account_id`)}
      and ${runsSuspended ? sql`true` : isActive(sql`account_id`)}
    order by run_at limit ${count} for update skip locked`;
  return db.autocommit<ClaimedRow>(sql`
    with ${claimed(jobTable, token, due, sql`t.account_id, t.id, t.kind, t.payload, t.attempts, t.max_attempts`)}
    select * from claimed`);
}

export async function keep(tx: Tx, row: ClaimedRow, token: string, attempts: number): Promise<void> {
  const kept = await tx.query(sql`
    update jobs set attempts = ${attempts}
    where account_id = ${row.account_id} and id = ${row.id} and lease_token = ${token} returning 1`);
  if (kept.length === 0) throw new LeaseLost(`job ${row.id} was taken over by another worker`);
}

export interface Release {
  delayMs: number;
  /** False: as if it had not been claimed. */
  isCounted: boolean;
  error?: string;
  /** It was the last attempt. */
  isFinal?: boolean;
}

/** It has not ended. */
export async function releaseJob(
  tx: Tx,
  row: ClaimedRow,
  token: string,
  { delayMs, isCounted, error, isFinal = false }: Release,
): Promise<void> {
  await tx.query(sql`
    update jobs set lease_token = null, run_at = now() + make_interval(secs => ${delayMs / 1000}::float8),
      attempts = case when ${isCounted} then attempts else greatest(attempts - 1, 0) end,
      last_error = coalesce(${error ?? null}, last_error), failed_at = case when ${isFinal} then now() end
    where account_id = ${row.account_id} and id = ${row.id} and lease_token = ${token}`);
}

export async function finish(tx: Tx, row: ClaimedRow, token: string): Promise<void> {
  const ended = await tx.query(sql`
    delete from jobs where account_id = ${row.account_id} and id = ${row.id} and lease_token = ${token} returning 1`);
  if (ended.length === 0) throw new LeaseLost(`job ${row.id} was taken over by another worker`);
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

export interface JobLease {
  token: string;
  /** The commit of this transaction ends the job. */
  endsWith(tx: Tx): void;
}

/** Ends those jobs `j` of an account that are still held and meet the condition; returns the ids of those that have ended. */
export async function completeEachIf(
  tx: Tx,
  accountId: string,
  jobs: readonly { id: string; lease: JobLease }[],
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
