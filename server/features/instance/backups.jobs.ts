/**
 * Makes a backup. One process at a time has the job, and only it may end it. A killed process leaves an unfinished file
 * or upload, which the next attempt removes before it begins anew. A backup that has its manifest is never removed here.
 */
import { BackupError } from '../../platform/backups/backup-error.ts';
import { makeBackup } from '../../platform/backups/make.ts';
import {
  backupName,
  findGoodBackup,
  listBackups,
  type Manifest,
  removeBackup,
} from '../../platform/backups/manifest.ts';
import { isLost, lostFolder, openPlace } from '../../platform/backups/places/open.ts';
import type { BackupPlace } from '../../platform/backups/places/place.ts';
import { chooseRemoved } from '../../platform/backups/rotation.ts';
import {
  type BackupRun,
  beginRun,
  endRun,
  findRun,
  noteDraft,
  noteProgress,
  noteRemoved,
  pruneRuns,
} from '../../platform/backups/runs.sql.ts';
import { type BackupConfig, filesOf, scratchOf } from '../../platform/backups/sources.ts';
import type { BlobStore } from '../../platform/blobs/blob-store.ts';
import { forgetBackup, noteBackup } from '../../platform/db/backups.ts';
import type { Clock } from '../../platform/db/clock.ts';
import type { Db } from '../../platform/db/db.ts';
import { AppError } from '../../platform/http/errors.ts';
import { type Job, type JobHandler, JobReleased, LeaseLost } from '../../platform/jobs/jobs.ts';
import type { Logger } from '../../platform/logger.ts';
import { reasonOf, StartError } from '../../platform/start/start-error.ts';

interface Deps {
  config: BackupConfig;
  db: Db;
  instanceDb: Db;
  cell: string;
  blobs: BlobStore;
  clock: Clock;
  logger: Logger;
}

const tellEveryMs = 1_000;
const runsForMs = 400 * 86_400_000;

export function backupHandler(deps: Deps): JobHandler {
  const { config, db, instanceDb, clock, logger, cell } = deps;
  return async (job) => {
    const run = await findRun(instanceDb, String(job.payload.runId));
    if (!run || run.endedAt !== null) return;
    /** Throws LeaseLost if another process has the job: the run is that one's to end. */
    const end = async (result: Manifest | { error: string }) => {
      await db.transaction((tx) => job.keep(tx, false));
      await instanceDb.transaction((tx) => endRun(tx, run.id, clock.now(), result));
    };
    if (run.place !== config.backups.to) {
      // Perhaps the place of another instance, of which this one is a copy: nothing there is touched.
      await end({ error: `BACKUP_TO is no longer ${run.place}` });
      return;
    }
    const place = openPlace(config, run.place);
    try {
      if (await isLost(instanceDb, place, run.place)) throw new BackupError(lostFolder(run.place));
      const manifest = (await settle(deps, place, run)) ?? (await make(deps, job, run, place));
      await end(manifest);
      logger.info(
        { cell, backup: manifest.name, bytes: manifest.bytes, verified: manifest.verifiedAt !== null },
        'a backup was made',
      );
      await rotate(deps, place).catch((error) =>
        logger.error(
          { err: error, cell },
          'old backups could not be removed; the next backup tries it again',
        ),
      );
    } catch (error) {
      if (error instanceof JobReleased || error instanceof LeaseLost) throw error;
      logger.error({ err: error, cell }, 'a backup failed');
      await end({ error: wordsOf(error) });
    } finally {
      await place.close();
    }
  };
}

/** A message for the operator; one of another kind may hold an address with a password. */
function wordsOf(error: unknown): string {
  const { code } = error as { code?: string };
  const isKnown = [BackupError, AppError, StartError].some((kind) => error instanceof kind);
  return isKnown ? reasonOf(error) : `${code ?? (error as Error).name}: see the log of the worker`;
}

/** What a killed process has left: the whole backup, with its manifest, or what is removed. Null: there is none now. */
async function settle(
  { db }: Deps,
  place: BackupPlace,
  { name, draft }: BackupRun,
): Promise<Manifest | null> {
  if (name === null) return null;
  if (draft !== null) await place.discard(name, draft);
  const manifest = await findGoodBackup(place, name);
  if (manifest) return manifest;
  // It may be complete, but it was not verified and cannot be now: its second key is gone.
  await removeBackup(place, name);
  await db.transaction((tx) => forgetBackup(tx, name));
  return null;
}

async function make(deps: Deps, job: Job, run: BackupRun, place: BackupPlace): Promise<Manifest> {
  const { config, db, instanceDb, cell, clock, blobs } = deps;
  const { publicKeys } = config.backups;
  const now = clock.now();
  const name = backupName(cell, now, publicKeys.length > 0);
  await instanceDb.transaction((tx) => beginRun(tx, run.id, name, publicKeys.length > 0, now));
  let toldAt = 0;
  let isNoted = false;
  const made = makeBackup({
    connection: db.connection,
    cell,
    files: cell === 'home' ? filesOf(config, blobs) : null,
    place,
    name,
    publicKeys,
    scratch: scratchOf(config, db.connection),
    hasManifest: true,
    now,
    onDraft: (draft) => instanceDb.transaction((tx) => noteDraft(tx, run.id, draft)),
    onStep(state, { rows, files }) {
      if (job.isStopping()) throw new JobReleased('the service is stopping');
      if (Date.now() - toldAt < tellEveryMs) return;
      toldAt = Date.now();
      const progress = { state, rows, files, now: clock.now() };
      instanceDb.transaction((tx) => noteProgress(tx, run.id, progress)).catch(() => {}); // repeated in a second
    },
    // An erasure names it from now on, and only the process with the job completes it.
    onDone() {
      isNoted = true;
      return db.transaction(async (tx) => {
        await job.keep(tx, false);
        await noteBackup(tx, name, now);
      });
    },
  });
  try {
    return (await made).manifest;
  } catch (error) {
    // Before that the name may be one of another backup.
    if (isNoted) {
      await removeBackup(place, name)
        .then(() => db.transaction((tx) => forgetBackup(tx, name)))
        .catch(() => {}); // still there, and still named
    }
    throw error;
  }
}

async function rotate(
  { config, db, instanceDb, cell, clock, logger }: Deps,
  place: BackupPlace,
): Promise<void> {
  const manifests = (await listBackups(place)).flatMap(({ manifest }) => manifest ?? []);
  const own = manifests.filter((manifest) => manifest.cell === cell);
  for (const { name } of chooseRemoved(own, config.backups.keep)) {
    await removeBackup(place, name);
    await db.transaction((tx) => forgetBackup(tx, name));
    await instanceDb.transaction((tx) => noteRemoved(tx, name, clock.now()));
    logger.info({ cell, backup: name }, 'an old backup was removed');
  }
  await instanceDb.transaction((tx) => pruneRuns(tx, clock.now() - runsForMs));
}
