/** Backups by the schedule of BACKUP_SCHEDULE, or because an administrator asks. The job of backups.jobs.ts makes them. */
import type { Backup, BackupOverview } from '../../../contract/instance/backups.ts';
import {
  type BackupRun,
  endGivenUp,
  findOpenRun,
  findRun,
  givenUp,
  insertRun,
  isDone,
  lockRuns,
  selectRuns,
} from '../../platform/backups/runs.sql.ts';
import { lastDue, nextDue } from '../../platform/backups/schedule.ts';
import type { BackupConfig } from '../../platform/backups/sources.ts';
import type { Db, Reader, Tx } from '../../platform/db/db.ts';
import { conflict } from '../../platform/http/errors.ts';
import { jobKind } from '../../platform/jobs/job-kinds.ts';
import { enqueue, instanceAccountId } from '../../platform/jobs/jobs.ts';
import { type Actor, audit } from '../accounts/accounts.ts';
import { storedNames } from './backups.stored.ts';

export const backupJobKind = jobKind('backup');

const shown = 50;
/** A scheduled one that failed is tried again after this time. */
const againMs = 30 * 60_000;
/** A running one changes every second; a waiting one begins when the one before has ended, or its worker starts. */
const givenUpMs = 60 * 60_000;
const attempts = 3;

export interface BackupDeps {
  config: BackupConfig;
  db: Db;
  /** The home cell's. */
  instanceDb: Db;
  cell: string;
}

/** A step of housekeeping. The first one is made at once. */
export async function enqueueDueBackup(
  { config, db, instanceDb, cell }: BackupDeps,
  now: number,
): Promise<void> {
  const { schedule, to } = config.backups;
  await instanceDb.transaction((tx) => endGivenUp(tx, cell, now - givenUpMs, now));
  if (!schedule) return;
  const due = lastDue(schedule, now);
  if (await isDone(instanceDb, cell, due, now - againMs)) return;
  await startRun(instanceDb, db, { cell, cause: 'schedule', place: to, now });
}

/** Or finds the one that has not ended. The row of the run comes first: a job without one does nothing. */
async function startRun(
  instanceDb: Db,
  db: Db,
  run: Pick<BackupRun, 'cell' | 'cause' | 'place'> & { now: number },
): Promise<string> {
  const open = await instanceDb.transaction(async (tx) => {
    await lockRuns(tx, run.cell);
    await endGivenUp(tx, run.cell, run.now - givenUpMs, run.now);
    const found = await findOpenRun(tx, run.cell);
    return found ?? { id: await insertRun(tx, run), state: 'waiting' as const };
  });
  // Also for one that was found: the process that made its row may have been killed before this.
  if (open.state === 'waiting') {
    await db.transaction((tx) =>
      enqueue(tx, {
        accountId: instanceAccountId,
        kind: backupJobKind,
        payload: { runId: open.id },
        dedupeKey: open.id,
        maxAttempts: attempts,
      }),
    );
  }
  return open.id;
}

/** One for each database. One that is being made is not made twice. */
export async function requestBackups(
  {
    config,
    instanceDb,
    homes,
  }: { config: BackupConfig; instanceDb: Db; homes: readonly { db: Db; cell: string }[] },
  now: number,
): Promise<Backup[]> {
  const { to } = config.backups;
  if (to === '') throw conflict('BACKUP_TO is not set: the service does not know where to keep backups');
  const runs: Backup[] = [];
  for (const { db, cell } of homes) {
    const id = await startRun(instanceDb, db, { cell, cause: 'request', place: to, now });
    runs.push(shownRun((await findRun(instanceDb, id))!, now, null));
  }
  return runs;
}

export async function noteRequest(tx: Tx, actor: Actor, now: number): Promise<void> {
  await audit(tx, actor, now, {
    action: 'backup.requested',
    target: { type: 'account', id: actor.accountId },
  });
}

export async function readBackups(
  { config, db }: { config: BackupConfig; db: Reader },
  now: number,
): Promise<BackupOverview> {
  const { to, schedule, keep, publicKeys } = config.backups;
  const [runs, names] = await Promise.all([selectRuns(db, shown), storedNames(config)]);
  return {
    place: to || null,
    everyHours: schedule ? schedule.everyMs / 3_600_000 : null,
    nextAt: schedule ? nextDue(schedule, now) : null,
    keep,
    isEncrypted: publicKeys.length > 0,
    backups: runs.map((run) => shownRun(run, now, run.place === to ? names : null)),
  };
}

/** `names`: of the files in its place; null: they are not known. */
function shownRun(run: BackupRun, now: number, names: ReadonlySet<string> | null): Backup {
  const { place: _place, draft: _draft, updatedAt, ...parts } = run;
  const isStored = run.state === 'good' && run.removedAt === null && run.name !== null;
  const shownParts = { ...parts, isMissing: isStored && names !== null && !names.has(run.name!) };
  if (run.endedAt !== null || updatedAt > now - givenUpMs) return shownParts;
  return {
    ...shownParts,
    state: 'failed',
    error: run.error ?? givenUp,
    endedAt: updatedAt,
  };
}
