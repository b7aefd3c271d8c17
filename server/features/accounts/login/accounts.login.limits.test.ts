/** Failed logins are limited per address and user, and per address; hashing never blocks other requests. */
import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { checkedCosts, hashAtRealCost, holdPasswordChecks } from '../../../../test/support/cheap-hashes.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import {
  type Answer,
  password,
  startTestService,
  type TestService,
} from '../../../../test/support/service.ts';
import { sql } from '../../../platform/db/sql.ts';

let addresses = 0;
/** An address that no other test has used. */
const newAddress = () => `198.51.100.${++addresses}`;

describe('failed logins', () => {
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

  const login = (email: string, secret: string, address: string, call = service.call) =>
    call('POST', '/auth/login', { token: null, address, body: { email, password: secret } });
  const either = (index: number) => (index % 2 ? second.call : service.call);
  const withoutId = ({ status, body }: Answer) => ({ status, body: { ...body, requestId: '' } });
  const age = (ms: number, address: string, howMany = 100) =>
    service.context.db.query(sql`
      update login_failures set failed_at = failed_at - ${ms} where id in (
        select id from login_failures
        where address = sha256(convert_to(${address}, 'utf8')) order by failed_at limit ${howMany})`);

  it('the sixth within 5 minutes is a 429, the right password too; known and unknown users alike', async () => {
    const address = newAddress();
    const user = await service.createUser('operator');
    for (const email of [user.email, 'nobody@example.com']) {
      for (let i = 0; i < 5; i++) {
        assert.deepEqual(withoutId(await login(email, `wrong ${i}`, address, either(i))), {
          status: 401,
          body: {
            error: 'Unauthorized',
            message: 'wrong e-mail address or password',
            code: 'UNAUTHORIZED',
            requestId: '',
          },
        });
      }
      const refused = await login(email, password, address);
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

  it('a stranger at another address does not lock the user out', async () => {
    const user = await service.createUser('operator');
    const [stranger, home] = [newAddress(), newAddress()];
    for (let i = 0; i < 6; i++) await login(user.email, 'wrong', stranger);
    assert.equal((await login(user.email, password, stranger)).status, 429);
    assert.equal((await login(user.email, password, home)).status, 200);
  });

  it('when the oldest failure is 5 minutes old, one more attempt is allowed', async () => {
    const address = newAddress();
    const user = await service.createUser('operator');
    for (let i = 0; i < 5; i++) await login(user.email, 'wrong', address);
    assert.equal((await login(user.email, password, address)).status, 429);
    await age(300_000, address, 1);
    assert.equal((await login(user.email, 'wrong', address)).status, 401);
    assert.equal((await login(user.email, password, address)).status, 429);
  });

  it('successful logins do not count, not even 20 at once', async () => {
    const address = newAddress();
    const user = await service.createUser('operator');
    for (let i = 0; i < 4; i++) await login(user.email, 'wrong', address);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => login(user.email, password, address, either(i))),
    );
    assert.deepEqual(
      answers.map((answer) => answer.status),
      Array(20).fill(200),
    );
    assert.equal((await login(user.email, 'wrong', address)).status, 401);
    assert.equal((await login(user.email, password, address)).status, 429);
  });

  it('of 30 guesses at once five are looked at', async () => {
    const address = newAddress();
    const user = await service.createUser('operator');
    const guesses = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        login(user.email, i === 29 ? password : `guess ${i}`, address, either(i)),
      ),
    );
    const statuses = guesses.map((answer) => answer.status);
    assert.equal(statuses.filter((status) => status === 401).length, 5);
    assert.equal(statuses.filter((status) => status === 429).length, 25);
  });

  it('another user at the same address is not held up', async () => {
    const address = newAddress();
    const [one, other] = [await service.createUser('operator'), await service.createUser('operator')];
    for (let i = 0; i < 6; i++) await login(one.email, 'wrong', address);
    assert.equal((await login(other.email, password, address)).status, 200);
  });

  it('the 31st of one address is a 429 for every user, over both processes, until the oldest is old', async () => {
    const [address, other] = [newAddress(), newAddress()];
    const user = await service.createUser('operator');
    // Three guesses for each, one of them unknown.
    const emails = ['guess@example.com'];
    while (emails.length < 15) emails.push((await service.createUser('operator')).email);
    const guesses = await Promise.all(
      Array.from({ length: 45 }, (_, i) => login(emails[i % 15]!, 'password123', address, either(i))),
    );
    const statuses = guesses.map((answer) => answer.status);
    assert.equal(statuses.filter((status) => status === 401).length, 30);
    assert.equal(statuses.filter((status) => status === 429).length, 15);
    const refused = await login(user.email, password, address);
    assert.equal(refused.status, 429);
    const wait = Number(refused.headers['retry-after']);
    assert.ok(wait > 270 && wait <= 300, `Retry-After ${wait}`);
    assert.equal((await login(user.email, password, other)).status, 200, 'another address is free');
    await age(300_000, address, 1);
    assert.equal((await login(user.email, password, address)).status, 200, 'a success takes no place');
    assert.equal((await login(user.email, 'wrong', address)).status, 401);
    assert.equal((await login(user.email, password, address)).status, 429);
  });

  it('X-Forwarded-For of a peer that is not trusted changes nothing', async () => {
    const address = newAddress();
    const user = await service.createUser('operator');
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) {
      const headers = { 'x-forwarded-for': `203.0.113.${i}` };
      const body = { email: user.email, password: 'wrong' };
      statuses.push(
        (await service.call('POST', '/auth/login', { token: null, address, headers, body })).status,
      );
    }
    assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429]);
  });

  it('an IPv6 client cannot change its address within its network to try again', async () => {
    const user = await service.createUser('operator');
    for (let i = 1; i <= 5; i++) await login(user.email, 'wrong', `2001:db8:1:2::${i}`);
    assert.equal((await login(user.email, password, '2001:db8:1:2:ffff::9')).status, 429);
    assert.equal((await login(user.email, password, '2001:db8:1:3::1')).status, 200);
  });

  it('an IPv4 address is the same on an IPv6 socket', async () => {
    const address = newAddress();
    const user = await service.createUser('operator');
    for (let i = 0; i < 5; i++) await login(user.email, 'wrong', `::ffff:${address}`);
    assert.equal((await login(user.email, password, address)).status, 429);
  });

  it('an unknown user costs the check of a password, as a wrong password does', async (t) => {
    hashAtRealCost(true);
    t.after(() => hashAtRealCost(false));
    const user = await service.createUser('operator');
    const costsOf = async (email: string) => {
      const before = checkedCosts.length;
      await login(email, 'wrong', newAddress());
      return checkedCosts.slice(before);
    };
    const known = await costsOf(user.email);
    assert.match(known.join(), /^m=\d{5,},t=\d+,p=\d+$/);
    assert.deepEqual(await costsOf('nobody-at-all@example.com'), known);
  });

  it('the sixth wrong currentPassword within 5 minutes is a 429; the right one does not count', async () => {
    const address = newAddress();
    const user = await service.createUser('operator');
    const change = (currentPassword: string, from = address, call = service.call) =>
      call('POST', '/auth/password', {
        token: user.jwt,
        address: from,
        body: { currentPassword, newPassword: 'another horse battery' },
      });
    const guesses = await Promise.all(
      Array.from({ length: 12 }, (_, i) => change(`wrong ${i}`, address, either(i))),
    );
    const statuses = guesses.map((answer) => answer.status).sort();
    assert.deepEqual(statuses, [...Array(5).fill(400), ...Array(7).fill(429)]);
    const refused = await change(password);
    assert.deepEqual([refused.status, refused.body.code], [429, 'RATE_LIMITED']);
    const wait = Number(refused.headers['retry-after']);
    assert.ok(wait > 270 && wait <= 300, `Retry-After ${wait}`);
    assert.equal((await login(user.email, password, address)).status, 429, 'the same window');
    const home = newAddress();
    for (let i = 0; i < 4; i++) assert.equal((await change('wrong', home)).status, 400);
    assert.equal((await change(password, home)).status, 200);
    assert.equal((await login(user.email, 'wrong', home)).status, 401, 'room for a fifth failure');
    assert.equal((await login(user.email, 'another horse battery', home)).status, 429);
  });

  describe('behind a trusted proxy', () => {
    let proxied: TestService;
    before(async () => {
      proxied = await startTestService({ env: { TRUST_PROXY: '10.0.0.0/8, 2001:db8:ffff::/48' } });
    });
    after(() => proxied.close());
    const from = (client: string, email: string, secret: string, proxy = '10.1.2.3') =>
      proxied.call('POST', '/auth/login', {
        token: null,
        address: proxy,
        headers: { 'x-forwarded-for': client },
        body: { email, password: secret },
      });

    it('five wrong guesses of a stranger do not lock the user out', async () => {
      const user = await proxied.createUser('operator');
      for (let i = 0; i < 5; i++) {
        assert.equal((await from('198.51.100.1', user.email, 'wrong')).status, 401);
      }
      assert.equal((await from('198.51.100.1', user.email, password)).status, 429);
      assert.equal((await from('203.0.113.5, 198.51.100.1', user.email, password)).status, 429);
      assert.equal((await from('198.51.100.2', user.email, password)).status, 200);
      assert.equal((await from('198.51.100.3', user.email, password, '2001:db8:ffff::1')).status, 200);
    });
  });

  describe('a flood of logins', () => {
    it('150 at once leave other requests fast, and each gets an answer', async (t) => {
      const { email } = await service.createUser('operator');
      const address = newAddress();
      hashAtRealCost(true);
      t.after(() => hashAtRealCost(false));
      let answered = 0;
      const floodedAt = performance.now();
      const strangers = Array.from({ length: 50 }, async (_, i) => {
        const { status } = await login(`user-${i}@example.com`, 'wrong', `203.0.113.${i}`);
        answered++;
        return status;
      });
      const stranger = Array.from({ length: 100 }, () => login(email, 'wrong', address));
      const times: number[] = [];
      while (answered < 50) {
        const began = performance.now();
        assert.equal((await service.call('GET', '/kanbans')).status, 200);
        // Attachments are read by the same threads that hash: unbounded hashing would delay files.
        await stat(service.context.config.dataDir);
        times.push(performance.now() - began);
        await setTimeout(5);
      }
      const floodMs = performance.now() - floodedAt;
      const ofAll = await Promise.all(strangers);
      const ofOne = (await Promise.all(stranger)).map((answer) => answer.status);
      // On a slow machine those that would wait for more than 10 s get BUSY.
      const unexpected = ofAll.filter((status) => status !== 401 && status !== 503);
      assert.deepEqual(unexpected, []);
      assert.ok(ofAll.includes(401));
      // Of one address 30 may wait.
      assert.deepEqual(
        ofOne.filter((status) => ![401, 429, 503].includes(status)),
        [],
      );
      assert.ok(ofOne.filter((status) => status === 503).length >= 100 - 31);
      // Of the time of the flood, so that a slow machine changes nothing: requests behind it would take all of it.
      const slow = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)]!;
      const figures = `${Math.round(slow)} of ${Math.round(floodMs)} ms, ${times.length} requests`;
      assert.ok(slow < floodMs / 4, `one in twenty took longer than ${figures}`);
    });

    it('503 BUSY at once when 300 logins of all addresses are under way', { timeout: 60_000 }, async (t) => {
      const user = await service.createUser('operator');
      const release = holdPasswordChecks();
      t.after(release);
      const flood = Array.from({ length: 400 }, (_, i) =>
        login(user.email, 'wrong', `2001:db8:${i.toString(16)}::1`),
      );
      // The last hundred to arrive are answered while the others wait.
      const late = await Promise.all(flood.slice(300));
      release();
      assert.deepEqual([...new Set(late.map((answer) => answer.status))], [503]);
      const early = await Promise.all(flood.slice(0, 300));
      assert.ok(early.some((answer) => answer.status === 401));
      await eventually(async () => (await login(user.email, 'wrong', newAddress())).status === 401);
    });

    it('503 BUSY with Retry-After when too many wait, and these do not count as failures', {
      timeout: 60_000,
    }, async (t) => {
      const user = await service.createUser('operator');
      const address = newAddress();
      const release = holdPasswordChecks();
      t.after(release);
      const logins = Array.from({ length: 60 }, () => login(user.email, password, address));
      const refused = await Promise.all(logins.slice(31));
      release();
      assert.deepEqual([...new Set(refused.map((answer) => answer.status))], [503]);
      assert.equal(refused[0]!.body.code, 'BUSY');
      assert.ok(Number(refused[0]!.headers['retry-after']) >= 1);
      const admitted = await Promise.all(logins.slice(0, 31));
      assert.ok(admitted.every(({ status }) => status === 200 || status === 503));
      await eventually(async () => (await login(user.email, password, address)).status === 200);
      const [row] = await service.context.db.query<{ count: number }>(sql`
        select count(*)::int as count from login_failures
        where address = sha256(convert_to(${address}, 'utf8'))`);
      assert.equal(row!.count, 0);
    });
  });
});
