/** A provider that gives roles of an account. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  type OidcServer,
  ProviderVisit,
  startOidcServer,
} from '../../../../test/support/providers/oidc-server.ts';
import { type Json, startTestService, type TestService } from '../../../../test/support/service.ts';

describe('roles of an account from a provider', () => {
  let provider: OidcServer;
  let service: TestService;
  /** The claim has the names of roles there. */
  let plain: Awaited<ReturnType<TestService['startSecond']>>;
  const settings = { OIDC_CREATE_USERS: 'true', OIDC_ROLE_CLAIM: 'roles' };
  before(async () => {
    provider = await startOidcServer();
    const mapped = 'tb-users=operator, help=role:First line';
    service = await startTestService({ env: { ...provider.env, ...settings, OIDC_ROLES: mapped } });
    plain = await service.startSecond({ ...settings, OIDC_ROLES: '' });
  });
  after(async () => {
    await plain.close();
    await service.close();
    await provider.close();
  });

  const signIn = async (login: string, claims: Json, on: Pick<TestService, 'call'> = service) => {
    const email = `${login}@example.com`;
    provider.people.set(login, { sub: login, email, email_verified: true, name: 'Ada', ...claims });
    const visit = new ProviderVisit(on);
    const page = await visit.signIn(login);
    const error = page.searchParams.get('error');
    if (error !== null) return error;
    const cookie = `talkboard_refresh=${visit.cookiesOf('service').get('talkboard_refresh')}`;
    const answer = await service.call('POST', '/auth/refresh', { token: null, headers: { cookie } });
    assert.equal(answer.status, 200, answer.text);
    const { role, roleId, permissions } = answer.body.user;
    return { role, roleId, permissions: permissions.length };
  };

  it('the claim names one; without it in the account the sign-in is refused; the one with the most permissions counts', async () => {
    assert.equal(await signIn('ada', { roles: ['help'] }), 'unknown_role');
    const made = await service.call('POST', '/roles', {
      token: service.admin.jwt,
      body: { name: 'first LINE', permissions: ['conversations.view'] },
    });
    assert.equal(made.status, 201, made.text);
    const own = { role: 'operator', roleId: made.body.id, permissions: 1 };
    assert.deepEqual(await signIn('ada', { roles: ['help'] }), own);
    const both = await signIn('ada', { roles: ['help', 'tb-users'] });
    assert.deepEqual([(both as Json).role, (both as Json).roleId], ['operator', null]);
    assert.deepEqual(await signIn('ada', { roles: 'First Line' }, plain), own);
    assert.deepEqual(await signIn('grace', { roles: ['everyone', 'First line'] }, plain), own);
    assert.equal(await signIn('grace', { roles: ['everyone'] }, plain), 'unknown_role');
  });

  it('the case of a built-in name does not matter either', async () => {
    const operator = await signIn('linus', { roles: ['Operator'] }, plain);
    assert.deepEqual([(operator as Json).role, (operator as Json).roleId], ['operator', null]);
    assert.equal(((await signIn('linus', { roles: ['ADMIN'] }, plain)) as Json).role, 'admin');
  });
});
