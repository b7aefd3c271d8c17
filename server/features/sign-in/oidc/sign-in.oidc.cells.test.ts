/** Where there is no provider, and where users live in several databases. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  type OidcServer,
  ProviderVisit,
  startOidcServer,
} from '../../../../test/support/providers/oidc-server.ts';
import { startTestService, type TestService } from '../../../../test/support/service.ts';

describe('sign-in without a provider', () => {
  let service: TestService;
  before(async () => {
    service = await startTestService();
  });
  after(() => service.close());

  it('offers passwords only', async () => {
    assert.deepEqual((await service.call('GET', '/auth/methods', { token: null })).body, {
      password: true,
      passwordReset: false,
      provider: null,
    });
    assert.equal((await service.call('GET', '/auth/oidc/start', { token: null })).status, 404);
    assert.equal((await service.call('GET', '/auth/oidc/callback?code=x', { token: null })).status, 404);
  });
});

describe('sign-in with a provider and several databases', () => {
  let provider: OidcServer;
  let service: TestService;
  before(async () => {
    provider = await startOidcServer();
    service = await startTestService({
      cells: ['eu2'],
      env: { ...provider.env, OIDC_CREATE_USERS: 'true', OIDC_ACCOUNT_CLAIM: 'workspace' },
    });
  });
  after(async () => {
    await service.close();
    await provider.close();
  });

  it('finds and creates users where their account lives', async () => {
    const accounts = [await service.createAccount('One'), await service.createAccount('Two')];
    for (const [index, { accountId, jwt }] of accounts.entries()) {
      const user = await service.createUser('operator', jwt);
      provider.people.set('known', { sub: `known-${index}`, email: user.email, email_verified: true });
      const known = new ProviderVisit(service);
      await known.signIn('known');
      provider.people.set('new', {
        sub: `new-${index}`,
        email: `new-${index}@example.com`,
        email_verified: true,
        workspace: index === 0 ? accountId : 'Two',
      });
      const fresh = new ProviderVisit(service);
      await fresh.signIn('new');
      for (const visit of [known, fresh]) {
        const cookie = `talkboard_refresh=${visit.cookiesOf('service').get('talkboard_refresh')}`;
        const answer = await service.call('POST', '/auth/refresh', { token: null, headers: { cookie } });
        assert.deepEqual([answer.status, answer.body?.account?.id], [200, accountId]);
      }
      const again = new ProviderVisit(service);
      const page = await again.signIn('new');
      assert.equal(page.searchParams.get('error'), null);
    }
    const cells = accounts.map(({ accountId }) => service.context.accountHomes.of(accountId));
    const homes = await Promise.all(cells);
    assert.ok(
      homes.some((home) => home.db !== service.context.db),
      'one of them is in the other cell',
    );
  });
});
