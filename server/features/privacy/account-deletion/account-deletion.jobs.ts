/**
 * The work of deleting an account, which is suspended since it was requested: its files, then its rows table by table in
 * small batches, then the account itself. Every part can be repeated: a killed worker's successor finds what is left.
 */
import type { BlobStore } from '../../../platform/blobs/blob-store.ts';
import { findCell, forgetDeletedAccount } from '../../../platform/cells/directory.sql.ts';
import { removeLeftRows } from '../../../platform/cells/move/settle.ts';
import type { Clock } from '../../../platform/db/clock.ts';
import type { Db, Tx } from '../../../platform/db/db.ts';
import { takeBackLiveChanges } from '../../../platform/events/live-changes.ts';
import { type Job, type JobHandler, JobPostponed, JobReleased } from '../../../platform/jobs/jobs.ts';
import type { Logger } from '../../../platform/logger.ts';
import { type AccountHomes, deleteAccountRow, findDeletion } from '../../accounts/accounts.ts';
import { markAllErased, removeErasedFiles } from '../../attachments/attachments.ts';
import { eraseAllImports } from '../../imports/imports.ts';
import { deleteRows, deleteSignals, selectTablesOfAccounts } from './account-deletion.sql.ts';

export interface AccountDeletionDeps {
  db: Db;
  /** Of the home cell, which has the directory. */
  instanceDb: Db;
  /** The name of the cell of `db`. */
  cell: string;
  accountHomes: Pick<AccountHomes, 'all'>;
  blobs: BlobStore;
  clock: Clock;
  logger: Logger;
}

const rowsAtOnce = 1_000;
const tableOfFiles = 'attachments';
/** What was in progress when the account was suspended has ended by then, and wrote what it had to. */
const lookAgainMs = 5_000;

export function accountDeletionHandler(deps: AccountDeletionDeps): JobHandler {
  const { db, instanceDb, cell, logger } = deps;
  return async (job) => {
    const accountId = String(job.payload.accountId);
    const state = await findDeletion(db, accountId);
    if (state === 'kept') return;
    const listed = await findCell(instanceDb, accountId);
    // It lives elsewhere: nothing of it may be removed because of what was here.
    if (listed !== null && listed !== cell) return;
    // Rows that were written meanwhile in a table that came before: until a whole pass finds nothing.
    do await removeFiles(deps, job, accountId);
    while ((await removeRows(deps, job, accountId)) > 0);
    if (state === 'deleting') {
      await batch(deps, job, async (tx) => {
        await deleteSignals(tx, accountId);
        await deleteAccountRow(tx, accountId);
        await takeBackLiveChanges(tx, accountId, { except: '' });
      });
      throw new JobPostponed(lookAgainMs);
    }
    // While the directory still knows that the account does not exist.
    for (const other of await deps.accountHomes.all()) await removeLeftRows(other.db, accountId);
    await instanceDb.transaction((tx) => forgetDeletedAccount(tx, accountId, cell));
    logger.info({ accountId }, 'an account was deleted');
  };
}

async function batch<T>({ db }: AccountDeletionDeps, job: Job, part: (tx: Tx) => Promise<T>): Promise<T> {
  if (job.isStopping()) throw new JobReleased('the service is stopping');
  return db.transaction(async (tx) => {
    await job.keep(tx);
    return part(tx);
  });
}

async function removeFiles(deps: AccountDeletionDeps, job: Job, accountId: string): Promise<void> {
  for (let last: string | null = null; ; ) {
    const after: string | null = last;
    last = await batch(deps, job, (tx) => markAllErased(tx, accountId, after, rowsAtOnce));
    if (last === null) break;
  }
  await removeErasedFiles(deps, accountId, () => batch(deps, job, async () => undefined));
  await eraseAllImports(deps, accountId);
}

/** Returns how many rows there were. */
async function removeRows(deps: AccountDeletionDeps, job: Job, accountId: string): Promise<number> {
  let sum = 0;
  for (const table of await selectTablesOfAccounts(deps.db)) {
    // Only with the files: without its row a file could no longer be found.
    if (table === tableOfFiles) continue;
    for (let count = rowsAtOnce; count === rowsAtOnce; ) {
      count = await batch(deps, job, async (tx) => {
        const deleted = await deleteRows(tx, table, accountId, rowsAtOnce);
        // No client is connected, and the changes would be rows of the account again.
        if (deleted > 0) await takeBackLiveChanges(tx, accountId, { except: '' });
        return deleted;
      });
      sum += count;
    }
  }
  return sum;
}
