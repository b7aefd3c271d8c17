/** Backups of a whole service: one that is killed, and one that starts on its own backup. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import pg from 'pg';
import { runCli, settingsFor } from '../../../test/support/cli.ts';
import { createTestDatabase } from '../../../test/support/database.ts';
import { queryRows } from '../../../test/support/dump.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { createStage } from '../../../test/support/program.ts';
import { readConfig } from '../../config.ts';
import { createDb } from '../../platform/db/db.ts';
import { requestBackups } from './backups.ts';

const stage = createStage();
after(() => stage.close());

describe('a service that is killed while it makes a backup', () => {
  it('leaves nothing that is listed as good; after its start the backup is made', async () => {
    const [dataDir, folder] = [stage.newDataDir(), stage.newDataDir()];
    const database = await createTestDatabase();
    const env = { ...settingsFor(database.connection, dataDir), BACKUP_TO: folder, BACKUP_SCHEDULE: '03:15' };
    // The backup stops in the middle: it waits for this table.
    const client = new pg.Client(database.connection);
    await client.connect();
    try {
      await client.query('begin; lock table contact_merges in access exclusive mode');
      const first = await stage.start(env);
      const hasGood = () => readdirSync(folder).some((name) => name.endsWith('.json'));
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
      await eventually(() => readdirSync(folder).some((name) => name.endsWith('.partial')), 60_000);
      await first.stop('SIGKILL');
      await client.query('rollback');
      assert.deepEqual(JSON.parse((await runCli(['backup', 'list', '--json'], env)).stdout), []);
      const second = await stage.start(env);
      await eventually(hasGood, 120_000);
      await eventually(() => !readdirSync(folder).some((name) => name.endsWith('.partial')), 30_000);
      await second.stop();
      const good = readdirSync(folder).find((name) => name.endsWith('.json'))!;
      const { name } = JSON.parse(readFileSync(join(folder, good), 'utf8'));
      assert.ok(existsSync(join(folder, name)));
      const verified = await runCli(['backup', 'verify', '--from', join(folder, name)], env);
      assert.equal(verified.code, 0, verified.stderr);
    } finally {
      await client.end();
      await database.drop();
    }
  });
});

describe('a service that starts on its own restored backup', () => {
  it('keeps the backup, and makes the next one', async () => {
    const folder = stage.newDataDir();
    const [database, target] = [await createTestDatabase(), await createTestDatabase({ empty: true })];
    const envOf = (connection: typeof database.connection) => ({
      ...settingsFor(connection, stage.newDataDir()),
      BACKUP_TO: folder,
      BACKUP_SCHEDULE: '03:15',
      BACKUP_KEEP: '14',
    });
    const goodRuns = (connection: typeof database.connection) =>
      queryRows<{ name: string }>(connection, `select name from backup_runs where state = 'good'`);
    try {
      const first = await stage.start(envOf(database.connection));
      await eventually(async () => (await goodRuns(database.connection)).length === 1, 120_000);
      await first.stop();
      const [{ name }] = (await goodRuns(database.connection)) as [{ name: string }];
      const env = envOf(target.connection);
      const back = await runCli(['restore', '--from', name], env);
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
      const second = await stage.start(env);
      await eventually(async () => (await goodRuns(target.connection)).length === 1, 120_000);
      await second.stop();
      const made = (await goodRuns(target.connection)).map((run) => run.name);
      assert.deepEqual(
        readdirSync(folder).sort(),
        [name, ...made].flatMap((one) => [one, `${one}.json`]).sort(),
      );
    } finally {
      await database.drop();
      await target.drop();
    }
  });
});
