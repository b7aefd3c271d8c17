/** Backups of a whole service: one that is killed, and one that starts on its own backup. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { readConfig } from '../../server/config.ts';
import { requestBackups } from '../../server/features/instance/backups.ts';
import { createDb } from '../../server/platform/db/db.ts';
import { runInProcess, settingsFor } from '../support/cli.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { queryRows } from '../support/dump.ts';
import { eventually } from '../support/eventually.ts';
import { createStage } from '../support/program.ts';

const stage = createStage();
after(() => stage.close());

describe('a service that is killed while it makes a backup', () => {
  const folder = stage.newDataDir();
  const settings = { BACKUP_TO: folder, BACKUP_SCHEDULE: '03:15', BACKUP_KEEP: '14' };
  const envOf = ({ connection }: TestDatabase) => ({
    ...settingsFor(connection, stage.newDataDir()),
    ...settings,
  });
  const goodRuns = ({ connection }: TestDatabase) =>
    queryRows<{ name: string }>(connection, `select name from backup_runs where state = 'good'`);
  const hasPartial = () => readdirSync(folder).some((name) => name.endsWith('.partial'));
  let database: TestDatabase;
  /** Of the backup that was made after the kill. */
  let name: string;
  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());

  it('leaves nothing that is listed as good; after its start the backup is made', async () => {
    const env = envOf(database);
    // The backup stops in the middle: it waits for this table.
    const client = new pg.Client(database.connection);
    await client.connect();
    try {
      await client.query('begin; lock table contact_merges in access exclusive mode');
      const first = await stage.start(env);
      await eventually(
        async () =>
          (
            await queryRows(
              database.connection,
              `select from backup_runs where state = 'writing' and draft is not null`,
            )
          ).length > 0,
        60_000,
      );
      await eventually(hasPartial, 60_000);
      await first.stop('SIGKILL');
      await client.query('rollback');
    } finally {
      await client.end();
    }
    assert.deepEqual(JSON.parse((await runInProcess(['backup', 'list', '--json'], env)).stdout), []);
    const second = await stage.start(env);
    await eventually(async () => (await goodRuns(database)).length === 1, 120_000);
    await eventually(() => !hasPartial(), 30_000);
    await second.stop();
    name = (await goodRuns(database))[0]!.name;
    assert.deepEqual(readdirSync(folder).sort(), [name, `${name}.json`]);
    const verified = await runInProcess(['backup', 'verify', '--from', join(folder, name)], env);
    assert.equal(verified.code, 0, verified.stderr);
  });

  it('keeps the backup when it starts on it restored, and makes the next one', async () => {
    const target = await createTestDatabase({ empty: true });
    try {
      const env = envOf(target);
      const back = await runInProcess(['restore', '--from', name], env);
      assert.equal(back.code, 0, back.stderr);
      // It holds the run and the job that made it.
      assert.deepEqual(await queryRows(target.connection, 'select name, state, error from backup_runs'), [
        { name, state: 'failed', error: 'the instance was restored' },
      ]);
      assert.deepEqual(await queryRows(target.connection, `select from jobs where kind = 'backup'`), []);
      const db = createDb({ connection: target.connection, poolSize: 2 });
      try {
        await requestBackups(
          { config: readConfig(env), instanceDb: db, homes: [{ db, cell: 'home' }] },
          Date.now(),
        );
      } finally {
        await db.close();
      }
      const service = await stage.start(env);
      await eventually(async () => (await goodRuns(target)).length === 1, 120_000);
      await service.stop();
      const made = (await goodRuns(target)).map((run) => run.name);
      assert.deepEqual(
        readdirSync(folder).sort(),
        [name, ...made].flatMap((one) => [one, `${one}.json`]).sort(),
      );
    } finally {
      await target.drop();
    }
  });
});
