/** Every way in, under every rule that refuses: what one way checks, all of them check. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { createPasskey } from '../../../test/support/authenticator.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { factorsOf } from '../../../test/support/factors.ts';
import {
  type OidcServer,
  ProviderVisit,
  startOidcServer,
} from '../../../test/support/providers/oidc-server.ts';
import { type Json, password, startTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';
import { resetPassword, systemActor } from '../accounts/accounts.ts';
import { createLink, createLoginLink } from './links/sign-in.links.ts';

/** Passkeys need a name. */
const origin = 'http://localhost:3000';

describe('every way in', () => {
  let provider: OidcServer;
  let service: TestService;
  let only: Awaited<ReturnType<TestService['startSecond']>>;
  before(async () => {
    provider = await startOidcServer();
    provider.callbacks.add(`${origin}/auth/oidc/callback`);
    service = await startTestService({ env: { ...provider.env, PUBLIC_URL: origin } });
    only = await service.startSecond({ OIDC_ONLY: 'true' });
  });
  after(async () => {
    await only.close();
    await service.close();
    await provider.close();
  });

  let account: Awaited<ReturnType<TestService['createAccount']>>;
  let user: Json;
  let login: string;
  let counter = 0;
  beforeEach(async () => {
    account = await service.createAccount();
    user = await service.createUser('admin', account.jwt);
    login = `way-${++counter}`;
    provider.people.set(login, { sub: login, email: user.email, email_verified: true, name: 'Ada' });
  });

  const own = () => ({ accountId: account.accountId, id: user.id as string });
  const now = () => service.context.clock.now();
  const post = (path: string, body: object, on: Pick<TestService, 'call'>, headers = {}) =>
    on.call('POST', path, { token: null, body, headers });
  const inDb = <T>(work: Parameters<typeof service.context.db.transaction<T>>[0]) =>
    service.context.db.transaction(work);
  const inviteSomeone = async () => {
    const body = { email: `invited-${++counter}@example.com`, role: 'admin' };
    const sent = await service.call('POST', '/invitations', { token: account.jwt, body });
    assert.equal(sent.status, 201, sent.text);
    return String(sent.body.link).split('#')[1]!;
  };
  const withProvider = async (on: Pick<TestService, 'call'>) => {
    const page = await new ProviderVisit(on).signIn(login);
    return page.searchParams.get('error') ?? 'in';
  };

  const withToken = () => user as { id: string; email: string; jwt: string };
  const addPasskey = async () => {
    const token = user.jwt as string;
    const asked = await service.call('POST', '/auth/passkeys/registration', { token, body: { password } });
    assert.equal(asked.status, 200, asked.text);
    const passkey = createPasskey(asked.body.options, origin);
    const body = { name: 'Laptop', passkey: passkey.created };
    const added = await service.call('POST', '/auth/passkeys', { token, body });
    assert.equal(added.status, 201, added.text);
    return passkey;
  };

  type Way = (on: Pick<TestService, 'call'>) => Promise<string>;
  /** Prepared while nothing refuses, then used. */
  const ways: Record<string, () => Promise<Way>> = {
    async password() {
      return async (on) => said(await post('/auth/login', { email: user.email, password }, on));
    },
    async factor() {
      const factors = factorsOf(service);
      const app = await factors.withApp(withToken());
      const ticket = await factors.ticketOf(user.email);
      return async (on) =>
        said(await post('/auth/login/factor', { ticket, recoveryCode: app.recoveryCodes[0] }, on));
    },
    async passkey() {
      const passkey = await addPasskey();
      const { options } = (await post('/auth/passkeys/options', {}, service)).body;
      return async (on) =>
        said(await post('/auth/passkeys/sign-in', { passkey: passkey.answer(options) }, on));
    },
    async passkeyAfterPassword() {
      const passkey = await addPasskey();
      const login = await post('/auth/login', { email: user.email, password }, service);
      assert.equal(login.status, 202, login.text);
      const { ticket, passkeyOptions } = login.body;
      const body = { ticket, passkey: passkey.answer(passkeyOptions) };
      return async (on) => said(await post('/auth/login/factor', body, on));
    },
    async provider() {
      return withProvider;
    },
    async loginLink() {
      const { link } = await inDb((tx) =>
        createLoginLink(tx, systemActor(account.accountId), now(), user.id, 'https://x.example'),
      );
      return async (on) => said(await post('/auth/login-link', { token: link.split('#')[1] }, on));
    },
    async refresh() {
      const { headers } = await post('/auth/login', { email: user.email, password }, service);
      const cookie = String(headers['set-cookie']).split(';')[0]!;
      return async (on) => said(await post('/auth/refresh', {}, on, { cookie }));
    },
    async reset() {
      const { token } = await inDb((tx) =>
        createLink(tx, own(), 'password_reset', { now: now(), lifetimeMs: 60_000 }),
      );
      const body = { token, password: 'another long password' };
      return async (on) => said(await post('/auth/password-reset/confirm', body, on));
    },
    async invitation() {
      const token = await inviteSomeone();
      const body = { token, name: 'Eve', password };
      return async (on) => said(await post('/auth/invitations/accept', body, on));
    },
  };
  const said = ({ status, body }: { status: number; body: Json }) => (status < 300 ? 'in' : body.code);

  interface Rule {
    set(): Promise<unknown>;
    on?: () => Pick<TestService, 'call'>;
    answers: { [way: string]: string };
  }
  const suspended = 'ACCOUNT_SUSPENDED';
  const refusedAddress = 'ADDRESS_NOT_ALLOWED';
  const update = (set: ReturnType<typeof sql>) =>
    inDb((tx) => tx.query(sql`update accounts set ${set} where id = ${account.accountId}`));
  const rules: Record<string, Rule> = {
    none: { set: async () => {}, answers: {} },
    suspended: {
      set: () => update(sql`suspended_at = 1`),
      answers: {
        ...{ password: suspended, provider: 'account_suspended', loginLink: suspended },
        ...{ refresh: suspended, reset: suspended, invitation: suspended },
        ...{ factor: suspended, passkey: suspended, passkeyAfterPassword: suspended },
      },
    },
    'being deleted': {
      set: () => update(sql`suspended_at = 1, deleting_at = 1`),
      answers: {
        ...{ password: suspended, provider: 'account_suspended', loginLink: suspended },
        ...{ refresh: suspended, reset: suspended, invitation: suspended },
        ...{ factor: suspended, passkey: suspended, passkeyAfterPassword: suspended },
      },
    },
    // A new password and an accepted invitation sign nobody in.
    'another address': {
      set: () => update(sql`admin_addresses = '{203.0.113.0/24}'`),
      answers: {
        ...{ password: refusedAddress, provider: 'address_not_allowed', loginLink: refusedAddress },
        ...{ refresh: refusedAddress, factor: refusedAddress, passkey: refusedAddress },
        passkeyAfterPassword: refusedAddress,
      },
    },
    'provider only': {
      set: async () => {},
      on: () => only,
      answers: {
        ...{ password: 'FORBIDDEN', reset: 'FORBIDDEN', invitation: 'FORBIDDEN' },
        ...{ factor: 'FORBIDDEN', passkey: 'FORBIDDEN', passkeyAfterPassword: 'FORBIDDEN' },
      },
    },
  };
  for (const [rule, { set, on, answers }] of Object.entries(rules)) {
    for (const [way, prepare] of Object.entries(ways)) {
      it(`${way}, ${rule}: ${answers[way] ?? 'in'}`, async () => {
        const use = await prepare();
        await set();
        const sessions = () =>
          service.context.db.query(sql`select id from user_sessions where account_id = ${account.accountId}`);
        const before = (await sessions()).length;
        assert.equal(await use(on?.() ?? service), answers[way] ?? 'in');
        if (answers[way]) assert.equal((await sessions()).length, before);
      });
    }
  }

  it('a refused link can be used once it is allowed', async () => {
    const use = await ways.loginLink!();
    await update(sql`suspended_at = 1`);
    assert.equal(await use(service), suspended);
    await update(sql`suspended_at = null`);
    assert.equal(await use(service), 'in');
    assert.equal(await use(service), 'VALIDATION_FAILED');
  });

  describe('with a required second factor', () => {
    beforeEach(async () => {
      await update(sql`requires_factor = true`);
      // One that somebody else set would end with the first sign-in with the provider.
      await inDb((tx) => tx.query(sql`update users set password_is_own = true where id = ${user.id}`));
    });
    const refreshed = async (cookie: string) =>
      (await post('/auth/refresh', {}, service, { cookie })).body as Json;
    const providerSession = async () => {
      const visit = new ProviderVisit(service);
      await visit.signIn(login);
      return refreshed(`talkboard_refresh=${visit.cookiesOf('service').get('talkboard_refresh')}`);
    };

    it('a password leads to its set-up only; a sign-in with the provider has one', async () => {
      const signedIn = (await post('/auth/login', { email: user.email, password }, service)).body;
      assert.equal(signedIn.mustSetUpFactor, true);
      const refused = await service.call('GET', '/users', { token: signedIn.token });
      assert.equal(refused.body.code, 'FACTOR_REQUIRED');
      const { token, mustSetUpFactor } = await providerSession();
      assert.equal(mustSetUpFactor, undefined);
      assert.equal((await service.call('GET', '/users', { token })).status, 200);
    });

    it('a factor is set up without the password in a fresh session of the provider only', async () => {
      const setUp = (token: string, body = {}) => service.call('POST', '/auth/factors/totp', { token, body });
      const { token } = await providerSession();
      const factors = async () => (await service.call('GET', '/auth/factors', { token })).body;
      assert.equal((await factors()).needsPassword, false);
      assert.equal((await setUp(token)).status, 201);
      assert.equal((await setUp(token, { password: 'wrong' })).status, 400, 'one that is sent is checked');
      await inDb((tx) =>
        tx.query(sql`update user_sessions set created_at = created_at - 600001 where user_id = ${user.id}`),
      );
      assert.equal((await factors()).needsPassword, true);
      const late = await setUp(token);
      assert.deepEqual([late.status, late.body.message], [400, 'password is required']);
      const other = (await post('/auth/login', { email: user.email, password }, service)).body.token;
      assert.equal((await setUp(other)).status, 400);
    });
  });

  describe('links end with', () => {
    const changes: Record<string, () => Promise<unknown>> = {
      'a new password': () =>
        service.call('POST', '/auth/password', {
          token: user.jwt,
          body: { currentPassword: password, newPassword: 'another long password' },
        }),
      'a password that an administrator sets': () =>
        service.call('PATCH', `/users/${user.id}`, {
          token: account.jwt,
          body: { password: 'another long password' },
        }),
      'a change of the role': () =>
        service.call('PATCH', `/users/${user.id}`, { token: account.jwt, body: { role: 'operator' } }),
      'the first factor': async () => factorsOf(service).withApp(withToken()),
      'a reset of the factors': () =>
        service.call('POST', `/users/${user.id}/reset-factors`, { token: account.jwt, body: {} }),
    };
    for (const [name, make] of Object.entries(changes)) {
      it(name, async () => {
        const uses = [await ways.loginLink!(), await ways.reset!()];
        await make();
        for (const use of uses) assert.equal(await use(service), 'VALIDATION_FAILED');
      });
    }
  });

  it('a login whose password is being checked does not outlive a new password', async () => {
    const { db } = service.context;
    let signing: Promise<string> | undefined;
    // The row is held, so the login waits for it after it has checked the old password.
    await db.transaction(async (tx) => {
      await tx.query(sql`select from users where id = ${user.id} for update`);
      const use = await ways.password!();
      signing = use(service);
      await eventually(async () => {
        const waiting = await db.query(sql`
          select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%for share%'`);
        return waiting.length > 0;
      });
      await resetPassword(tx, now(), own(), 'no longer the same');
    });
    assert.equal(await signing, 'UNAUTHORIZED');
  });
});
