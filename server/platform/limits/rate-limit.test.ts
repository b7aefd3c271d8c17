/** The limits from a client's point of view: over HTTP, through two processes of the service. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { defaultAccountLimits } from '../../../contract/limits.ts';
import { type Answer, startTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../db/sql.ts';

describe('rate limits', () => {
  let service: TestService;
  let second: Awaited<ReturnType<TestService['startSecond']>>;
  before(async () => {
    service = await startTestService({ realLimits: true });
    second = await service.startSecond();
  });
  after(async () => {
    await second.close();
    await service.close();
  });

  /** Simulates this many requests counted that long ago. */
  const countEarlier = async (accountId: string, bucket: string, times: number, secondsAgo: number) => {
    const { db } = service.context;
    const [row] = await db.query<{ total: number }>(sql`
      insert into rate_limit_counters as c (account_id, bucket, total) values (${accountId}, ${bucket}, ${times})
      on conflict (account_id, bucket) do update set total = c.total + ${times} returning total`);
    const after = row!.total;
    await db.query(sql`
      insert into rate_limit_hits (account_id, bucket, at, before, after)
      values (${accountId}, ${bucket}, (extract(epoch from now()) * 1000)::bigint - ${secondsAgo * 1000},
        ${after - times}, ${after})`);
  };
  const letMinutePass = async (accountId: string) => {
    await service.context.db.query(sql`
      update rate_limit_hits set at = at - 3600000 where account_id = ${accountId} and at > 0`);
  };
  const limitOf = ({ headers }: Answer) => Number(headers['x-ratelimit-limit']);
  const remaining = ({ headers }: Answer) => Number(headers['x-ratelimit-remaining']);
  const records = (token: string, call = service.call) => call('GET', '/crm/records', { token });

  it('every success tells limit, what remains, and when the oldest request leaves the window', async () => {
    const { token } = await service.createAccount();
    const before = Math.floor(service.context.clock.now() / 1000);
    const first = await records(token);
    const latest = Math.ceil(service.context.clock.now() / 1000) + 1;
    assert.equal(first.status, 200);
    assert.equal(limitOf(first), 120);
    assert.equal(remaining(first), 119);
    const reset = Number(first.headers['x-ratelimit-reset']);
    assert.ok(reset >= before + 60 && reset <= latest + 60, `${reset} is a minute after ${before}`);
    const next = await records(token, second.call);
    assert.equal(remaining(next), 118);
    assert.equal(next.headers['x-ratelimit-reset'], first.headers['x-ratelimit-reset']);
  });

  it('of 200 requests at once to two processes exactly 120 pass, each with its own remainder', async () => {
    const { token, accountId } = await service.createAccount();
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) => records(token, i % 2 ? service.call : second.call)),
    );
    const passed = answers.filter((answer) => answer.status === 200);
    const refused = answers.filter((answer) => answer.status === 403);
    assert.deepEqual([passed.length, refused.length], [120, 80]);
    const remainders = passed.map(remaining).sort((a, b) => b - a);
    assert.deepEqual(
      remainders,
      Array.from({ length: 120 }, (_, i) => 119 - i),
    );
    for (const { body, headers } of refused) {
      const { requestId, ...rest } = body;
      assert.deepEqual(rest, { error: 'Forbidden', message: 'rate limit exceeded', code: 'RATE_LIMITED' });
      assert.equal(requestId, headers['x-request-id']);
      const wait = Number(headers['retry-after']);
      assert.ok(Number.isInteger(wait) && wait >= 1 && wait <= 60, `Retry-After ${wait}`);
      assert.equal(headers['x-ratelimit-remaining'], '0');
    }
    // The 80 rejections were not counted: a window later a full 120 are available.
    await letMinutePass(accountId);
    assert.equal(remaining(await records(token)), 119);
  });

  it('3,000 per hour: the headers speak of the tighter window and Retry-After of the later one', async () => {
    const { token, accountId } = await service.createAccount();
    await countEarlier(accountId, 'crm', 2_999, 1_800);
    const last = await records(token);
    assert.equal(last.status, 200);
    assert.equal(limitOf(last), 3_000);
    assert.equal(remaining(last), 0);
    const refused = await records(token, second.call);
    assert.equal(refused.status, 403);
    const wait = Number(refused.headers['retry-after']);
    assert.ok(wait > 1_740 && wait <= 1_800, `Retry-After ${wait}`);
  });

  it('a missing and a bad token do not count; a 400, a 403 for the scope and a 404 do', async () => {
    const { token, jwt } = await service.createAccount();
    const reader = await service.createToken(jwt, { scopes: ['crm:read'] });
    assert.equal(remaining(await records(token)), 119);
    assert.equal((await records(`${token}x`)).status, 401);
    assert.equal((await service.call('GET', '/crm/records', { token: null })).status, 401);
    const bad = await service.call('POST', '/crm/records', { token, body: {} });
    assert.deepEqual([bad.status, remaining(bad)], [400, 118]);
    const absent = await service.call('GET', '/crm/records/none', { token });
    assert.deepEqual([absent.status, remaining(absent)], [404, 117]);
    const forbidden = await service.call('POST', '/crm/records', { token: reader.token, body: {} });
    assert.deepEqual([forbidden.status, forbidden.body.code, remaining(forbidden)], [403, 'FORBIDDEN', 116]);
    const unreadable = await service.call('POST', '/crm/records', { token, body: '{' });
    assert.deepEqual([unreadable.status, remaining(unreadable)], [400, 115]);
  });

  it('a batch counts as one request', async () => {
    const { token } = await service.createAccount();
    const items = Array.from({ length: 20 }, (_, i) => ({ title: `Record ${i}` }));
    const answer = await service.call('POST', '/crm/records/batch', { token, body: { items } });
    assert.deepEqual([answer.status, remaining(answer)], [200, 119]);
  });

  it('management requests of tokens: 600 per minute, then 429', async () => {
    const { token, accountId } = await service.createAccount();
    await countEarlier(accountId, 'management', 599, 20);
    const last = await service.call('GET', '/account', { token });
    assert.deepEqual([last.status, limitOf(last), remaining(last)], [200, 600, 0]);
    const refused = await second.call('GET', '/users', { token });
    assert.deepEqual([refused.status, refused.body.code], [429, 'RATE_LIMITED']);
    assert.equal(refused.body.error, 'Too Many Requests');
    const wait = Number(refused.headers['retry-after']);
    assert.ok(wait >= 30 && wait <= 40, `Retry-After ${wait}`);
    assert.equal((await records(token)).status, 200);
  });

  it('messaging has a limit of its own that PATCH changes', async () => {
    const { accountId } = await service.createAccount();
    const admit = () => service.context.rateLimits.admit(accountId, 'messages', null);
    assert.deepEqual([(await admit()).limit, (await admit()).remaining], [600, 598]);
    const body = { limits: { messagesPerMinute: 3 } };
    await service.call('PATCH', `/admin/accounts/${accountId}`, { token: service.admin.jwt, body });
    const third = await admit();
    assert.deepEqual([third.admitted, third.limit, third.remaining], [true, 3, 0]);
    assert.equal((await admit()).admitted, false);
  });

  it("a user's requests leave the account's limits alone and have 1,200 per minute of their own", async () => {
    const { token, jwt, accountId } = await service.createAccount();
    const user = (await service.call('GET', '/auth/me', { token: jwt })).body.user.id;
    const before = await records(jwt);
    assert.equal(limitOf(before), 1_200);
    assert.equal(remaining(await records(token)), 119);
    await countEarlier(accountId, `user:${user}`, remaining(before) - 1, 0);
    const last = await service.call('GET', '/users', { token: jwt });
    assert.deepEqual([last.status, remaining(last)], [200, 0]);
    const crm = await records(jwt, second.call);
    assert.deepEqual([crm.status, crm.body.code], [403, 'RATE_LIMITED']);
    const elsewhere = await second.call('GET', '/users', { token: jwt });
    assert.deepEqual([elsewhere.status, elsewhere.body.code], [429, 'RATE_LIMITED']);
    assert.ok(Number(elsewhere.headers['retry-after']) >= 1);
    assert.equal(remaining(await records(token)), 118);
    const colleague = await service.call('GET', '/users', { token: service.admin.jwt });
    assert.equal(colleague.status, 200);
  });

  it('PATCH /admin/accounts/{id} holds at the next request, in every process, up and down', async () => {
    const { token, accountId } = await service.createAccount();
    const change = (limits: object) =>
      service.call('PATCH', `/admin/accounts/${accountId}`, { token: service.admin.jwt, body: { limits } });
    assert.equal(remaining(await records(token)), 119);
    const lowered = await change({ crmPerMinute: 2 });
    assert.deepEqual(lowered.body.limits, { ...defaultAccountLimits, crmPerMinute: 2 });
    const last = await records(token, second.call);
    assert.deepEqual([last.status, limitOf(last), remaining(last)], [200, 2, 0]);
    assert.equal((await records(token)).status, 403);
    await change({ crmPerMinute: 50_000, crmPerHour: 500_000 });
    for (let i = 0; i < 20; i++) assert.equal((await records(token)).status, 200);
    await change({ crmPerMinute: 5 });
    assert.equal((await records(token)).status, 403);
    for (const limits of [{ crmPerMinute: 0 }, { crmPerHour: -1 }, { messagesPerMinute: 1.5 }]) {
      assert.equal((await change(limits)).status, 400);
    }
  });

  it("one account's requests say nothing about another's", async () => {
    const [one, other] = [await service.createAccount(), await service.createAccount()];
    await countEarlier(one.accountId, 'crm', 120, 5);
    assert.equal((await records(one.token)).status, 403);
    assert.equal(remaining(await records(other.token)), 119);
  });
});
