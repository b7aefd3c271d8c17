import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createDb } from '../../server/platform/db/db.ts';
import { sql } from '../../server/platform/db/sql.ts';
import { runInProcess, settingsOf } from '../../test/support/cli.ts';
import { createTestDatabase, urlOf } from '../../test/support/database.ts';
import { startTestService, type TestService } from '../../test/support/service.ts';

describe('the commands of an instance with cells', () => {
  let service: TestService;
  let settings: Record<string, string>;
  let run: (...args: string[]) => ReturnType<typeof runInProcess>;
  before(async () => {
    service = await startTestService({ cells: ['eu2'] });
    settings = settingsOf(service);
    run = (...args) => runInProcess(args, settings);
  });
  after(() => service.close());

  const list = async () => {
    const { stdout } = await run('cells', '--json');
    return JSON.parse(stdout) as { name: string; accounts: number; weight: number; drained: boolean }[];
  };
  const accountsIn = async () =>
    Object.fromEntries((await list()).map(({ name, accounts }) => [name, accounts]));
  let branchToken = '';
  let created = 0;
  const create = (...args: string[]) =>
    run('account', 'create', '--name', `Branch ${++created}`, '--email', `b${created}@example.com`, ...args);

  it('create accounts in a cell, which answers for them and their tokens', async () => {
    const { code, stdout, stderr } = await create('--cell', 'eu2');
    assert.equal(code, 0, stderr);
    assert.deepEqual(await accountsIn(), { home: 1, eu2: 1 });
    const [, password] = /password {2}(\S+)\n/.exec(stdout)!;
    const jwt = await service.login('b1@example.com', password!);
    assert.equal((await service.call('GET', '/account', { token: jwt })).body.name, 'Branch 1');
    const token = await run('token', 'create', '--name', 'x', '--account', 'Branch 1');
    assert.equal(token.code, 0, token.stderr);
    branchToken = token.stdout.trim();
    const own = await service.call('GET', '/account', { token: branchToken });
    assert.equal(own.body.name, 'Branch 1');
    const unknown = await create('--cell', 'eu9');
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /there is no cell "eu9", only home, eu2/);
  });

  it('spread new accounts by weight, and not to a drained cell', async () => {
    const before = await accountsIn();
    assert.equal((await run('cells', 'weight', '--cell', 'eu2', '--weight', '1000')).code, 0);
    assert.equal((await create()).code, 0);
    assert.equal((await accountsIn()).eu2, before.eu2! + 1);
    assert.equal((await run('cells', 'drain', '--cell', 'eu2')).code, 0);
    assert.equal((await create()).code, 0);
    assert.equal((await accountsIn()).home, before.home! + 1);
    const cell = (await list()).find(({ name }) => name === 'eu2')!;
    assert.deepEqual([cell.weight, cell.drained], [1000, true]);
    assert.equal((await run('cells', 'drain', '--cell', 'eu2', '--undo')).code, 0);
    assert.match((await run('cells')).stdout, /^eu2 +2 +\d+ MB +1000$/m);
    assert.equal((await run('cells', 'weight', '--cell', 'eu2', '--weight', '-1')).code, 2);
  });

  it('move an account, and show how far it is', async () => {
    const move = (...args: string[]) => run('account', 'move', '--account', 'Branch 1', ...args);
    assert.equal((await move()).code, 2);
    assert.match((await move('--status')).stderr, /was never moved/);
    const { code, stdout, stderr } = await move('--to', 'home');
    assert.equal(code, 0, stderr);
    assert.match(stderr, /from eu2 to home: copying, \d+ of \d+ rows/);
    assert.match(stdout, /from eu2 to home: moved, writes waited for \d+ ms/);
    assert.match((await move('--status')).stdout, /from eu2 to home: moved/);
    assert.match((await move('--cancel')).stderr, /move not found/);
    const own = await service.call('GET', '/account', { token: branchToken });
    assert.equal(own.body.name, 'Branch 1');
    const admin = await run('account', 'move', '--account', service.admin.accountId, '--to', 'eu2');
    assert.equal(admin.code, 1);
    assert.match(admin.stderr, /administrator of the instance/);
  });

  it('move all accounts out of a cell', async () => {
    const { code, stderr } = await run('cells', 'drain', '--cell', 'home', '--move');
    assert.equal(code, 0, stderr);
    assert.equal((await accountsIn()).home, 1);
    const own = await service.call('GET', '/account', { token: branchToken });
    assert.equal(own.body.name, 'Branch 1');
    const both = await run('cells', 'drain', '--cell', 'eu2', '--move');
    assert.match(both.stderr, /no other cell takes accounts/);
    for (const name of ['home', 'eu2']) await run('cells', 'drain', '--cell', name, '--undo');
  });

  it('migrate and re-encrypt every database', async () => {
    const status = JSON.parse((await run('migrate', '--json')).stdout);
    assert.deepEqual(
      status.map(({ cell, pending }: { cell: string; pending: string[] }) => [cell, pending]),
      [
        ['home', []],
        ['eu2', []],
      ],
    );
    const { code, stdout } = await run('rotate-key', '--json');
    assert.equal(code, 0);
    const names = JSON.parse(stdout).columns.map(({ name }: { name: string }) => name);
    assert.ok(names.some((name: string) => name.startsWith('eu2: ')));
  });

  it('check and re-index every database', async () => {
    const checked = await run('doctor', '--json');
    const { 'cell eu2': finding } = JSON.parse(checked.stdout);
    assert.equal(finding.status, 'ok', JSON.stringify(finding));
    const { code, stderr } = await run('reindex');
    assert.equal(code, 0, stderr);
    assert.match(stderr, /^home: /m);
    assert.match(stderr, /^eu2: /m);
  });

  it('refuse a database that is not the cell, or that another release has', async () => {
    const other = await createTestDatabase();
    try {
      const elsewhere = { ...settings, CELLS: `eu3=${service.context.config.cells[0]!.url}` };
      for (const args of [['cells'], ['account', 'create', '--name', 'X', '--email', 'x@example.com']]) {
        const { code, stderr } = await runInProcess(args, elsewhere);
        assert.equal(code, 1);
        assert.match(stderr, /CELLS calls a database eu3, but it is the cell eu2/);
      }
      const found = JSON.parse((await runInProcess(['doctor', '--json'], elsewhere)).stdout)['cell eu3'];
      assert.equal(found.status, 'fail');
      assert.match(found.message, /it is the cell eu2/);

      const client = createDb({ connection: other.connection, poolSize: 1 });
      await client.autocommit(sql`delete from schema_migrations where name like '0064%'`);
      await client.close();
      const older = { ...settings, CELLS: `${settings.CELLS},eu4=${urlOf(other.connection)}` };
      const { code, stderr } = await runInProcess(['cells'], older);
      assert.equal(code, 1);
      assert.match(stderr, /the database of the cell eu4 lacks 1 migration\(s\)/);
    } finally {
      await other.drop();
    }
  });

  it('back up and restore the database of a cell', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'talkboard-backup-'));
    const empty = await createTestDatabase({ empty: true });
    try {
      const made = await run('backup', '--to', folder, '--cell', 'eu2');
      assert.equal(made.code, 0, made.stderr);
      const file = made.stdout.trim();
      assert.match(file, /talkboard-eu2-[^/]*\.backup\.gz$/);
      const target = { ...settings, CELLS: `eu2=${urlOf(empty.connection)}` };
      const wrong = await runInProcess(['restore', '--from', file], settings);
      assert.equal(wrong.code, 1);
      const restored = await runInProcess(['restore', '--from', file, '--cell', 'eu2'], target);
      assert.equal(restored.code, 0, restored.stderr);
      const after = JSON.parse((await runInProcess(['cells', '--json'], target)).stdout);
      assert.equal(after.length, 2);
      const repair = await runInProcess(['cells', 'repair'], target);
      assert.equal(repair.code, 0, repair.stdout + repair.stderr);
      const home = await run('backup', '--to', folder);
      const refused = await runInProcess(
        ['restore', '--from', home.stdout.trim(), '--cell', 'eu2', '--force'],
        target,
      );
      assert.match(refused.stderr, /this is a backup of the home cell/);
      assert.match((await run('backup', '--to', folder, '--cell', 'eu9')).stderr, /there is no cell "eu9"/);
    } finally {
      await empty.drop();
      rmSync(folder, { recursive: true });
    }
  });

  it('accept a new key in every database', async () => {
    const lost = { ...settings, SECRET_KEY: 'another key that is long enough for it' };
    const { stderr } = await runInProcess(['cells'], lost);
    assert.match(stderr, /cannot decrypt the secrets/);
    const accepted = await runInProcess(['rotate-key', '--accept-loss'], lost);
    assert.equal(accepted.code, 0, accepted.stderr);
    const after = await runInProcess(['cells'], lost);
    assert.equal(after.code, 0, after.stderr);
  });
});
