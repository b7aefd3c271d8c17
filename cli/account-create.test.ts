import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { runCli, runInProcess, settingsFor, settingsOf } from '../test/support/cli.ts';
import { createTestDatabase } from '../test/support/database.ts';
import { queryRows } from '../test/support/dump.ts';
import { startTestService, type TestService } from '../test/support/service.ts';

describe('talkboard account create', () => {
  let service: TestService;
  let settings: Record<string, string>;
  before(async () => {
    service = await startTestService();
    settings = settingsOf(service);
  });
  after(() => service.close());

  const create = (args: string[]) => runInProcess(['account', 'create', ...args], settings);

  it('makes an account with a default board and prints a password that works', async () => {
    const { code, stdout } = await create(['--name', 'Branch', '--email', 'Owner@Branch.example']);
    assert.equal(code, 0);
    const [, email, password] = /e-mail {4}(\S+)\npassword {2}(\S+)\n/.exec(stdout)!;
    assert.equal(email, 'owner@branch.example');
    const jwt = await service.login(email!, password!);
    const me = await service.call('GET', '/auth/me', { token: jwt });
    assert.equal(me.body.account.name, 'Branch');
    assert.equal(me.body.user.role, 'admin');
    const boards = await service.call('GET', '/kanbans', { token: jwt });
    assert.equal(boards.body.items.length, 1);
    assert.equal(boards.body.items[0].isDefault, true);
    // Not the instance administrator: there is one already.
    assert.equal((await service.call('GET', '/admin/accounts', { token: jwt })).status, 403);
  });

  it('takes the password from an option or standard input and does not repeat it', async () => {
    const password = 'chosen by the caller';
    const byOption = await create([
      '--name',
      'A',
      '--email',
      'a@x.example',
      '--password',
      password,
      '--json',
    ]);
    const byInput = await runCli(
      ['account', 'create', '--name', 'B', '--email', 'b@x.example', '--password', '-'],
      settings,
      { stdin: `${password}\n` },
    );
    for (const [email, { code, stdout, stderr }] of [
      ['a@x.example', byOption],
      ['b@x.example', byInput],
    ] as const) {
      assert.equal(code, 0, stderr);
      assert.ok(!(stdout + stderr).includes(password));
      assert.ok(await service.login(email, password));
    }
    assert.deepEqual(Object.keys(JSON.parse(byOption.stdout)), ['account', 'user']);
  });

  it('refuses an address that is in use, one that is none, and a short or common password', async () => {
    const used = await create(['--name', 'C', '--email', service.admin.email]);
    assert.equal(used.code, 1);
    assert.match(used.stderr, /^talkboard account create: email is already in use\n$/);
    assert.equal((await create(['--name', 'C', '--email', 'nobody'])).code, 1);
    const short = await create(['--name', 'C', '--email', 'c@x.example', '--password', 'short']);
    assert.equal(short.code, 1);
    assert.match(short.stderr, /at least 10 characters/);
    for (const [password, said] of [
      ['Password123', /--password is one of the most common passwords/],
      ['C@X.example', /--password must not be the e-mail address/],
    ] as const) {
      const weak = await create(['--name', 'C', '--email', 'c@x.example', '--password', password]);
      assert.equal(weak.code, 1);
      assert.match(weak.stderr, said);
    }
    const accounts = await queryRows(service.connection, `select from accounts where name = 'C'`);
    assert.equal(accounts.length, 0);
  });

  it('makes the administrator of the instance in an empty database', async () => {
    const database = await createTestDatabase({ empty: true });
    const empty = settingsFor(database.connection, service.context.config.dataDir);
    try {
      const args = ['account', 'create', '--name', 'First', '--email', 'first@x.example'];
      const tooEarly = await runInProcess(args, empty);
      assert.equal(tooEarly.code, 1);
      assert.match(tooEarly.stderr, /run talkboard migrate/);
      assert.equal((await runInProcess(['migrate'], empty)).code, 0);
      assert.equal((await runInProcess(args, empty)).code, 0);
      const users = await queryRows(database.connection, 'select email, is_instance_admin from users');
      assert.deepEqual(users, [{ email: 'first@x.example', is_instance_admin: true }]);
    } finally {
      await database.drop();
    }
  });
});
