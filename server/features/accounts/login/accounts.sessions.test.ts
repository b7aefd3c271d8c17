import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { aSecondLater } from '../../../../test/support/later.ts';
import {
  type Answer,
  type Json,
  password,
  startTestService,
  type TestService,
} from '../../../../test/support/service.ts';
import { sql } from '../../../platform/db/sql.ts';
import { sha256 } from '../../../platform/secrets/secrets.ts';

const dayMs = 86_400_000;

describe('login sessions', () => {
  let service: TestService;
  let second: Awaited<ReturnType<TestService['startSecond']>>;
  const log: string[] = [];
  before(async () => {
    service = await startTestService({
      env: { LOG_LEVEL: 'warn' },
      logTo: { write: (line) => void log.push(line) },
    });
    second = await service.startSecond();
  });
  after(async () => {
    await second.close();
    await service.close();
  });

  const login = (email: string, headers: Record<string, string> = {}, address = '127.0.0.1') =>
    service.call('POST', '/auth/login', { token: null, headers, address, body: { email, password } });
  const refresh = (cookie: string, call = service.call) =>
    call('POST', '/auth/refresh', { token: null, headers: { cookie } });
  const me = (token: string, call = service.call) => call('GET', '/auth/me', { token });
  const setCookie = (answer: Answer) => String(answer.headers['set-cookie']);
  const cookieOf = (answer: Answer) => setCookie(answer).split(';')[0]!;
  const maxAge = (answer: Answer) => Number(/Max-Age=(\d+)/.exec(setCookie(answer))?.[1]);
  const sessions = async (token: string, call = service.call): Promise<Json[]> =>
    (await call('GET', '/auth/sessions', { token })).body.items;
  /** Shifts everything about the user's sessions this far into the past. */
  const age = (userId: string, ms: number) =>
    service.context.db.query(sql`
      update user_sessions set refreshed_at = refreshed_at - ${ms}, created_at = created_at - ${ms},
        expires_at = expires_at - ${ms}, ends_at = ends_at - ${ms} where user_id = ${userId}`);

  describe('the refresh cookie', () => {
    it('is replaced at every use', async () => {
      const user = await service.createUser('operator');
      const seen = [cookieOf(await login(user.email))];
      for (let i = 0; i < 3; i++) {
        const renewed = await refresh(seen.at(-1)!, i % 2 ? second.call : service.call);
        assert.equal(renewed.status, 200);
        assert.equal((await me(renewed.body.token)).status, 200);
        seen.push(cookieOf(renewed));
      }
      assert.equal(new Set(seen).size, 4);
    });

    it('that was just replaced still works, for a second tab, which gets the new one', async () => {
      const user = await service.createUser('operator');
      const first = cookieOf(await login(user.email));
      const renewed = await refresh(first);
      const otherTab = await refresh(first, second.call);
      assert.equal(otherTab.status, 200);
      assert.equal((await me(otherTab.body.token)).status, 200);
      assert.equal(cookieOf(otherTab), cookieOf(renewed));
      assert.equal((await refresh(cookieOf(renewed))).status, 200);
    });

    it('two tabs that renew at the same moment both go on', async () => {
      const user = await service.createUser('operator');
      const cookie = cookieOf(await login(user.email));
      const tabs = await Promise.all(
        Array.from({ length: 6 }, (_, i) => refresh(cookie, i % 2 ? second.call : service.call)),
      );
      assert.deepEqual(
        tabs.map((answer) => answer.status),
        Array(6).fill(200),
      );
      assert.equal(new Set(tabs.map(cookieOf)).size, 1, 'they agree on the next cookie');
      assert.equal((await refresh(cookieOf(tabs[5]!))).status, 200);
    });

    it('that comes back 30 seconds after it was replaced ends the whole session', async (t) => {
      const user = await service.createUser('operator');
      const stolen = await login(user.email);
      const renewed = await refresh(cookieOf(stolen));
      const other = await login(user.email);
      assert.equal((await me(renewed.body.token, second.call)).status, 200);
      await age(user.id, 31_000);
      assert.equal((await refresh(cookieOf(stolen))).status, 401);
      assert.equal((await refresh(cookieOf(renewed))).status, 401, 'the newest cookie has ended too');
      assert.equal((await me(renewed.body.token)).status, 401);
      await aSecondLater(t, async () =>
        assert.equal((await me(renewed.body.token, second.call)).status, 401),
      );
      assert.equal((await refresh(cookieOf(other))).status, 200, 'another login goes on');
      const line = log.find((one) => one.includes('an old refresh cookie was used'));
      assert.ok(line?.includes(user.id) && line.includes('127.0.0.1'));
    });

    it('of two renewals ago ends the whole session at once', async () => {
      const user = await service.createUser('operator');
      const first = cookieOf(await login(user.email));
      const next = cookieOf(await refresh(first));
      const newest = cookieOf(await refresh(next));
      assert.equal((await refresh(first)).status, 401);
      assert.equal((await refresh(newest)).status, 401);
    });

    it('that nobody gave out ends nothing', async () => {
      const user = await service.createUser('operator');
      const answer = await login(user.email);
      const [session] = await sessions(answer.body.token);
      for (const invented of ['', 'invented', 'a.b', `${session!.id}.x`, 'x'.repeat(4_000)]) {
        assert.equal((await refresh(`talkboard_refresh=${invented}`)).status, 401);
      }
      assert.equal((await service.call('POST', '/auth/refresh', { token: null })).status, 401);
      assert.equal((await refresh(cookieOf(answer))).status, 200);
    });

    it('ends after 30 days without a renewal', async (t) => {
      const user = await service.createUser('operator');
      const answer = await login(user.email);
      await age(user.id, 30 * dayMs);
      assert.equal((await refresh(cookieOf(answer))).status, 401);
      await aSecondLater(t, async () => assert.equal((await me(answer.body.token)).status, 401));
    });

    it('ends 90 days after the login, however often it is renewed', async () => {
      const user = await service.createUser('operator');
      let answer = await login(user.email);
      assert.equal(maxAge(answer), 30 * 86_400);
      for (let day = 0; day < 80; day += 20) {
        await age(user.id, 20 * dayMs);
        answer = await refresh(cookieOf(answer));
        assert.equal(answer.status, 200);
      }
      assert.ok(maxAge(answer) <= 10 * 86_400 && maxAge(answer) > 9.9 * 86_400, `${maxAge(answer)} s`);
      await age(user.id, 9 * dayMs);
      answer = await refresh(cookieOf(answer));
      assert.equal(answer.status, 200);
      await age(user.id, dayMs);
      assert.equal((await refresh(cookieOf(answer))).status, 401);
    });

    it('of an earlier release keeps working, and is protected from its first renewal on', async () => {
      const user = await service.createUser('operator');
      const value = randomBytes(32).toString('base64url');
      await service.context.db.query(sql`
        update user_sessions set refresh_hash = ${sha256(value)}, family_hash = null, ends_at = null,
          address = null, user_agent = null
        where user_id = ${user.id}`);
      const legacy = `talkboard_refresh=${value}`;
      const [listed] = await sessions(user.jwt);
      assert.deepEqual([listed!.address, listed!.userAgent], [null, null]);
      const renewed = await refresh(legacy);
      assert.equal(renewed.status, 200);
      assert.equal((await refresh(legacy)).status, 200, 'the second tab');
      const next = await refresh(cookieOf(renewed));
      assert.equal(next.status, 200);
      await age(user.id, 31_000);
      assert.equal((await refresh(cookieOf(renewed))).status, 401);
      assert.equal((await refresh(cookieOf(next))).status, 401);
    });
  });

  describe('the list', () => {
    it('has the own sessions with time, address and browser, the current one first', async () => {
      const user = await service.createUser('operator');
      const phone = await login(user.email, { 'user-agent': 'Phone' }, '198.51.100.7');
      const answer = await service.call('GET', '/auth/sessions', { token: phone.body.token });
      assert.equal(answer.status, 200);
      assert.deepEqual(Object.keys(answer.body), ['items']);
      const [first, other] = answer.body.items;
      const { id, createdAt, lastUsedAt, expiresAt, ...rest } = first;
      assert.deepEqual(rest, { address: '198.51.100.7', userAgent: 'Phone', current: true });
      assert.equal(typeof id, 'string');
      assert.equal(lastUsedAt, createdAt);
      assert.equal(expiresAt, createdAt + 30 * dayMs);
      assert.equal(answer.body.items.length, 2);
      assert.equal(other.current, false);
    });

    it('follows a session to another address and browser', async () => {
      const user = await service.createUser('operator');
      const answer = await login(user.email, { 'user-agent': 'Old browser' });
      const renewed = await service.call('POST', '/auth/refresh', {
        token: null,
        address: '2001:db8::7',
        headers: { cookie: cookieOf(answer), 'user-agent': 'New browser'.padEnd(600, '!') },
      });
      const [session] = await sessions(renewed.body.token);
      assert.equal(session!.address, '2001:db8::7');
      assert.equal(session!.userAgent, 'New browser'.padEnd(512, '!'));
      assert.ok(session!.lastUsedAt > session!.createdAt);
    });
  });

  describe('ending', () => {
    it('one session stops its JWT and its cookie within a second, everywhere, and no other', async (t) => {
      const user = await service.createUser('operator');
      const lost = await login(user.email);
      const [own] = await sessions(lost.body.token);
      assert.equal((await me(lost.body.token, second.call)).status, 200);
      const ended = await service.call('DELETE', `/auth/sessions/${own!.id}`, { token: user.jwt });
      assert.deepEqual([ended.status, ended.body], [200, { message: 'session ended' }]);
      assert.equal((await me(lost.body.token)).status, 401);
      await aSecondLater(t, async () => assert.equal((await me(lost.body.token, second.call)).status, 401));
      assert.equal((await refresh(cookieOf(lost))).status, 401);
      assert.equal((await me(user.jwt)).status, 200);
      const again = await service.call('DELETE', `/auth/sessions/${own!.id}`, { token: user.jwt });
      assert.equal(again.status, 404);
    });

    it('the current session signs out', async () => {
      const user = await service.createUser('operator');
      const [own] = await sessions(user.jwt);
      assert.equal(
        (await service.call('DELETE', `/auth/sessions/${own!.id}`, { token: user.jwt })).status,
        200,
      );
      assert.equal((await me(user.jwt)).status, 401);
    });

    it("404 for another user's session and for what is no id", async () => {
      const [user, colleague] = [await service.createUser('operator'), await service.createUser('operator')];
      const [theirs] = await sessions(colleague.jwt);
      for (const id of [theirs!.id, 'none', '%00', randomBytes(16).toString('hex')]) {
        const answer = await service.call('DELETE', `/auth/sessions/${id}`, { token: user.jwt });
        assert.deepEqual([answer.status, answer.body.message], [404, 'session not found']);
      }
      assert.equal((await me(colleague.jwt)).status, 200);
    });

    it('every other session leaves the own one and those of other users', async () => {
      const [user, colleague] = [await service.createUser('operator'), await service.createUser('operator')];
      const own = await login(user.email);
      const answer = await service.call('DELETE', '/auth/sessions', { token: own.body.token });
      assert.deepEqual([answer.status, answer.body], [200, { message: 'other sessions ended' }]);
      assert.equal((await me(user.jwt)).status, 401);
      assert.equal((await sessions(own.body.token)).length, 1);
      assert.equal((await refresh(cookieOf(own))).status, 200);
      assert.equal((await me(colleague.jwt)).status, 200);
    });
  });
});
