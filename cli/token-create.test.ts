import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { defaultScopes } from '../contract/limits.ts';
import { runCli, runInProcess, settingsOf } from '../test/support/cli.ts';
import { startTestService, type TestService } from '../test/support/service.ts';

describe('talkboard token create', () => {
  let service: TestService;
  let settings: Record<string, string>;
  before(async () => {
    service = await startTestService();
    settings = settingsOf(service);
  });
  after(() => service.close());

  const create = (...args: string[]) => runInProcess(['token', 'create', ...args], settings);

  it('prints a token, and nothing else, that works at once', async () => {
    const { code, stdout, stderr } = await runCli(
      ['token', 'create', '--name', 'from the terminal'],
      settings,
    );
    assert.equal(code, 0);
    assert.match(stdout, /^tb_[\w-]{65}\n$/);
    assert.match(stderr, /shown only once/);
    const answer = await service.call('GET', '/crm/records', { token: stdout.trim() });
    assert.equal(answer.status, 200);
    const { body } = await service.call('GET', '/audit-log?limit=1');
    assert.equal(body.items[0].action, 'api_token.created');
    assert.deepEqual(body.items[0].actor, { type: 'system', id: 'system', name: 'Talkboard' });
  });

  it('gives the whole answer as JSON, with the default scopes', async () => {
    const { stdout, stderr } = await create('--name', 'json', '--json');
    const { token: secret, ...token } = JSON.parse(stdout);
    assert.match(secret, /^tb_/);
    assert.equal(stderr, '');
    assert.equal(token.name, 'json');
    assert.equal(token.createdBy.id, service.admin.userId, 'it belongs to the first administrator');
    assert.deepEqual(token.scopes, defaultScopes);
    assert.equal(token.expiresAt, null);
    const { body } = await service.call('GET', '/api-tokens');
    const listed = body.items.find((item: { id: string }) => item.id === token.id);
    assert.deepEqual(listed, token);
  });

  it('gives exactly the scopes and the lifetime that were asked for', async () => {
    const before = service.context.clock.now();
    const { stdout } = await create(
      '--name',
      'x',
      '--scopes',
      'crm:read, manage',
      '--expires',
      '30d',
      '--json',
    );
    const token = JSON.parse(stdout);
    assert.deepEqual(token.scopes, ['crm:read', 'manage']);
    const days = (token.expiresAt - before) / 86_400_000;
    assert.ok(days > 29.99 && days < 30.01, String(days));
  });

  it('rejects an unknown scope and an invalid lifetime, with exit code 2', async () => {
    const scope = await create('--name', 'x', '--scopes', 'crm:read,everything');
    assert.equal(scope.code, 2);
    assert.match(scope.stderr, /--scopes contains "everything"; valid scopes: crm:read/);
    for (const text of ['soon', '0d', '30', '-1d', '1y']) {
      const { code, stdout } = await create('--name', 'x', `--expires=${text}`);
      assert.equal(code, 2, text);
      assert.equal(stdout, '');
    }
  });

  it('asks which account when there are several, and takes an id or a name', async () => {
    const other = await service.createAccount('Second account');
    const unnamed = await create('--name', 'x');
    assert.equal(unnamed.code, 1);
    assert.match(
      unnamed.stderr,
      new RegExp(`--account:\\n.*My workspace\\n.*${other.accountId}  Second account`),
    );
    for (const which of ['Second account', other.accountId]) {
      const { stdout } = await create('--name', 'x', '--account', which);
      const { body } = await service.call('GET', '/account', { token: stdout.trim() });
      assert.equal(body.id, other.accountId);
    }
    const wrong = await create('--name', 'x', '--account', 'Third account');
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /no account with the id or name "Third account"/);
  });
});
