/** Scheduled backups of an instance with two databases: one file for each, which together bring everything back. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, it } from 'node:test';
import { runInProcess, settingsFor } from '../../../test/support/cli.ts';
import { type Connection, createTestDatabase, urlOf } from '../../../test/support/database.ts';
import { dumpTables } from '../../../test/support/dump.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { createStage } from '../../../test/support/program.ts';
import { startTestService } from '../../../test/support/service.ts';
import { selectRuns } from '../../platform/backups/runs.sql.ts';
import { cellOfAccount } from '../../platform/cells/directory.ts';
import { startJobs } from '../../platform/jobs/jobs.ts';
import { backupHandler } from './backups.jobs.ts';
import { backupJobKind, enqueueDueBackup } from './backups.ts';

const stage = createStage();
after(() => stage.close());

/** What the backup itself and the workers have written since. */
const writtenSince = ['schema_migrations', 'backups', 'backup_runs', 'jobs', 'housekeeping_steps'];
/** Specific to the database of the row, so different after a restore. */
const transactionIds = {
  records: ['changed_xid'],
  record_deletions: ['changed_xid'],
  kanbans: ['fields_changed_xid'],
};

async function dump(connection: Connection) {
  const tables = await dumpTables(connection, transactionIds);
  for (const table of writtenSince) delete tables[table];
  return tables;
}

it('each database has its own backup by the schedule, the files are in that of home, and all comes back', async () => {
  const folder = stage.newDataDir();
  const service = await startTestService({
    cells: ['eu2'],
    env: { BACKUP_TO: folder, BACKUP_SCHEDULE: '1h' },
  });
  const targets = [await createTestDatabase({ empty: true }), await createTestDatabase({ empty: true })];
  try {
    const { instanceDb, clock } = service.context;
    const accounts = new Map<string, string>();
    while (accounts.size < 2) {
      const { accountId, token } = await service.createAccount();
      accounts.set((await cellOfAccount(instanceDb, accountId)) ?? 'home', accountId);
      const body = { title: 'Row by row 🙂' };
      assert.equal((await service.call('POST', '/crm/records', { token, body })).status, 201);
    }
    const file = (dataDir: string) => join(dataDir, 'files', accounts.get('eu2')!, 'ab', 'kept');
    mkdirSync(dirname(file(service.context.config.dataDir)), { recursive: true });
    writeFileSync(file(service.context.config.dataDir), 'of the other cell');

    const contexts = ['home', 'eu2'].map((cell) => service.contextOf(cell));
    const now = clock.now();
    for (const context of contexts) await enqueueDueBackup(context, now);
    const workers = contexts.map((context) =>
      startJobs({
        db: context.db,
        logger: context.logger,
        handlers: { [backupJobKind]: backupHandler(context) },
        concurrency: 1,
      }),
    );
    try {
      await eventually(async () => {
        const runs = await selectRuns(instanceDb, 10);
        return runs.length === 2 && runs.every(({ endedAt }) => endedAt !== null);
      }, 120_000);
    } finally {
      await Promise.all(workers.map((worker) => worker.stop()));
    }
    const runs = await selectRuns(instanceDb, 10);
    assert.deepEqual(runs.map(({ cell, state, files }) => [cell, state, files > 0]).sort(), [
      ['eu2', 'good', false],
      ['home', 'good', true],
    ]);
    assert.ok(runs.every(({ verifiedAt }) => verifiedAt !== null));

    const [home, eu2] = targets.map(({ connection }) => connection) as [Connection, Connection];
    const dataDir = stage.newDataDir();
    const env = { ...settingsFor(home, dataDir), BACKUP_TO: folder, CELLS: `eu2=${urlOf(eu2)}` };
    for (const { cell, name } of runs) {
      const at = cell === 'home' ? [] : ['--cell', cell];
      const back = await runInProcess(['restore', '--from', name!, ...at], env);
      assert.equal(back.code, 0, back.stderr);
    }
    assert.deepEqual(await dump(home), await dump(service.connection));
    const { connection } = service.contextOf('eu2').db;
    assert.deepEqual(await dump(eu2), await dump(connection as Connection));
    assert.equal(readFileSync(file(dataDir), 'utf8'), 'of the other cell');
  } finally {
    await service.close();
    for (const target of targets) await target.drop();
  }
});
