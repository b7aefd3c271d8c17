import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { parse } from 'csv-parse/sync';
import { conversationsOf } from '../../../test/support/conversations.ts';
import { assertBadRequest, assertNotFound, color } from '../../../test/support/crm.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import type { Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';
import { createRollUp, rollUpConversations } from './reports.jobs.ts';

const names = [
  'records-by-status',
  'status-conversion',
  'new-conversations',
  'first-response',
  'resolutions',
  'answers',
  'handovers',
  'ai',
  'copilot',
  'messages-per-hour',
  'webhooks',
];

describe('reports', () => {
  let service: TestService;
  let call: TestService['call'];
  let board: Json;
  const day = 86_400_000;

  before(async () => {
    service = await joinTestService();
    ({ call } = service);
    const labels = [
      ['open', 'Open'],
      ['won', '=Won'],
      ['lost', 'Lost'],
    ];
    const statuses = labels.map(([value, label]) => ({ value, label, color }));
    board = (await call('POST', '/kanbans', { body: { name: 'Sales', statuses } })).body;
  });
  after(() => service.close());

  const report = async (name: string, query = '', token?: string): Promise<Json> => {
    const answer = await call('GET', `/reports/${name}?${query}`, token ? { token } : {});
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };

  it('every way of changing a status is counted: update, batch, a status taken away, deletion', async () => {
    const create = async (status: string) =>
      (await call('POST', `/crm/records?kanbanId=${board.id}`, { body: { title: 'x', status } })).body
        .recordId;
    const [one, two, three, four] = [
      await create('open'),
      await create('open'),
      await create('lost'),
      await create('won'),
    ];
    await call('PUT', `/crm/records/${one}`, { body: { status: 'won' } });
    await call('PUT', `/crm/records/${one}`, { body: { title: 'the status stays' } });
    const items = [
      { recordId: two, status: 'won' },
      { recordId: two, status: 'lost' },
    ];
    await call('POST', '/crm/records/batch', { body: { items } });
    const statuses = [
      { value: 'open', label: 'Open', color },
      { value: 'won', label: '=Won', color },
    ];
    const moved = await call('PUT', `/kanbans/${board.id}/statuses`, { body: { statuses, moveTo: 'open' } });
    assert.equal(moved.status, 200, moved.text);
    await call('DELETE', `/crm/records/${four}`);
    await call('DELETE', `/crm/records/${three}`);

    const { statuses: sums, transitions } = await report(
      'status-conversion',
      `kanbanId=${board.id}&to=${Date.now() + 1000}`,
    );
    const figures = (status: string) => {
      const { atStart, created, entered, left, deleted, atEnd } = sums.find(
        (sum: Json) => sum.status === status,
      );
      return [atStart, created, entered, left, deleted, atEnd];
    };
    assert.deepEqual(figures('open'), [0, 2, 2, 2, 1, 1]);
    assert.deepEqual(figures('won'), [0, 1, 2, 1, 1, 1]);
    assert.deepEqual(figures('lost'), [0, 1, 1, 2, 0, 0]);
    assert.deepEqual(
      sums.map((sum: Json) => [sum.label, sum.present]),
      [
        ['Open', true],
        ['=Won', true],
        ['lost', false],
      ],
    );
    assert.deepEqual(
      transitions.map((one: Json) => [one.from, one.to, one.count, one.share]),
      [
        ['open', 'won', 2, 1],
        ['lost', 'open', 2, 1],
        ['won', 'lost', 1, 1],
      ],
    );
    const levels = await report('records-by-status', `kanbanId=${board.id}&to=${Date.now() + 1000}`);
    assert.deepEqual(levels.atStart, [0, 0, 0]);
    assert.deepEqual(levels.buckets.at(-1).counts, [1, 1, 0]);
  });

  it('kanbanId=* sums the boards that the caller may see, statuses by their value', async () => {
    const of = (name: string, values: string[]) => ({
      name,
      statuses: values.map((value) => ({ value, label: `${name} ${value}`, color })),
    });
    const create = async (body: object) => (await call('POST', '/kanbans', { body })).body;
    const first = await create(of('First', ['shared', 'own-a']));
    const second = await create(of('Second', ['own-b', 'shared']));
    const closed = await create(of('Closed', ['shared']));
    await call('PUT', `/kanbans/${closed.id}/members`, { body: { userIds: [service.admin.userId] } });
    for (const [kanban, status] of [
      [first, 'shared'],
      [second, 'shared'],
      [second, 'own-b'],
      [closed, 'shared'],
    ]) {
      await call('POST', `/crm/records?kanbanId=${kanban.id}`, { body: { title: 'x', status } });
    }
    const operator = await service.createUser('operator');
    const query = `kanbanId=*&to=${Date.now() + 1000}`;
    for (const [token, shared] of [
      [service.admin.jwt, 3],
      [operator.jwt, 2],
    ] as const) {
      const levels = await report('records-by-status', query, token);
      assert.equal(levels.kanbanId, null);
      const at = (status: string) => levels.statuses.findIndex((one: Json) => one.status === status);
      const last = levels.buckets.at(-1).counts;
      assert.deepEqual([last[at('shared')], last[at('own-a')], last[at('own-b')]], [shared, 0, 1]);
      assert.equal(levels.statuses[at('shared')].label, 'First shared');
      assert.equal(levels.statuses.filter((one: Json) => one.status === 'shared').length, 1);
      const { statuses, kanbanId } = await report('status-conversion', query, token);
      assert.equal(kanbanId, null);
      assert.equal(statuses.find((one: Json) => one.status === 'shared').created, shared);
    }
    const file = await call('GET', `/reports/records-by-status?${query}&format=csv`);
    assert.match(file.text, /First shared/);
  });

  it('what events are removed for stays: status changes and hand-overs are kept by themselves', async () => {
    const chats = conversationsOf(service);
    const { sessionId } = await chats.accepted();
    await chats.pause(sessionId);
    await chats.pause(sessionId, false);
    await service.context.db.transaction((tx) => tx.query(sql`delete from events`));
    const { total, reasons } = await report('handovers', `to=${Date.now() + 1000}`);
    assert.deepEqual(total, { byAi: 0, byPeople: 1, resumed: 1, suppressed: 1, held: 0, failed: 0 });
    assert.deepEqual(reasons, [{ reason: 'AI paused', count: 1 }]);
    const { transitions } = await report('status-conversion', `kanbanId=${board.id}&to=${Date.now() + 1000}`);
    assert.equal(transitions.length, 3);
  });

  it('figures that were worked out ahead are void as soon as the conversation goes on', async () => {
    const chats = conversationsOf(service);
    const channel = await chats.channel();
    const { sessionId } = await chats.accepted({ fromChannelIdentifier: channel.identifier });
    const of = async () => {
      const query = `channelId=${channel.id}&to=${Date.now() + 60_000}`;
      return [
        (await report('answers', query)).total,
        (await report('first-response', query)).total.unanswered,
      ];
    };
    const rollUp = () => rollUpConversations(service.context.db, Date.now() + 60_000, { quietMs: 0 });
    await rollUp();
    assert.deepEqual(await of(), [{ ai: 0, human: 0 }, 1]);
    await chats.operatorSays(channel.id, sessionId, { content: 'Hi' });
    assert.deepEqual(await of(), [{ ai: 0, human: 1 }, 0]);
    await rollUp();
    await rollUp();
    assert.deepEqual(await of(), [{ ai: 0, human: 1 }, 0]);
    const rolledUp = await chats.count(sql`conversation_figures where session_id = ${sessionId}`);
    assert.equal(rolledUp, 1);
  });

  it('sums of many conversations are used while their states add up, without what changed since', async () => {
    const { db } = service.context;
    const chats = conversationsOf(service);
    const channel = await chats.channel();
    const place = { fromChannelIdentifier: channel.identifier };
    const begun = [await chats.accepted(place), await chats.accepted(place), await chats.accepted(place)];
    const rollUp = () => rollUpConversations(db, Date.now() + 60_000, { quietMs: 0, leastInBlock: 2 });
    // A whole number of quarters of an hour: what a boundary cuts is read by message.
    const to = Math.ceil(Date.now() / 900_000 + 1) * 900_000;
    const totals = async () => (await report('messages-per-hour', `channelId=${channel.id}&to=${to}`)).total;
    const counts = { ai: 0, echo: 0 };
    await rollUp();
    assert.deepEqual(await totals(), { ...counts, customer: 3, human: 0 });
    // Only a block can tell so: it is what the report reads.
    const mark = (by: number) =>
      db.transaction((tx) =>
        tx.query(
          sql`update traffic_blocks set customer[1] = customer[1] + ${by} where channel_id = ${channel.id}`,
        ),
      );
    await mark(100);
    assert.deepEqual(await totals(), { ...counts, customer: 103, human: 0 });
    await chats.operatorSays(channel.id, begun[0]!.sessionId, { content: 'Hi' });
    assert.deepEqual(
      await totals(),
      { ...counts, customer: 103, human: 1 },
      'one has changed, the block stays',
    );
    await rollUp();
    assert.deepEqual(await totals(), { ...counts, customer: 3, human: 1 }, 'it is computed again');
    await mark(100);
    // As retention does where it removes messages of a conversation that stays.
    await db.transaction((tx) =>
      tx.query(sql`delete from conversation_figures where session_id = ${begun[1]!.sessionId}`),
    );
    assert.deepEqual(await totals(), { ...counts, customer: 3, human: 1 }, 'deleted figures delete the sums');
    await rollUp();
    await mark(100);
    await db.transaction(async (tx) => {
      await tx.query(sql`delete from messages where session_id = ${begun[2]!.sessionId}`);
      await tx.query(sql`delete from sessions where session_id = ${begun[2]!.sessionId}`);
    });
    assert.deepEqual(await totals(), { ...counts, customer: 2, human: 1 }, 'a conversation is gone');
  });

  it('a walk begins where the last one ended, and misses nothing that was committed late', async () => {
    const { db } = service.context;
    const chats = conversationsOf(service);
    const rollUp = createRollUp(db, { quietMs: 0, atATime: 1 });
    const [late, old] = [await chats.accepted(), await chats.accepted()];
    const isValid = async ({ sessionId }: { sessionId: string }) =>
      (await chats.count(sql`conversation_figures f join sessions s using (account_id, session_id)
        where f.session_id = ${sessionId} and f.session_updated_at = s.updated_at`)) === 1;
    const begin = Date.now() + 60_000;
    await rollUp(begin);
    assert.deepEqual([await isValid(late), await isValid(old)], [true, true]);
    // It has a time from before the run, and commits after it.
    const [written, walked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const touch = (tx: Tx, { sessionId }: { sessionId: string }, at: number) =>
      tx.query(sql`update sessions set updated_at = ${at} where session_id = ${sessionId}`);
    const writing = db.transaction(async (tx) => {
      await touch(tx, late, begin - 40 * 60_000);
      written.resolve();
      await walked.promise;
    });
    await written.promise;
    await rollUp(begin + 300_000);
    assert.equal(await isValid(late), true, 'nothing is seen of it yet');
    walked.resolve();
    await writing;
    // What looks like a change of yesterday is left for the full run.
    await db.transaction((tx) => touch(tx, old, begin - 24 * 3_600_000));
    await rollUp(begin + 600_000);
    assert.deepEqual([await isValid(late), await isValid(old)], [true, false]);
    await rollUp(begin + 6 * 3_600_000);
    assert.equal(await isValid(old), true);
  });

  it('a board that is closed to an operator is not counted, and not told apart from none', async () => {
    const chats = conversationsOf(service);
    const closed = await chats.kanban();
    await call('PUT', `/kanbans/${closed.id}/members`, { body: { userIds: [service.admin.userId] } });
    const channel = await chats.channel();
    await chats.accepted({ fromChannelIdentifier: channel.identifier, kanbanId: closed.id });
    const operator = await service.createUser('operator');
    const query = `channelId=${channel.id}&to=${Date.now() + 60_000}`;
    for (const rolledUp of [false, true]) {
      if (rolledUp) await rollUpConversations(service.context.db, Date.now() + 60_000, { quietMs: 0 });
      const seen = async (token?: string) => [
        (await report('new-conversations', query, token)).total,
        (await report('messages-per-hour', query, token)).total.customer,
        (await report('first-response', query, token)).total.conversations,
      ];
      assert.deepEqual(await seen(), [1, 1, 1]);
      assert.deepEqual(await seen(operator.jwt), [0, 0, 0]);
    }
    for (const name of ['records-by-status', 'status-conversion']) {
      const path = `/reports/${name}?kanbanId=${closed.id}`;
      assertNotFound(await call('GET', path, { token: operator.jwt }), 'kanban not found');
      assert.equal((await call('GET', path)).status, 200);
    }
  });

  it('400 for a period, a zone or a number of buckets that cannot be', async () => {
    for (const name of names) {
      const get = (query: string) => call('GET', `/reports/${name}?${query}`);
      assertBadRequest(await get('from=5&to=5'), 'from must be before to');
      assertBadRequest(await get('timeZone=Mars/Olympus'), /timeZone must be the IANA name/);
      assertBadRequest(await get('timeZone=%2B03:00'), /timeZone must be the IANA name/);
      assertBadRequest(await get(`bucket=hour&from=1&to=${32 * day}`), /more than 750 buckets of one hour/);
      assertBadRequest(await get(`bucket=day&from=1&to=${751 * day}`), /more than 750 buckets of one day/);
      assertBadRequest(await get('bucket=year'), /bucket/);
      assertBadRequest(await get('from=0'), /from/);
      assertBadRequest(
        await get('from=1&to=32503680000000&bucket=month'),
        /more than 750 buckets of one month/,
      );
      assert.equal((await get(`bucket=day&from=1&to=${750 * day}`)).status, 200);
      assert.equal((await get('from=1')).status, 200);
    }
  });

  it('what is omitted is filled in and told: thirty days until now, by days, in UTC', async () => {
    const before = Date.now();
    const { period, buckets } = await report('answers');
    assert.ok(period.to >= before - 60_000 && period.to <= Date.now() + 60_000);
    assert.deepEqual(period, { ...period, from: period.to - 30 * day, bucket: 'day', timeZone: 'UTC' });
    assert.ok(buckets.length === 31 || buckets.length === 30);
    for (const [days, bucket] of [
      [2, 'hour'],
      [92, 'day'],
      [731, 'week'],
      [732, 'month'],
    ] as const) {
      assert.equal((await report('answers', `from=1&to=${days * day + 1}`)).period.bucket, bucket);
    }
  });

  it('the file has the figures of the JSON, with the same period and filters, and runs no formula', async () => {
    const query = `kanbanId=${board.id}&to=${Date.now() + 60_000}&timeZone=America/Sao_Paulo`;
    for (const name of names) {
      const asked = name === 'webhooks' ? query.replace(/kanbanId=[^&]*&/, '') : query;
      const json = await report(name, asked);
      const file = await call('GET', `/reports/${name}?${asked}&format=csv`);
      assert.equal(file.headers['content-type'], 'text/csv; charset=utf-8');
      assert.match(file.headers['content-disposition']!, new RegExp(`^attachment; filename="${name}-\\d{4}`));
      const accepted = await call('GET', `/reports/${name}?${asked}`, { headers: { accept: 'text/csv' } });
      assert.equal(accepted.text, file.text);
      const rows: { [column: string]: string }[] = parse(file.text, { bom: true, columns: true });
      const buckets = rows.filter((row) => row.part === 'bucket');
      assert.deepEqual(
        buckets.map((row) => Date.parse(row.from!)),
        (json.buckets ?? []).map((bucket: Json) => bucket.from),
      );
      assert.ok(buckets.every((row) => row.from!.endsWith('-03:00')));
      const total = rows.find((row) => row.part === 'total');
      for (const [figure, value] of Object.entries(json.total ?? {})) {
        if (typeof value === 'object' || figure === 'total') continue;
        assert.equal(total?.[figure], String(value ?? ''), `${name} ${figure}`);
      }
    }
    const levels = await call('GET', `/reports/records-by-status?${query}&format=csv`);
    assert.match(levels.text, /^\ufeffpart,from,to,Open,'=Won,lost\r\nstart,,/);
    const { statuses } = await report('records-by-status', query);
    const [last]: string[][] = parse(levels.text, { bom: true }).slice(-1);
    assert.equal(last!.length, 3 + statuses.length);
    const conversion = await call('GET', `/reports/status-conversion?${query}&format=csv`);
    assert.match(conversion.text, /\r\ntransition,Open,'=Won,,,,,,,2,1,\d+\r\n/);
  });
});
