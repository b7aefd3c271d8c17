import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { type Answer, password, startTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/sql.ts';

describe('signing in', () => {
  let service: TestService;
  let second: Awaited<ReturnType<TestService['startSecond']>>;
  before(async () => {
    service = await startTestService();
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
      isInstanceAdmin: false,
      language: null,
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

  it('a renewal gives a new JWT and a new cookie; the old cookie is good for a moment, for a second tab', async () => {
    const first = cookieOf(await login(service.admin.email, password));
    const renewed = await refresh(first);
    assert.equal(renewed.status, 200);
    assert.equal((await me(renewed.body.token)).status, 200);
    const next = cookieOf(renewed);
    assert.notEqual(next, first);
    const otherTab = await refresh(first, second.call);
    assert.equal(otherTab.status, 200);
    assert.equal(otherTab.headers['set-cookie'], undefined, 'the newer cookie must not be overwritten');
    assert.equal((await me(otherTab.body.token)).status, 200);
    await service.context.db.query(sql`update user_sessions set refreshed_at = refreshed_at - 31000`);
    assert.equal((await refresh(first)).status, 401, 'a moment later it is worth nothing');
    assert.equal((await refresh(next)).status, 200);
  });

  it('two tabs that renew at the same moment both go on, with one new cookie between them', async () => {
    const cookie = cookieOf(await login(service.admin.email, password));
    const answers = await Promise.all([refresh(cookie), refresh(cookie, second.call)]);
    assert.deepEqual(
      answers.map((answer) => answer.status),
      [200, 200],
    );
    const cookies = answers.filter((answer) => answer.headers['set-cookie'] !== undefined);
    assert.equal(cookies.length, 1);
    assert.equal((await refresh(cookieOf(cookies[0]!))).status, 200);
  });

  it('401 without a cookie, with an invented one, and after 30 days without renewal', async () => {
    assert.equal((await service.call('POST', '/auth/refresh', { token: null })).status, 401);
    assert.equal((await refresh('talkboard_refresh=invented')).status, 401);
    const user = await service.createUser('operator');
    const answer = await login(user.email, password);
    await service.context.db.query(sql`
      update user_sessions set expires_at = expires_at - 30 * 86400000::bigint where user_id = ${user.id}`);
    assert.equal((await refresh(cookieOf(answer))).status, 401);
    await eventually(async () => (await me(answer.body.token)).status === 401, 1_000);
  });

  it('signing out ends the JWT, the cookie and nothing else', async () => {
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
    await eventually(async () => (await me(one.body.token, second.call)).status === 401, 1_000);
    assert.equal((await refresh(cookieOf(one))).status, 401);
    assert.equal((await me(other.body.token)).status, 200);
    assert.equal((await service.call('POST', '/auth/logout', { token: null })).status, 200);
  });

  describe('changing the password', () => {
    const change = (token: string, currentPassword: string, newPassword: string) =>
      service.call('POST', '/auth/password', { token, body: { currentPassword, newPassword } });

    it('ends every other session within a second, everywhere, and the own goes on', async () => {
      const user = await service.createUser('operator');
      const [own, other] = [await login(user.email, password), await login(user.email, password)];
      assert.equal((await me(other.body.token, second.call)).status, 200);
      const changed = await change(own.body.token, password, 'another good password');
      assert.equal(changed.status, 200);
      assert.equal((await me(other.body.token)).status, 401);
      await eventually(async () => (await me(other.body.token, second.call)).status === 401, 1_000);
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

  describe('failed logins', () => {
    const withoutId = ({ status, body }: Answer) => ({ status, body: { ...body, requestId: '' } });

    it('the sixth within 5 minutes is a 429, the right password too; known and unknown users alike', async () => {
      const user = await service.createUser('operator');
      for (const email of [user.email, 'nobody@example.com']) {
        const answers: Answer[] = [];
        for (let i = 0; i < 5; i++)
          answers.push(await login(email, `wrong ${i}`, i % 2 ? second.call : service.call));
        for (const answer of answers) {
          assert.deepEqual(withoutId(answer), {
            status: 401,
            body: {
              error: 'Unauthorized',
              message: 'wrong e-mail address or password',
              code: 'UNAUTHORIZED',
              requestId: '',
            },
          });
        }
        const refused = await login(email, password);
        assert.deepEqual(withoutId(refused), {
          status: 429,
          body: {
            error: 'Too Many Requests',
            message: 'rate limit exceeded',
            code: 'RATE_LIMITED',
            requestId: '',
          },
        });
        const wait = Number(refused.headers['retry-after']);
        assert.ok(wait > 280 && wait <= 300, `Retry-After ${wait}`);
      }
    });

    it('when the oldest failure is 5 minutes old there is room for one more', async () => {
      const user = await service.createUser('operator');
      for (let i = 0; i < 5; i++) await login(user.email, 'wrong');
      assert.equal((await login(user.email, password)).status, 429);
      await service.context.db.query(sql`
        update login_failures set failed_at = failed_at - 300000
        where (who, id) = (select who, id from login_failures order by failed_at desc, id desc offset 4 limit 1)`);
      assert.equal((await login(user.email, 'wrong')).status, 401);
      assert.equal((await login(user.email, password)).status, 429);
    });

    it('successful logins do not count, not even 12 at once', async () => {
      const user = await service.createUser('operator');
      for (let i = 0; i < 4; i++) await login(user.email, 'wrong');
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, i) => login(user.email, password, i % 2 ? second.call : service.call)),
      );
      assert.deepEqual(
        answers.map((answer) => answer.status),
        Array(12).fill(200),
      );
      assert.equal((await login(user.email, 'wrong')).status, 401);
      assert.equal((await login(user.email, password)).status, 429);
    });

    it('of 30 guesses at once five are looked at', async () => {
      const user = await service.createUser('operator');
      const guesses = await Promise.all(
        Array.from({ length: 30 }, (_, i) =>
          login(user.email, i === 29 ? password : `guess ${i}`, i % 2 ? second.call : service.call),
        ),
      );
      const statuses = guesses.map((answer) => answer.status);
      assert.equal(statuses.filter((status) => status === 401).length, 5);
      assert.equal(statuses.filter((status) => status === 429).length, 25);
    });

    it('another user at the same address is not held up', async () => {
      const [one, other] = [await service.createUser('operator'), await service.createUser('operator')];
      for (let i = 0; i < 6; i++) await login(one.email, 'wrong');
      assert.equal((await login(other.email, password)).status, 200);
    });
  });
});
