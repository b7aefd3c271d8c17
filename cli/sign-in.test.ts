import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { runInProcess, settingsOf } from '../test/support/cli.ts';
import { factorsOf } from '../test/support/factors.ts';
import { startTestService, type TestService } from '../test/support/service.ts';

describe('the way back in', () => {
  let service: TestService;
  before(async () => {
    service = await startTestService({ cells: ['eu2'] });
  });
  after(() => service.close());

  it('user reset-factors removes the factors of a user in any cell', async () => {
    const factors = factorsOf(service);
    const account = await service.createAccount();
    for (const jwt of [service.admin.jwt, account.jwt]) {
      const user = await factors.withApp(await service.createUser('admin', jwt));
      assert.equal((await factors.login(user.email)).status, 202);
      const { code, stderr } = await runInProcess(
        ['user', 'reset-factors', '--email', ` ${user.email.toUpperCase()}`],
        settingsOf(service),
      );
      assert.equal(code, 0, stderr);
      assert.match(stderr, /has no second factor any more/);
      assert.equal((await factors.login(user.email)).status, 200);
      const { body } = await service.call('GET', '/audit-log?action=user.factors_reset', { token: jwt });
      assert.deepEqual(body.items[0].actor, { type: 'system', id: 'system', name: 'Talkboard' });
    }
    const unknown = await runInProcess(
      ['user', 'reset-factors', '--email', 'x@example.com'],
      settingsOf(service),
    );
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /there is no user with the e-mail address x@example\.com/);
  });

  it('account clear-addresses lets locked-out administrators in again', async () => {
    const { accountId, jwt } = await service.createAccount('Locked out');
    const admin = await service.createUser('admin', jwt);
    const body = { adminAddresses: ['203.0.113.0/24'], confirmLockout: true };
    assert.equal((await service.call('PATCH', '/account/security', { token: jwt, body })).status, 200);
    const factors = factorsOf(service);
    assert.equal((await factors.login(admin.email)).status, 403);
    const { code, stderr } = await runInProcess(
      ['account', 'clear-addresses', '--account', accountId],
      settingsOf(service),
    );
    assert.equal(code, 0, stderr);
    assert.match(stderr, /Administrators of "Locked out" can sign in from everywhere/);
    assert.equal((await factors.login(admin.email)).status, 200);
  });
});
