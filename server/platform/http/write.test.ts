/** Idempotency-Key from a client's point of view. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import {
  type Answer,
  type CallOptions,
  joinTestService,
  password,
  type TestService,
} from '../../../test/support/service.ts';
import { sql } from '../db/sql.ts';
import { pruneIdempotencyKeys } from './idempotency.ts';

let counter = 0;
const newKey = () => `key-${++counter}`;

describe('Idempotency-Key', () => {
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

  const send = (
    method: string,
    path: string,
    key: string,
    body: unknown,
    options: CallOptions = {},
    call = service.call,
  ) => call(method, path, { ...options, body, headers: { 'idempotency-key': key, ...options.headers } });
  const isReplay = ({ headers }: Answer) => headers['idempotency-replayed'] === 'true';
  const titled = async (title: string) => {
    const rows = await service.context.db.query(sql`select 1 from records where title = ${title}`);
    return rows.length;
  };
  const expectReplay = (first: Answer, again: Answer) => {
    assert.ok(!isReplay(first) && first.headers['idempotency-replayed'] === undefined);
    assert.ok(isReplay(again), 'marked as a replay');
    assert.equal(again.status, first.status);
    assert.equal(again.text, first.text, 'the same bytes');
    assert.equal(again.headers['content-type'], first.headers['content-type']);
  };
  const expectMismatch = (answer: Answer) =>
    assert.deepEqual(
      [answer.status, answer.body.code, answer.body.error],
      [422, 'IDEMPOTENCY_MISMATCH', 'Unprocessable Entity'],
    );

  it('a second POST creates nothing and gets the same bytes, marked as a replay, in any process', async () => {
    const key = newKey();
    const body = { title: 'Once', customFields: {}, channelId: null };
    const first = await send('POST', '/crm/records', key, body);
    assert.equal(first.status, 201);
    expectReplay(first, await send('POST', '/crm/records', key, body));
    expectReplay(first, await send('POST', '/crm/records', key, body, {}, second.call));
    assert.equal(await titled('Once'), 1);
    assert.equal((await send('POST', '/crm/records', newKey(), body)).status, 201);
    assert.equal(await titled('Once'), 2);
  });

  it('PATCH too; PUT, DELETE and GET take no notice of the header', async () => {
    const key = newKey();
    const { accountId } = await service.createAccount();
    const path = `/admin/accounts/${accountId}`;
    const asAdmin = { token: service.admin.jwt };
    const first = await send('PATCH', path, key, { name: 'First' }, asAdmin);
    await send('PATCH', path, newKey(), { name: 'Second' }, asAdmin);
    expectReplay(first, await send('PATCH', path, key, { name: 'First' }, asAdmin));
    const { recordId } = (await service.call('POST', '/crm/records', { body: { title: 'Put' } })).body;
    const put = (title: string) => send('PUT', `/crm/records/${recordId}`, key, { title });
    assert.deepEqual([(await put('A')).body.title, (await put('B')).body.title], ['A', 'B']);
    for (const status of [200, 404]) {
      const answer = await service.call('DELETE', `/crm/records/${recordId}`, {
        headers: { 'idempotency-key': key },
      });
      assert.equal(answer.status, status);
    }
  });

  it('422 with another body, even by one byte, and the first answer stays', async () => {
    const key = newKey();
    const first = await send('POST', '/crm/records', key, '{"title":"Bytes"}');
    for (const body of [
      '{"title":"bytes"}',
      '{"title": "Bytes"}',
      '{"title":"Bytes","status":"new"}',
      '{}',
      '{',
    ])
      expectMismatch(await send('POST', '/crm/records', key, body));
    expectReplay(first, await send('POST', '/crm/records', key, '{"title":"Bytes"}'));
    assert.equal(await titled('Bytes'), 1);
  });

  it('the scope is account, actor, method and path with its query', async () => {
    const key = newKey();
    const { jwt, token } = await service.createAccount();
    const { body: kanban } = await service.call('POST', '/kanbans', { body: { name: 'Scope' } });
    const body = { title: 'Scoped', name: 'Scoped' };
    const answers = [
      await send('POST', '/crm/records', key, body),
      await send('POST', '/crm/records', key, body, { token }),
      await send('POST', `/crm/records?kanbanId=${kanban.id}`, key, body),
      await send('POST', '/kanbans', key, body),
      await send('PATCH', `/kanbans/${kanban.id}`, key, body),
      await send('PATCH', '/account', key, body, { token: jwt }),
    ];
    assert.deepEqual(
      answers.map(({ status, headers }) => [status, headers['idempotency-replayed']]),
      [201, 201, 201, 201, 200, 200].map((status) => [status, undefined]),
    );
    expectReplay(answers[0]!, await send('POST', '/crm/records', key, body));
  });

  it("another token or user with the same key runs its own request and never sees the other's answer", async () => {
    const key = newKey();
    const body = { title: 'Of each actor' };
    const colleague = await service.createUser('operator');
    const callers = [service.token, (await service.createToken(service.admin.jwt)).token, service.admin.jwt];
    callers.push(colleague.jwt);
    const answers: Answer[] = [];
    for (const token of callers) {
      const answer = await send('POST', '/crm/records', key, body, { token });
      assert.deepEqual([answer.status, isReplay(answer)], [201, false]);
      expectReplay(answer, await send('POST', '/crm/records', key, body, { token }, second.call));
      answers.push(answer);
    }
    assert.equal(new Set(answers.map((answer) => answer.body.recordId)).size, callers.length);
    assert.equal(await titled('Of each actor'), callers.length);
    // A key that another caller used for something else does not conflict.
    const other = await send(
      'POST',
      '/crm/records',
      key,
      { title: 'Another body' },
      {
        token: (await service.createToken(service.admin.jwt)).token,
      },
    );
    assert.equal(other.status, 201);
    // A new login of the same person is the same actor.
    const again = await service.login(colleague.email, password);
    expectReplay(answers[3]!, await send('POST', '/crm/records', key, body, { token: again }));
  });

  it('400 for a key that is empty, too long or not visible ASCII', async () => {
    for (const key of ['', ' ', 'a b', 'a'.repeat(256), 'caf\u00e9', 'tab\tkey']) {
      const answer = await send('POST', '/crm/records', key, { title: 'Malformed' });
      assert.deepEqual([answer.status, answer.body.code], [400, 'VALIDATION_FAILED'], JSON.stringify(key));
      assert.match(answer.body.message, /^Idempotency-Key /);
    }
    assert.equal(await titled('Malformed'), 0);
    assert.equal((await send('POST', '/crm/records', 'a'.repeat(255), { title: 'Long' })).status, 201);
    assert.equal((await send('POST', '/crm/records', '!"#~', { title: 'Signs' })).status, 201);
  });

  it('refusals are kept too: of the rule, of the body, of the query, of what cannot be read', async () => {
    await service.call('POST', '/kanbans', { body: { name: 'Taken', slug: 'taken' } });
    const cases: [string, string, unknown, number, CallOptions?][] = [
      ['POST', '/crm/records', { title: ' ' }, 400],
      ['POST', '/crm/records', {}, 400],
      ['POST', '/crm/records', '{"title":', 400],
      ['POST', '/crm/records?kanbanId=%ff', { title: 'x' }, 400],
      ['POST', '/crm/records?kanbanId=none', { title: 'x' }, 404],
      ['PATCH', '/crm/fields/none', { name: 'x' }, 404],
      ['POST', '/kanbans', { name: 'x', slug: 'taken' }, 409],
      ['POST', '/crm/records', `{"title":"${'x'.repeat(1_100_000)}"}`, 413],
      ['POST', '/crm/records', 'title=x', 415, { headers: { 'content-type': 'text/plain' } }],
    ];
    for (const [method, path, body, status, options] of cases) {
      const key = newKey();
      const first = await send(method, path, key, body, options);
      assert.equal(first.status, status);
      expectReplay(first, await send(method, path, key, body, options, second.call));
      expectMismatch(await send(method, path, key, { title: 'Another', name: 'Another' }));
    }
    assert.equal(await titled('Another'), 0);
  });

  it('401, 403 and 429 are not kept: the same key works once the reason is gone', async () => {
    const key = newKey();
    const body = { name: 'Later' };
    const user = await service.createUser('operator');
    assert.equal((await send('POST', '/kanbans', key, body, { token: 'tb_none' })).status, 401);
    assert.equal((await send('POST', '/kanbans', key, body, { token: user.jwt })).status, 403);
    await service.call('PATCH', `/users/${user.id}`, { token: service.admin.jwt, body: { role: 'admin' } });
    const created = await send('POST', '/kanbans', key, body, { token: user.jwt });
    assert.deepEqual([created.status, isReplay(created)], [201, false]);

    const { token, accountId } = await service.createAccount();
    const setLimit = (crmPerMinute: number) =>
      service.call('PATCH', `/admin/accounts/${accountId}`, {
        token: service.admin.jwt,
        body: { limits: { crmPerMinute } },
      });
    await setLimit(1);
    await service.call('GET', '/crm/records', { token });
    const limited = await send('POST', '/crm/records', key, { title: 'Limited' }, { token });
    assert.deepEqual([limited.status, limited.body.code], [403, 'RATE_LIMITED']);
    await setLimit(100);
    const passed = await send('POST', '/crm/records', key, { title: 'Limited' }, { token });
    assert.deepEqual([passed.status, isReplay(passed)], [201, false]);
  });

  /** Board changes wait for this lock: its holder decides when they continue. */
  const holdBoards = async () => {
    const holder = await service.context.db.connect();
    const id = service.admin.accountId;
    await holder.query('select pg_advisory_lock(7231002, hashtext($1))', [id]);
    return async () => {
      await holder.query('select pg_advisory_unlock(7231002, hashtext($1))', [id]);
      holder.release();
    };
  };
  const waiting = (event: string) =>
    service.context.db.query<{ pid: number }>(sql`
      select pid from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and wait_event = ${event}`);

  it('two at once: one runs, the other waits for its answer', async () => {
    const letGo = await holdBoards();
    const key = newKey();
    const both = [service.call, second.call].map((call) =>
      send('POST', '/kanbans', key, { name: 'At once' }, {}, call),
    );
    await eventually(async () => (await waiting('advisory')).length === 1);
    await eventually(async () => (await waiting('transactionid')).length === 1);
    await letGo();
    const [one, other] = (await Promise.all(both)) as [Answer, Answer];
    expectReplay(isReplay(one) ? other : one, isReplay(one) ? one : other);
    assert.equal(one.status, 201);
    const list = await service.call('GET', '/kanbans?limit=100');
    assert.equal(list.body.items.filter((kanban: { name: string }) => kanban.name === 'At once').length, 1);
  });

  it('50 at once over two processes leave one record', async () => {
    for (const call of [service.call, second.call])
      await call('POST', '/crm/records', { body: { title: 'Warm' } });
    const key = newKey();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        send('POST', '/crm/records', key, { title: 'Fifty' }, {}, i % 2 ? service.call : second.call),
      ),
    );
    assert.equal(new Set(answers.map((answer) => answer.text)).size, 1);
    assert.equal(answers.filter(isReplay).length, 49);
    assert.equal(await titled('Fifty'), 1);
  });

  it('a connection that is cut in the middle leaves neither the change nor the key', async () => {
    const letGo = await holdBoards();
    const key = newKey();
    const cut = send('POST', '/kanbans', key, { name: 'Cut off' });
    await eventually(async () => (await waiting('advisory')).length === 1);
    const [backend] = await waiting('advisory');
    await service.context.db.query(sql`select pg_terminate_backend(${backend!.pid})`);
    const answer = await cut;
    assert.deepEqual([answer.status, answer.body.code], [503, 'UNAVAILABLE']);
    assert.ok(Number(answer.headers['retry-after']) >= 1);
    await letGo();
    const rows = await service.context.db.query(sql`select 1 from idempotency_keys where key = ${key}`);
    assert.equal(rows.length, 0);
    const again = await send('POST', '/kanbans', key, { name: 'Cut off' });
    assert.deepEqual([again.status, isReplay(again)], [201, false]);
  });

  it('neither a token in an answer nor a password in a request is kept readable', async () => {
    const [tokenKey, userKey] = [newKey(), newKey()];
    const first = await send('POST', '/api-tokens', tokenKey, { name: 'secret' });
    const user = { email: 'kept@example.com', name: 'Kept', role: 'operator', password };
    await send('POST', '/users', userKey, user);
    const rows = await service.context.db.query<{ row: string }>(
      sql`select k::text as row from idempotency_keys k where key = any(${[tokenKey, userKey]}::text[])`,
    );
    assert.equal(rows.length, 2);
    for (const { row } of rows) {
      for (const secret of [first.body.token, password]) {
        assert.ok(!row.includes(secret));
        assert.ok(!row.includes(Buffer.from(secret).toString('hex')));
        assert.ok(!row.includes(Buffer.from(secret).toString('base64').slice(4, 24)));
      }
    }
    const again = await send('POST', '/api-tokens', tokenKey, { name: 'secret' });
    expectReplay(first, again);
    assert.equal(again.body.token, first.body.token);
  });

  it('a key is good for 72 hours and then for something new', async () => {
    const key = newKey();
    const age = (hours: number) =>
      service.context.db.query(
        sql`update idempotency_keys set created_at = now() - make_interval(hours => ${hours}) where key = ${key}`,
      );
    await send('POST', '/crm/records', key, { title: 'Old' });
    await age(71);
    await pruneIdempotencyKeys(service.context.db);
    assert.ok(isReplay(await send('POST', '/crm/records', key, { title: 'Old' })));
    await age(73);
    const fresh = await send('POST', '/crm/records', key, { title: 'New' });
    assert.deepEqual([fresh.status, isReplay(fresh)], [201, false]);
    expectReplay(fresh, await send('POST', '/crm/records', key, { title: 'New' }));
    await age(73);
    await pruneIdempotencyKeys(service.context.db);
    const rows = await service.context.db.query(sql`select 1 from idempotency_keys where key = ${key}`);
    assert.equal(rows.length, 0);
  });

  it('a dry run uses no key up', async () => {
    const key = newKey();
    const dry = await send(
      'POST',
      '/crm/records',
      key,
      { title: 'Dry' },
      { headers: { 'x-dry-run': 'events' } },
    );
    assert.deepEqual([dry.status, dry.body.dryRun], [200, true]);
    await send('POST', '/crm/records', key, {}, { headers: { 'x-dry-run': 'events' } });
    const real = await send('POST', '/crm/records', key, { title: 'Dry' });
    assert.deepEqual([real.status, isReplay(real)], [201, false]);
    assert.equal(await titled('Dry'), 1);
  });
});
