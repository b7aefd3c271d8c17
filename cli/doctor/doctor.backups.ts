/** Whether scheduled backups can be made, and whether the last one was. */
import type { Config } from '../../server/config.ts';
import { isLost, lostFolder, openPlace } from '../../server/platform/backups/places/open.ts';
import { findFirstTime, selectLastRuns } from '../../server/platform/backups/runs.sql.ts';
import { lastDue } from '../../server/platform/backups/schedule.ts';
import { mayCreateScratch } from '../../server/platform/backups/scratch.sql.ts';
import { scratchOf } from '../../server/platform/backups/sources.ts';
import { homeCell } from '../../server/platform/cells/cell-settings.ts';
import type { Db } from '../../server/platform/db/db.ts';
import { reasonOf } from '../../server/platform/start/start-error.ts';
import { type Finding, fail, ok, warn } from './doctor.checks.ts';

const hourMs = 3_600_000;
/** From the time that it was due. */
const lateMs = 2 * hourMs;

/** `db`: null if it cannot be asked. */
export async function checkBackups(config: Config, db: Db | null): Promise<Finding> {
  const { to, schedule, publicKeys } = config.backups;
  if (to === '')
    return warn(
      'the service makes none: BACKUP_TO is not set',
      'Set it, and BACKUP_SCHEDULE: see docs/backups.md.',
    );
  const place = openPlace(config, to);
  try {
    await place.list();
    if (db && (await isLost(db, place, to))) {
      return fail(lostFolder(to), 'Mount it. If it was removed for good, create it again.');
    }
  } catch (error) {
    const reason = reasonOf(error);
    return fail(
      reason.includes(place.text) ? reason : `${to} cannot be read: ${reason}`,
      'Correct BACKUP_TO, or the rights of the user.',
    );
  } finally {
    await place.close();
  }
  if (!db) return ok(`to ${to}`);
  const cells = [homeCell, ...config.cells.map(({ name }) => name)];
  for (const cell of cells) {
    const problem = await findProblem(config, db, cell);
    if (problem) return problem;
  }
  if (!(await mayCreateScratch(scratchOf(config, db.connection)))) {
    return warn(
      'backups are not verified: the role of the database may not create a scratch database',
      'Run ALTER ROLE … CREATEDB, or set BACKUP_SCRATCH_URL.',
    );
  }
  if (publicKeys.length === 0) {
    return warn(
      'backups are not encrypted',
      'Run talkboard backup keygen elsewhere and set BACKUP_PUBLIC_KEY.',
    );
  }
  const { good } = await selectLastRuns(db, homeCell);
  const last = good ? `, the last one of ${new Date(good.createdAt).toISOString()}` : ', none yet';
  return ok(`${schedule ? 'by schedule' : 'on request'} to ${to}, encrypted${last}`);
}

async function findProblem(config: Config, db: Db, cell: string): Promise<Finding | null> {
  const { schedule } = config.backups;
  const ofCell = cell === homeCell ? '' : ` of the cell ${cell}`;
  const { good, ended } = await selectLastRuns(db, cell);
  if (ended?.state === 'failed') {
    return fail(
      `the last backup${ofCell} failed: ${ended.error}`,
      'The next one is tried within half an hour, or start it in the dashboard.',
    );
  }
  if (!schedule) return null;
  const late = Date.now() - lateMs;
  const advice = 'No worker has made one since: does a process with PROCESS_ROLE worker or all run?';
  if (good) {
    return good.createdAt < lastDue(schedule, late)
      ? fail(`the last backup${ofCell} is of ${new Date(good.createdAt).toISOString()}`, advice)
      : null;
  }
  const first = await findFirstTime(db, cell);
  if (first === null || first >= late) return null;
  return fail(
    `there is no good backup${ofCell}; the first was begun at ${new Date(first).toISOString()}`,
    advice,
  );
}
