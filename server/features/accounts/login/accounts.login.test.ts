import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { permissionsOfRole } from '../../../../contract/roles/permissions.ts';
import { version } from '../../../../contract/version.ts';
import { aSecondLater } from '../../../../test/support/later.ts';
import {
  type Answer,
  joinTestService,
  password,
  startTestService,
  type TestService,
} from '../../../../test/support/service.ts';

describe('signing in', () => {
  let service: TestService;
  let second: Awaited<ReturnType<TestService['startSecond']>>;
  before(async () => {
    service = await joinTestService();
    second = await service.startSecond();
  });
  after(async () => {
    await second.close();
    await service.close();
  });

  const login = (email: string, secret: string, call = service.call) =>
    call('POST', '/auth/login', { token: null, body: { email, password: secret } });
  const refresh = (cookie: string, call = service.call) =>
    call('POST', '/auth/refresh', { token: null, headers: { cookie } });
  const me = (token: string, call = service.call) => call('GET', '/auth/me', { token });
  const setCookie = (answer: Answer) => String(answer.headers['set-cookie']);
  const cookieOf = (answer: Answer) => setCookie(answer).split(';')[0]!;

  it('200 token, expiry in 15 minutes, user and account', async () => {
    const user = await service.createUser('operator');
    const answer = await login(` ${user.email.toUpperCase()} `, password);
    assert.equal(answer.status, 200);
    assert.deepEqual(Object.keys(answer.body).sort(), ['account', 'expiresAt', 'token', 'user']);
    assert.deepEqual(answer.body.user, {
      id: user.id,
      email: user.email,
      name: answer.body.user.name,
      role: 'operator',
      roleId: null,
      permissions: permissionsOfRole.operator,
      isInstanceAdmin: false,
      language: null,
      theme: 'system',
      undoSendSeconds: 5,
      seenRelease: version,
      availability: 'available',
    });
    assert.equal(answer.body.account.id, service.admin.accountId);
    const minutes = (answer.body.expiresAt - service.context.clock.now()) / 60_000;
    assert.ok(minutes > 14.9 && minutes <= 15, `${minutes} minutes`);
    const known = await me(answer.body.token);
    assert.deepEqual(known.body, { user: answer.body.user, account: answer.body.account });
  });

  it('a user changes the own name, and nothing else of themselves', async () => {
    const user = await service.createUser('operator');
    const body = { name: '  Ada Lovelace ', role: 'admin', email: 'other@example.com' };
    const answer = await service.call('PATCH', '/auth/me', { token: user.jwt, body });
    assert.equal(answer.status, 200);
    const { name, role, email } = answer.body.user;
    assert.deepEqual([name, role, email], ['Ada Lovelace', 'operator', user.email]);
    assert.deepEqual((await me(user.jwt)).body, answer.body);
    const blank = await service.call('PATCH', '/auth/me', { token: user.jwt, body: { name: ' ' } });
    assert.equal(blank.status, 400);
    assert.equal((await me(service.admin.jwt)).body.user.isInstanceAdmin, true);
  });

  it('a user chooses the language of the dashboard, and every login is told of it', async () => {
    const user = await service.createUser('operator');
    const choose = (language: string | null) =>
      service.call('PATCH', '/auth/me', { token: user.jwt, body: { language } });
    assert.equal((await me(user.jwt)).body.user.language, null);
    const answer = await choose('pt');
    assert.deepEqual([answer.status, answer.body.user.language], [200, 'pt']);
    assert.equal((await me(user.jwt)).body.user.language, 'pt');
    assert.equal((await login(user.email, password)).body.user.language, 'pt');
    assert.equal((await choose('klingon')).status, 400);
    const renamed = await service.call('PATCH', '/auth/me', { token: user.jwt, body: { name: 'Grace' } });
    assert.deepEqual([renamed.body.user.name, renamed.body.user.language], ['Grace', 'pt']);
    assert.equal((await choose(null)).body.user.language, null);
  });

  it('a user chooses the theme of the dashboard, and every login is told of it', async () => {
    const user = await service.createUser('operator');
    const choose = (body: object) => service.call('PATCH', '/auth/me', { token: user.jwt, body });
    assert.equal((await me(user.jwt)).body.user.theme, 'system');
    for (const theme of ['dark', 'light', 'system', 'dark']) {
      const answer = await choose({ theme });
      assert.deepEqual([answer.status, answer.body.user.theme], [200, theme]);
      assert.equal((await me(user.jwt)).body.user.theme, theme);
    }
    assert.equal((await login(user.email, password)).body.user.theme, 'dark');
    assert.equal((await choose({ language: 'es' })).body.user.theme, 'dark');
    assert.equal((await choose({ theme: 'light' })).body.user.language, 'es');
    for (const theme of ['sepia', null, 1]) {
      const refused = await choose({ theme });
      assert.equal(refused.status, 400);
      assert.match(refused.body.message, /^theme must be/);
    }
    assert.equal((await me(service.admin.jwt)).body.user.theme, 'system', 'each user has their own');
  });

  it('the refresh cookie is HttpOnly, SameSite=Strict and sent to /auth only', async () => {
    const cookie = setCookie(await login(service.admin.email, password));
    for (const part of ['HttpOnly', 'SameSite=Strict', 'Path=/auth', 'Max-Age=2592000']) {
      assert.match(cookie, new RegExp(`; ${part}(;|$)`));
    }
    assert.doesNotMatch(cookie, /Secure/, 'the public address of the tests is http');
  });

  it('a service with an https address marks the cookie Secure', async () => {
    const https = await startTestService({ env: { PUBLIC_URL: 'https://board.example.com' } });
    const answer = await https.call('POST', '/auth/login', {
      token: null,
      body: { email: https.admin.email, password },
    });
    assert.match(setCookie(answer), /; Secure/);
    await https.close();
  });

  it('signing out ends the JWT, the cookie and nothing else', async (t) => {
    const [one, other] = [
      await login(service.admin.email, password),
      await login(service.admin.email, password),
    ];
    assert.equal((await me(one.body.token, second.call)).status, 200);
    const out = await service.call('POST', '/auth/logout', {
      token: one.body.token,
      headers: { cookie: cookieOf(one) },
    });
    assert.equal(out.status, 200);
    assert.match(setCookie(out), /^talkboard_refresh=;/);
    assert.match(setCookie(out), /Expires=Thu, 01 Jan 1970/);
    assert.equal((await me(one.body.token)).status, 401);
    await aSecondLater(t, async () => assert.equal((await me(one.body.token, second.call)).status, 401));
    assert.equal((await refresh(cookieOf(one))).status, 401);
    assert.equal((await me(other.body.token)).status, 200);
    assert.equal((await service.call('POST', '/auth/logout', { token: null })).status, 200);
  });

  describe('changing the password', () => {
    const change = (token: string, currentPassword: string, newPassword: string) =>
      service.call('POST', '/auth/password', { token, body: { currentPassword, newPassword } });

    it('ends every other session within a second, everywhere, and the own goes on', async (t) => {
      const user = await service.createUser('operator');
      const [own, other] = [await login(user.email, password), await login(user.email, password)];
      assert.equal((await me(other.body.token, second.call)).status, 200);
      const changed = await change(own.body.token, password, 'another good password');
      assert.equal(changed.status, 200);
      assert.equal((await me(other.body.token)).status, 401);
      await aSecondLater(t, async () => assert.equal((await me(other.body.token, second.call)).status, 401));
      assert.equal((await refresh(cookieOf(other))).status, 401);
      assert.equal((await me(own.body.token)).status, 200);
      assert.equal((await refresh(cookieOf(own))).status, 200);
      assert.equal((await login(user.email, password)).status, 401);
      assert.equal((await login(user.email, 'another good password')).status, 200);
    });

    it('400 for a wrong current password and for a new one under 10 characters, changing nothing', async () => {
      const user = await service.createUser('operator');
      const wrong = await change(user.jwt, 'not the password', 'another good password');
      assert.deepEqual([wrong.status, wrong.body.message], [400, 'currentPassword is wrong']);
      const short = await change(user.jwt, password, '123456789');
      assert.equal(short.status, 400);
      assert.match(short.body.message, /^newPassword must have at least 10 characters/);
      assert.equal((await login(user.email, password)).status, 200);
    });
  });
});
