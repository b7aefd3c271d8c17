import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { runCli, settingsOf } from '../test/support/cli.ts';
import { startTestService, type TestService } from '../test/support/service.ts';

describe('the commands of an instance with cells', () => {
  let service: TestService;
  let run: (...args: string[]) => ReturnType<typeof runCli>;
  before(async () => {
    service = await startTestService({ cells: ['eu2'] });
    const settings = settingsOf(service);
    run = (...args) => runCli(args, settings);
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
});
