/** What readiness says about the worker, the disk and the migrations. */
import { statfs } from 'node:fs/promises';
import type { Config } from '../../config.ts';
import type { Db } from '../db/db.ts';
import { appliedMigrations, migrationNames } from '../db/migrate.ts';
import { longestWait } from '../jobs/failed-jobs.sql.ts';

export interface ReadyChecks {
  /** `late`: a job has waited for a minute. There is no worker, or all of them are busy. */
  worker: 'ok' | 'late';
  /** `low`: uploads are rejected. */
  disk: 'ok' | 'low';
  /** `pending`: the database is older than this release. */
  migrations: 'ok' | 'pending';
}

export type DiskSettings = Pick<Config, 'dataDir' | 'minFreeDiskMb'>;

const lateSeconds = 60;
const megabyte = 1024 * 1024;
let ownMigrations: string[] | null = null;

export async function readChecks(db: Db, disk: DiskSettings, timeoutMs: number): Promise<ReadyChecks> {
  ownMigrations ??= migrationNames();
  const [waited, applied, isLow] = await Promise.all([
    // A read that takes too long is one of a long queue, and no reason to send requests elsewhere.
    longestWait(db, timeoutMs).catch(() => Number.POSITIVE_INFINITY),
    appliedMigrations(db, timeoutMs),
    isDiskLow(disk),
  ]);
  return {
    worker: waited > lateSeconds ? 'late' : 'ok',
    disk: isLow ? 'low' : 'ok',
    migrations: ownMigrations.every((name) => applied.has(name)) ? 'ok' : 'pending',
  };
}

/** A folder that cannot be read takes no uploads either. */
async function isDiskLow({ dataDir, minFreeDiskMb }: DiskSettings): Promise<boolean> {
  if (minFreeDiskMb === 0) return false;
  const free = await freeBytes(dataDir);
  return free === null || free < minFreeDiskMb * megabyte;
}

export async function freeBytes(folder: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return null;
  }
}
