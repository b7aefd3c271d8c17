/** Sign-in with a real OpenID Connect provider: who gets in, who is refused, and that a refusal leaves nothing behind. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import {
  type OidcServer,
  ProviderVisit,
  startOidcServer,
} from '../../../../test/support/providers/oidc-server.ts';
import { type Json, password, startTestService, type TestService } from '../../../../test/support/service.ts';

describe('sign-in with a provider', () => {
  let provider: OidcServer;
  let service: TestService;
  /** The provider decides about roles and accounts there, and users are created. */
  let open: Awaited<ReturnType<TestService['startSecond']>>;
  let only: Awaited<ReturnType<TestService['startSecond']>>;
  let counter = 0;
  before(async () => {
    provider = await startOidcServer();
    service = await startTestService({ env: provider.env });
    open = await service.startSecond({
      OIDC_CREATE_USERS: 'true',
      OIDC_ROLE_CLAIM: 'roles',
      OIDC_ROLES: 'cn=admins=admin, tb-users=operator',
      OIDC_ACCOUNT_CLAIM: 'workspace',
      OIDC_DEFAULT_ACCOUNT: 'My workspace',
    });
    only = await service.startSecond({ OIDC_ONLY: 'true', OIDC_NAME: 'Acme' });
  });
  after(async () => {
    await only.close();
    await open.close();
    await service.close();
    await provider.close();
  });
  beforeEach(() => {
    provider.alter = null;
    provider.isForged = false;
  });

  const person = (claims: Json = {}) => {
    const login = `person-${++counter}`;
    provider.people.set(login, { sub: `sub-${counter}`, email_verified: true, name: 'Ada', ...claims });
    return login;
  };
  const change = (login: string, claims: Json) =>
    provider.people.set(login, { ...provider.people.get(login)!, ...claims });
  const errorOf = (page: URL) => page.searchParams.get('error');
  const refreshOf = (visit: ProviderVisit) => visit.cookiesOf('service').get('talkboard_refresh');
  /** Whom the cookie signs in. */
  const whoIs = async (visit: ProviderVisit, call = service.call): Promise<Json> => {
    const cookie = `talkboard_refresh=${refreshOf(visit)}`;
    const answer = await call('POST', '/auth/refresh', { token: null, headers: { cookie } });
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  const users = async (): Promise<Json[]> =>
    (await service.call('GET', '/users?limit=100', { token: service.admin.jwt })).body.items;
  const userOf = async (email: string) => (await users()).find((one) => one.email === email);
  const auditOf = async (userId: string): Promise<Json[]> =>
    (await service.call('GET', '/audit-log?limit=100', { token: service.admin.jwt })).body.items.filter(
      ({ target }: Json) => target.id === userId,
    );
  const refused = async (login: string, error: string, on: Pick<TestService, 'call'> = service) => {
    const before = (await users()).length;
    const visit = new ProviderVisit(on);
    const page = await visit.signIn(login);
    assert.equal(errorOf(page), error);
    assert.equal(page.pathname, '/app/login');
    assert.equal(refreshOf(visit), undefined);
    assert.equal((await users()).length, before, 'nobody was created');
  };

  it('a verified e-mail address links a user once; then the subject counts', async () => {
    const user = await service.createUser('operator');
    const login = person({ email: user.email.toUpperCase() });
    const visit = new ProviderVisit(service);
    const page = await visit.signIn(login, `?next=${encodeURIComponent('/inbox?a=b')}`);
    assert.deepEqual(
      [page.pathname, Object.fromEntries(page.searchParams)],
      ['/app/login', { signedIn: 'true', next: '/inbox?a=b' }],
    );
    assert.equal((await whoIs(visit)).user.id, user.id);
    const actions = (await auditOf(user.id)).map(({ action, changes }) => [action, changes.method ?? null]);
    assert.ok(actions.some(([action]) => action === 'user.identity_linked'));
    assert.ok(actions.some(([action, method]) => action === 'login' && method === 'oidc'));

    change(login, { email: 'another@example.com', email_verified: false });
    const again = new ProviderVisit(service);
    await again.signIn(login);
    assert.equal((await whoIs(again)).user.id, user.id);

    await refused(person({ email: user.email }), 'already_linked');
  });

  it('the first sign-in ends a password that somebody else has set, and who signed in with it', async () => {
    const login = (email: string, secret: string) =>
      service.call('POST', '/auth/login', { token: null, body: { email, password: secret } });
    const given = await service.createUser('operator');
    const own = await service.createUser('operator');
    const ownPassword = 'a password of my own';
    const changed = await service.call('POST', '/auth/password', {
      token: own.jwt,
      body: { currentPassword: password, newPassword: ownPassword },
    });
    assert.ok(changed.status < 300, changed.text);
    for (const { email } of [given, own]) await new ProviderVisit(service).signIn(person({ email }));
    assert.equal((await login(given.email, password)).status, 401);
    assert.equal((await login(own.email, ownPassword)).status, 200);
    const sessions = await service.call('GET', '/auth/sessions', { token: given.jwt });
    assert.equal(sessions.status, 401, 'of the earlier sign-in');
    assert.equal((await service.call('GET', '/auth/sessions', { token: own.jwt })).status, 200);
    const linked = (await auditOf(given.id)).find(({ action }) => action === 'user.identity_linked');
    assert.equal(linked!.changes.password, 'removed: somebody else had set it');

    // A later one of an administrator is for somebody who is linked already, and stays.
    await service.call('PATCH', `/users/${given.id}`, {
      token: service.admin.jwt,
      body: { password: 'set by an administrator' },
    });
    assert.equal((await login(given.email, 'set by an administrator')).status, 200);
  });

  it('a session is an ordinary one: it is listed, and its cookie is replaced at every use', async () => {
    const user = await service.createUser('operator');
    const visit = new ProviderVisit(service);
    await visit.signIn(person({ email: user.email }));
    const { token } = await whoIs(visit);
    const { items } = (await service.call('GET', '/auth/sessions', { token })).body;
    assert.equal(items[0].current, true);
    assert.equal((await service.call('GET', '/auth/me', { token })).body.user.email, user.email);
  });

  it('refuses an address that is not verified, none, and one without a user', async () => {
    const user = await service.createUser('operator');
    await refused(person({ email: user.email, email_verified: false }), 'email_not_verified');
    await refused(person({ email: user.email, email_verified: undefined }), 'email_not_verified');
    await refused(person({}), 'no_email');
    await refused(person({ email: 'nobody@example.com' }), 'no_user');
    assert.equal(
      (await auditOf(user.id)).filter(({ action }) => action === 'user.identity_linked').length,
      0,
    );
  });

  it('whether the address of the token is verified may be said at userinfo, of that address only', async () => {
    const user = await service.createUser('operator');
    provider.alter = (claims) => ({ ...claims, email: user.email, name: 'Ada' });
    await refused(person({ email: 'other@example.com' }), 'email_not_verified');
    const visit = new ProviderVisit(service);
    await visit.signIn(person({ email: user.email }));
    assert.equal((await whoIs(visit)).user.id, user.id);
  });

  it('OIDC_TRUST_EMAIL accepts an address that the provider says nothing about', async () => {
    const user = await service.createUser('operator');
    const trusting = await service.startSecond({ OIDC_TRUST_EMAIL: 'true' });
    await refused(person({ email: user.email, email_verified: false }), 'email_not_verified', trusting);
    const visit = new ProviderVisit(trusting);
    await visit.signIn(person({ email: user.email, email_verified: undefined }));
    assert.equal((await whoIs(visit)).user.id, user.id);
    await trusting.close();
  });

  describe('a token that is not for this sign-in is refused:', () => {
    const seconds = () => Math.floor(Date.now() / 1000);
    const cases: Record<string, (claims: Json) => Json> = {
      'wrong issuer': (claims) => ({ ...claims, iss: 'https://other.example.com' }),
      'wrong audience': (claims) => ({ ...claims, aud: 'other' }),
      'wrong authorized party': (claims) => ({ ...claims, aud: ['talkboard', 'other'], azp: 'other' }),
      'wrong nonce': (claims) => ({ ...claims, nonce: 'another' }),
      'no nonce': ({ nonce: _, ...claims }) => claims,
      expired: (claims) => ({ ...claims, iat: seconds() - 7200, exp: seconds() - 3600 }),
      'no expiry': ({ exp: _, ...claims }) => claims,
    };
    for (const [name, alter] of Object.entries(cases)) {
      it(name, async () => {
        const user = await service.createUser('operator');
        const login = person({ email: user.email });
        provider.alter = alter;
        await refused(login, 'rejected');
        provider.alter = (claims) => claims;
        assert.equal(
          errorOf(await new ProviderVisit(service).signIn(login)),
          null,
          'unaltered it is accepted',
        );
      });
    }
    it('signed by someone else', async () => {
      const user = await service.createUser('operator');
      provider.isForged = true;
      await refused(person({ email: user.email }), 'rejected');
    });
  });

  describe('only the browser that began may finish, once:', () => {
    let login: string;
    before(async () => {
      login = person({ email: (await service.createUser('operator')).email });
    });
    const finish = async (visit: ProviderVisit, path: string) => {
      visit.cookiesOf('service').delete('talkboard_refresh');
      const { headers } = await visit.get(path);
      return { error: errorOf(new URL(String(headers.location))), refresh: refreshOf(visit) };
    };

    it('a repeated callback is refused, also with the cookie it had', async () => {
      const visit = new ProviderVisit(service);
      const path = await visit.toCallback(login);
      const attempt = visit.cookiesOf('service').get('talkboard_oidc')!;
      assert.equal((await finish(visit, path)).error, null);
      assert.equal(visit.cookiesOf('service').get('talkboard_oidc'), undefined);
      assert.deepEqual(await finish(visit, path), { error: 'expired', refresh: undefined });
      visit.cookiesOf('service').set('talkboard_oidc', attempt);
      assert.deepEqual(await finish(visit, path), { error: 'expired', refresh: undefined });
    });

    it('a used code with a new state is refused', async () => {
      const first = new ProviderVisit(service);
      const used = await first.toCallback(login);
      assert.equal((await finish(first, used)).error, null);
      const second = new ProviderVisit(service);
      const fresh = await second.toCallback(login);
      const query = new URLSearchParams(fresh.split('?')[1]);
      query.set('code', new URLSearchParams(used.split('?')[1]).get('code')!);
      assert.deepEqual(await finish(second, `/auth/oidc/callback?${query}`), {
        error: 'rejected',
        refresh: undefined,
      });
    });

    it('the callback of another browser is refused', async () => {
      const victim = new ProviderVisit(service);
      await victim.get('/auth/oidc/start');
      const attacker = new ProviderVisit(service);
      const path = await attacker.toCallback(login);
      assert.deepEqual(await finish(victim, path), { error: 'rejected', refresh: undefined });
      assert.deepEqual(await finish(new ProviderVisit(service), path), {
        error: 'expired',
        refresh: undefined,
      });
    });

    it('a callback in the name of another provider is refused', async () => {
      const visit = new ProviderVisit(service);
      const path = await visit.toCallback(login);
      assert.match(path, /iss=/);
      const other = path.replace(/iss=[^&]*/, `iss=${encodeURIComponent('https://other.example.com')}`);
      assert.equal((await finish(visit, other)).error, 'rejected');
    });

    it('a cookie that is not ours is refused', async () => {
      const visit = new ProviderVisit(service);
      const path = await visit.toCallback(login);
      for (const value of ['x', 'v1.AAAA', `v1.${'A'.repeat(400)}`]) {
        visit.cookiesOf('service').set('talkboard_oidc', value);
        assert.equal((await finish(visit, path)).error, 'expired');
      }
    });
  });

  it('cancelling at the provider is told as such', async () => {
    await refused('nobody with this login', 'denied');
  });

  it('a provider that is away is told as such', async () => {
    const away = await service.startSecond({ OIDC_ISSUER: 'http://127.0.0.1:1' });
    const answer = await away.call('GET', '/auth/oidc/start?next=/inbox', { token: null });
    assert.equal(answer.status, 302);
    assert.match(String(answer.headers.location), /\/app\/login\?error=provider_unavailable&next=%2Finbox$/);
    await away.close();
  });

  it('the next page is one of the dashboard', async () => {
    const user = await service.createUser('operator');
    const login = person({ email: user.email });
    for (const next of ['https://evil.example.com', '//evil.example.com', '/\\evil.example.com', 'inbox']) {
      const page = await new ProviderVisit(service).signIn(login, `?next=${encodeURIComponent(next)}`);
      assert.equal(page.searchParams.get('next'), null, next);
    }
  });

  describe('where the provider decides about roles and accounts', () => {
    it('creates the user in the account of the claim, with its role', async () => {
      const account = await service.createAccount('Branch office');
      const login = person({
        email: 'new-admin@example.com',
        roles: ['x', 'cn=admins'],
        workspace: 'Branch office',
      });
      const visit = new ProviderVisit(open);
      await visit.signIn(login);
      const { user, account: own } = await whoIs(visit);
      assert.deepEqual([user.role, user.name, own.id], ['admin', 'Ada', account.accountId]);

      change(login, { roles: 'tb-users', workspace: account.accountId });
      const again = new ProviderVisit(open);
      await again.signIn(login);
      assert.deepEqual((await whoIs(again)).user.role, 'operator');
      assert.equal((await whoIs(again)).user.id, user.id);

      change(login, { workspace: 'My workspace' });
      await refused(login, 'other_account', open);
    });

    it('refuses an unknown role or account, and creates nothing', async () => {
      await refused(person({ email: 'r1@example.com', roles: ['someone'] }), 'unknown_role', open);
      await refused(person({ email: 'r2@example.com' }), 'unknown_role', open);
      const roles = ['tb-users'];
      for (const workspace of ['Nowhere', '01890000-0000-7000-8000-000000000000', ['a', 'b']]) {
        await refused(person({ email: 'r3@example.com', roles, workspace }), 'unknown_account', open);
      }
      const user = await service.createUser('operator');
      await refused(person({ email: user.email, roles: ['someone'] }), 'unknown_role', open);
    });

    it('refuses whoever was removed from every group: an empty list is not an absent claim', async () => {
      const login = person({ email: 'leaver@example.com', roles: ['cn=admins'] });
      await new ProviderVisit(open).signIn(login);
      for (const roles of [[], '', null, [7]]) {
        change(login, { roles });
        await refused(login, 'unknown_role', open);
      }
    });

    it('without the claim of an account it is the default', async () => {
      const visit = new ProviderVisit(open);
      await visit.signIn(person({ email: 'default@example.com', roles: ['tb-users'], name: undefined }));
      const { user, account } = await whoIs(visit);
      assert.deepEqual([account.id, user.name], [service.admin.accountId, 'default']);
    });

    it('refuses when there is more than one account to choose from', async () => {
      const unclear = await service.startSecond({ OIDC_CREATE_USERS: 'true' });
      await service.createAccount();
      await refused(person({ email: 'unclear@example.com' }), 'unknown_account', unclear);
      await unclear.close();
    });

    it('the last administrator and the one of the instance stay administrators', async () => {
      const login = person({ email: service.admin.email, roles: ['tb-users'] });
      const visit = new ProviderVisit(open);
      await visit.signIn(login);
      assert.equal((await whoIs(visit)).user.role, 'admin');
    });

    it('two sign-ins of a new person at once make one user', async () => {
      const login = person({ email: 'twice@example.com', roles: ['tb-users'] });
      const visits = [new ProviderVisit(open), new ProviderVisit(open)];
      const paths = await Promise.all(visits.map((visit) => visit.toCallback(login)));
      await Promise.all(visits.map((visit, index) => visit.get(paths[index]!)));
      const ids = await Promise.all(visits.map(async (visit) => (await whoIs(visit)).user.id));
      assert.equal(ids[0], ids[1]);
      assert.equal((await users()).filter(({ email }) => email === 'twice@example.com').length, 1);
    });
  });

  describe('OIDC_ONLY', () => {
    it('refuses passwords, also the right one, and says where to go; tokens go on', async () => {
      const body = { email: service.admin.email, password };
      const answer = await only.call('POST', '/auth/login', { token: null, body });
      assert.deepEqual(
        [answer.status, answer.body.code, answer.body.message],
        [403, 'FORBIDDEN', 'passwords are disabled: sign in with Acme'],
      );
      const assertion = {
        clientDataJSON: 'e30',
        authenticatorData: 'e30',
        signature: 'e30',
        userHandle: 'e30',
      };
      const passkey = { id: 'e30', rawId: 'e30', type: 'public-key', response: assertion };
      const byPasskey = await only.call('POST', '/auth/passkeys/sign-in', { token: null, body: { passkey } });
      assert.deepEqual(
        [byPasskey.status, byPasskey.body.message],
        [403, 'passkeys are disabled: sign in with Acme'],
      );
      assert.equal((await only.call('GET', '/kanbans')).status, 200);
      const reset = { token: null, body: { email: service.admin.email } };
      assert.equal((await only.call('POST', '/auth/password-reset', reset)).status, 403);
      const link = `/users/${service.admin.userId}/password-reset`;
      assert.equal((await only.call('POST', link, { token: service.admin.jwt })).status, 403);
      assert.deepEqual((await only.call('GET', '/auth/methods', { token: null })).body, {
        password: false,
        passwordReset: false,
        provider: { name: 'Acme', url: '/auth/oidc/start' },
      });
    });

    it('an invitation is accepted with the provider, by the invited address only', async () => {
      const invite = async (email: string) => {
        const body = { email, role: 'admin' };
        const answer = await only.call('POST', '/invitations', { token: service.admin.jwt, body });
        assert.equal(answer.status, 201, answer.text);
        return new URL(answer.body.link).hash.slice(1);
      };
      const token = await invite('invited@example.com');
      const accept = { token, name: 'Eve', password };
      assert.equal(
        (await only.call('POST', '/auth/invitations/accept', { token: null, body: accept })).status,
        403,
      );
      // In an address it counts for nothing: those are logged.
      const ignored = new ProviderVisit(only);
      const inAddress = await ignored.signIn(
        person({ email: 'invited@example.com' }),
        `?invitation=${token}`,
      );
      assert.equal(errorOf(inAddress), 'no_user');
      const stranger = new ProviderVisit(only);
      assert.equal(
        errorOf(await stranger.accept(person({ email: 'stranger@example.com' }), token)),
        'other_email',
      );
      const login = person({ email: 'invited@example.com' });
      const visit = new ProviderVisit(only);
      assert.equal(errorOf(await visit.accept(login, token)), null);
      assert.equal((await whoIs(visit)).user.role, 'admin');
      const late = new ProviderVisit(only);
      assert.equal(
        errorOf(await late.accept(person({ email: 'late@example.com' }), token)),
        'invitation_expired',
      );
      assert.equal(await userOf('stranger@example.com'), undefined);
    });
  });
});
