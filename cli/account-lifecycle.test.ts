import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { runInProcess, settingsOf } from '../test/support/cli.ts';
import { startTestService, type TestService } from '../test/support/service.ts';

describe('talkboard account suspend, resume and delete', () => {
  let service: TestService;
  before(async () => {
    service = await startTestService();
  });
  after(() => service.close());

  it('suspends, resumes, and deletes only with the name', async () => {
    const { accountId } = await service.createAccount('Branch');
    const run = (...args: string[]) => runInProcess(['account', ...args], settingsOf(service));
    const state = async () => {
      const { body } = await service.call('GET', '/admin/accounts', { token: service.admin.jwt });
      const { suspendedReason, suspendedAt, deletingSince } = body.items.find(
        (one: { id: string }) => one.id === accountId,
      );
      return [suspendedReason, suspendedAt !== null, deletingSince !== null];
    };
    assert.equal((await run('suspend', '--account', 'Branch', '--reason', 'unpaid')).code, 0);
    assert.deepEqual(await state(), ['unpaid', true, false]);
    assert.equal((await run('resume', '--account', accountId)).code, 0);
    assert.deepEqual(await state(), [null, false, false]);
    const refused = await run('delete', '--account', 'Branch', '--confirm', 'branch');
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /--confirm must be "Branch"/);
    assert.equal((await run('delete', '--account', 'Branch')).code, 2);
    assert.equal((await run('delete', '--account', 'Branch', '--confirm', 'Branch')).code, 0);
    assert.deepEqual(await state(), [null, true, true]);
    const { body: log } = await service.call('GET', '/audit-log', { token: service.admin.jwt });
    const entry = log.items.find((one: { action: string }) => one.action === 'account.deletion_requested');
    assert.deepEqual([entry.target.id, entry.changes], [accountId, { name: 'Branch' }]);
    const { name } = (await service.call('GET', '/account', { token: service.admin.jwt })).body;
    const last = await run('delete', '--account', service.admin.accountId, '--confirm', name);
    assert.equal(last.code, 1);
    assert.match(last.stderr, /no other account has an administrator of the instance/);
    assert.equal((await run('resume', '--account', 'Branch')).code, 1);
  });
});
