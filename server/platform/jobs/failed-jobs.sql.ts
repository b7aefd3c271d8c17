/** Jobs that have used up their attempts: they stay until a person runs them again or discards them. */

import { isServedHere } from '../cells/move/served-here.ts';
import { isUniqueViolation, type Reader, type Tx } from '../db/db.ts';
import { type Sql, sql } from '../db/sql.ts';
import { wakeWorkers } from './jobs.ts';
import { isActive } from './suspended.ts';

export interface FailedJobRow {
  id: string;
  accountId: string;
  kind: string;
  attempts: number;
  error: string | null;
  /** Unix epoch microseconds. */
  failedAt: number;
  createdAt: number;
}

const columns = sql`id, account_id as "accountId", kind, attempts, last_error as error,
  (extract(epoch from failed_at) * 1000000)::bigint as "failedAt", (extract(epoch from created_at) * 1000)::bigint as "createdAt"`;

/** Newest first. */
export async function selectFailedJobs(
  db: Reader,
  after: { failedAt: number; id: string } | null,
  limit: number,
): Promise<FailedJobRow[]> {
  const older: Sql = after
    ? sql`and ((extract(epoch from failed_at) * 1000000)::bigint, id) < (${after.failedAt}::bigint, ${after.id}::uuid)`
    : sql``;
  return db.query<FailedJobRow>(sql`
    select ${columns} from jobs where failed_at is not null ${older}
    order by (extract(epoch from failed_at) * 1000000)::bigint desc, id desc limit ${limit}`);
}

export async function findFailedJob(db: Reader, id: string): Promise<FailedJobRow | null> {
  const [row] = await db.query<FailedJobRow>(
    sql`select ${columns} from jobs where id = ${id} and failed_at is not null`,
  );
  return row ?? null;
}

/** With all its attempts. 'waiting': another job for the same exists already, and will do its work. */
export async function retryFailedJob(tx: Tx, job: FailedJobRow): Promise<'retried' | 'waiting' | 'gone'> {
  try {
    const rows = await tx.savepoint(() =>
      tx.query(sql`
        update jobs set failed_at = null, attempts = 0, run_at = now(), lease_token = null
        where account_id = ${job.accountId} and id = ${job.id} and failed_at is not null returning 1`),
    );
    if (rows.length === 0) return 'gone';
  } catch (error) {
    if (isUniqueViolation(error)) return 'waiting';
    throw error;
  }
  wakeWorkers(tx, job.kind);
  return 'retried';
}

export async function discardFailedJob(tx: Tx, job: FailedJobRow): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from jobs where account_id = ${job.accountId} and id = ${job.id} and failed_at is not null returning 1`);
  return rows.length > 0;
}

/**
 * For how many seconds the oldest job that could run has waited. Workers take a job within a second unless all of them are
 * busy or there is none; housekeeping puts a job there every five minutes.
 */
export async function longestWait(db: Reader, timeoutMs: number): Promise<number> {
  const [row] = await db.query<{ seconds: number | null }>(
    sql`
      select extract(epoch from now() - min(run_at))::float8 as seconds from jobs
      where failed_at is null and run_at <= now() and ${isServedHere(sql`jobs.account_id`)}
        and ${isActive(sql`account_id`)}`,
    { timeoutMs },
  );
  return row?.seconds ?? 0;
}
