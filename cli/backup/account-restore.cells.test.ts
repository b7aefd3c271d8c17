/** One account of another cell than home, out of two backups: its rows, and its files. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, it } from 'node:test';
import { runInProcess, settingsFor } from '../../test/support/cli.ts';
import { createTestDatabase, urlOf } from '../../test/support/database.ts';
import { queryRows } from '../../test/support/dump.ts';
import { createStage } from '../../test/support/program.ts';

const stage = createStage();
after(() => stage.close());

async function createInstance() {
  const [home, eu2] = [await createTestDatabase(), await createTestDatabase()];
  const dataDir = stage.newDataDir();
  const env = { ...settingsFor(home.connection, dataDir), CELLS: `eu2=${urlOf(eu2.connection)}` };
  const run = (...args: string[]) => runInProcess(args, env);
  const drop = async () => {
    await home.drop();
    await eu2.drop();
  };
  return { home: home.connection, eu2: eu2.connection, dataDir, run, drop };
}

it('an account of another cell needs the files of the home cell; what fails leaves no address taken', async () => {
  const [source, target] = [await createInstance(), await createInstance()];
  try {
    const email = 'branch@example.com';
    const created = await source.run(
      ...['account', 'create', '--name', 'Branch', '--email', email, '--cell', 'eu2'],
    );
    assert.equal(created.code, 0, created.stderr);
    const [{ id }] = (await queryRows(source.eu2, `select id from accounts where name = 'Branch'`)) as [
      { id: string },
    ];
    const key = crypto.randomUUID();
    await queryRows(
      source.eu2,
      `insert into attachments (account_id, file_key, file_name, content_type, size, state, created_at)
       values ($1, $2, 'a.txt', 'text/plain', 4, 'stored', 1)`,
      [id, key],
    );
    const pathIn = (dataDir: string) => join(dataDir, 'files', id, 'ab', key);
    mkdirSync(dirname(pathIn(source.dataDir)), { recursive: true });
    writeFileSync(pathIn(source.dataDir), 'text');
    const folder = `${stage.newDataDir()}/`;
    const [ofCell, ofHome] = [
      await source.run('backup', '--to', folder, '--cell', 'eu2'),
      await source.run('backup', '--to', folder),
    ];
    assert.deepEqual([ofCell.code, ofHome.code], [0, 0], ofCell.stderr + ofHome.stderr);

    const restore = (...args: string[]) =>
      target.run(
        ...['account', 'restore', '--from', ofCell.stdout.trim(), '--account', id, '--confirm', 'Branch'],
        ...args,
      );
    const addresses = () => queryRows(target.home, 'select from cell_emails where account_id = $1', [id]);
    const without = await restore('--cell', 'eu2');
    assert.equal(without.code, 1);
    assert.match(without.stderr, /has files, which are in the backup of the home cell/);
    const wrong = await restore('--cell', 'eu2', '--files-from', ofCell.stdout.trim());
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /this is a backup of the cell eu2, not of home/);
    assert.equal((await restore('--files-from', ofHome.stdout.trim())).code, 2);

    const whole = ['--cell', 'eu2', '--files-from', ofHome.stdout.trim()];
    await queryRows(target.eu2, `alter table accounts add constraint none check (name <> 'Branch')`);
    const failed = await restore(...whole);
    assert.equal(failed.code, 1);
    assert.deepEqual(await addresses(), []);
    assert.equal(existsSync(pathIn(target.dataDir)), false);

    await queryRows(target.eu2, 'alter table accounts drop constraint none');
    const restored = await restore(...whole);
    assert.equal(restored.code, 0, restored.stderr);
    assert.match(restored.stderr, /\b1 file\b/);
    assert.equal(readFileSync(pathIn(target.dataDir), 'utf8'), 'text');
    assert.equal((await addresses()).length, 1);
    assert.equal(
      (await queryRows(target.eu2, 'select from attachments where file_key = $1', [key])).length,
      1,
    );
  } finally {
    await source.drop();
    await target.drop();
  }
});
