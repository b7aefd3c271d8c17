import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { comparisonOf, isOwnFilterField } from '../../../../contract/crm/filters.ts';
import { type OracleContext, oracleMatches, oracleSort } from '../../../../test/support/filter-oracle.ts';
import { anyCondition, anyNode, generator } from '../../../../test/support/random-filters.ts';
import { isFull, runsOf, seed } from '../../../../test/support/sample.ts';
import { type Json, joinTestService, type TestService } from '../../../../test/support/service.ts';

const now = Date.now();
const day = (offset: number) => new Date(now + offset * 86_400_000).toISOString().slice(0, 10);
const long = `${'lorem ipsum '.repeat(100)}München at the end`;
const texts = [
  'Ana Silva',
  'ANA SILVA',
  'João',
  'joao',
  'São Paulo',
  'Straße',
  'x',
  'https://example.com/a',
  long,
];
const parts = ['ana', 'SILVA', 'joão', 'sao', 'ss', 'x', 'https://', 'munchen AT', 'zzz', 'lorem'];
const fields = [
  { name: 'Text', type: 'text' },
  { name: 'Long', type: 'textarea' },
  { name: 'Amount', type: 'currency' },
  { name: 'Day', type: 'date' },
  { name: 'When', type: 'datetime' },
  { name: 'Kind', type: 'select', options: ['Hot', 'Cold', 'hot'] },
  { name: 'Tags', type: 'multiselect', options: ['vip', 'Berlin', 'São Paulo'] },
  { name: 'Yes', type: 'boolean' },
];
const numbers = [-1.5, 0, 1, 2, 0.1, 1e15];
const times = [now - 3.5 * 86_400_000, now + 2.5 * 86_400_000, now - 40 * 86_400_000, now - 1_800_000, 0];
const people: string[] = [];

const random = generator(seed);
const { pick, chance } = random;

function anyValue(type: string): unknown {
  switch (type) {
    case 'currency':
      return pick(numbers);
    case 'date':
      return day(pick([-40, -8, -1, 0, 1, 20]));
    case 'datetime':
      return pick(times);
    case 'select':
      return pick(['Hot', 'Cold', 'hot']);
    case 'multiselect':
      return pick([['vip'], ['Berlin', 'vip'], ['São Paulo', 'Berlin'], []]);
    case 'boolean':
      return chance(0.5);
    default:
      return pick(texts);
  }
}

describe('filters over HTTP', () => {
  let service: TestService;
  let board: Json;
  let other: Json;
  let context: OracleContext;
  const records = new Map<string, Json>();

  before(async () => {
    service = await joinTestService();
    board = (await service.call('POST', '/kanbans', { body: { name: 'One', fields } })).body;
    other = (await service.call('POST', '/kanbans', { body: { name: 'Two' } })).body;
    people.push(service.admin.userId, (await service.createUser('operator')).id);
    context = {
      fields: Object.fromEntries(board.fields.map((field: Json) => [field.id, field])),
      statuses: board.statuses.map((status: Json) => status.value),
      me: service.admin.userId,
      now,
    };
    for (let i = 0; i < 60; i++) await change(true);
  });
  after(() => service.close());

  const idOf = (name: string) => board.fields.find((field: Json) => field.name === name).id;
  const body = () => ({
    title: pick(texts).slice(0, 990),
    status: pick(context.statuses),
    assignedUserIds: pick([[], [people[0]], people]),
    customFields: Object.fromEntries(
      fields.filter(() => chance(0.6)).map(({ name, type }) => [idOf(name), anyValue(type)]),
    ),
  });
  async function change(isNew = chance(0.3)) {
    const id = isNew ? undefined : pick([...records.keys()]);
    if (id && chance(0.3)) {
      await service.call('DELETE', `/crm/records/${id}`);
      records.delete(id);
      return;
    }
    const path = id ? `/crm/records/${id}` : `/crm/records?kanbanId=${chance(0.9) ? board.id : other.id}`;
    const input = id && records.get(id).kanbanId === board.id ? body() : { ...body(), customFields: {} };
    const answer = await service.call(id ? 'PUT' : 'POST', path, {
      body: path.includes(board.id) ? body() : input,
    });
    assert.ok(answer.status < 300, JSON.stringify(answer.body));
    records.set(answer.body.recordId, answer.body);
  }

  function ofBoard(): Json {
    const field = pick([
      ...board.fields.map((one: Json) => one.id),
      ...['title', 'status', 'assignedUserIds', 'createdAt', 'updatedAt'],
    ]);
    const type = isOwnFilterField(field) ? undefined : context.fields[field]!.type;
    const comparison = comparisonOf(field, type as never)!;
    const condition = anyCondition(random, field, comparison, (op) => {
      if (comparison === 'text')
        return op === 'is' || op === 'anyOf' ? pick(texts).slice(0, 900) : pick(parts);
      if (field === 'assignedUserIds') return pick([...people, 'me', 'nobody']);
      if (field === 'status') return pick([...context.statuses, 'none']);
      if (comparison === 'time')
        return pick([day(-3), day(0), pick(times), new Date(pick(times)).toISOString()]);
      return [anyValue(type!)].flat()[0] ?? 'vip';
    });
    // A record of this very millisecond would be in the next day for the service, and not for the oracle.
    return condition.op === 'inNext' && isOwnFilterField(field) ? { field, op: 'notEmpty' } : condition;
  }

  /** The service's clock may be some milliseconds ahead. */
  const justNow = () => ({ ...context, now: Date.now() + 1_000 });

  it('any filter and sort finds what the rules say, page by page, after any change', async () => {
    let found = 0;
    const runs = runsOf(150);
    for (let run = 0; run < runs; run++) {
      if (chance(0.3)) await change();
      const zone = pick(['UTC', 'America/Sao_Paulo', 'Asia/Tokyo']);
      const filter: Json = { ...anyNode(random, 3, ofBoard), timeZone: zone };
      const sort = pick(['', '-']) + pick([...board.fields.map((one: Json) => one.id), 'title', 'status']);
      const here = [...records.values()].filter((record) => record.kanbanId === board.id);
      const wanted = here.filter((record) => oracleMatches(record, filter, justNow()));
      const ids = oracleSort(wanted, sort, context).map((record) => record.recordId);
      found += ids.length;
      const query = { kanbanId: board.id, filter: JSON.stringify(filter), sort };
      const text = `${sort} ${JSON.stringify(filter)}`;
      const listed: string[] = [];
      for (let token: string | undefined; listed.length === 0 || token; ) {
        const page = new URLSearchParams({ ...query, limit: '7', ...(token ? { nextToken: token } : {}) });
        const answer = await service.call('GET', `/crm/records?${page}`);
        assert.equal(answer.status, 200, `${answer.body.message} ${text}`);
        listed.push(...answer.body.items.map((item: Json) => item.recordId));
        token = answer.body.nextToken ?? undefined;
        if (!token) break;
      }
      assert.deepEqual(listed, ids, text);
      const search = await service.call(
        'GET',
        `/crm/search?${new URLSearchParams({ ...query, page: '2', pageSize: '5' })}`,
      );
      assert.equal(search.body.total, ids.length, text);
      assert.deepEqual(
        search.body.items.map((item: Json) => item.recordId),
        ids.slice(5, 10),
        text,
      );
    }
    assert.ok(found > (isFull ? 500 : 20), `only ${found} matches: the generator no longer tests anything`);
  });

  it('combines with text, status, assignee and look-up, on cards, counts and exports', async () => {
    const filter = JSON.stringify({ field: idOf('Amount'), op: 'gte', value: 0 });
    const query = { q: 'ana', assignedUserId: people[0]!, filter, sort: idOf('Amount') };
    const wanted = oracleSort(
      [...records.values()].filter(
        (record) =>
          record.kanbanId === board.id &&
          record.customFields[idOf('Amount')] >= 0 &&
          record.assignedUserIds.includes(people[0]),
      ),
      idOf('Amount'),
      context,
    );
    const found = await service.call(
      'GET',
      `/crm/search?${new URLSearchParams({ q: 'ana', kanbanId: board.id, pageSize: '100' })}`,
    );
    const named = new Set(found.body.items.map((item: Json) => item.recordId));
    const ids = wanted.map((record) => record.recordId).filter((id) => named.has(id));
    const cards = await service.call(
      'GET',
      `/kanbans/${board.id}/cards?${new URLSearchParams({ ...query, limit: '100' })}`,
    );
    assert.deepEqual(
      cards.body.items.map((card: Json) => card.recordId),
      ids,
    );
    const { sort: _sort, ...counted } = query;
    const summary = await service.call(
      'GET',
      `/kanbans/${board.id}/board-summary?${new URLSearchParams({ ...counted, sumFieldId: idOf('Amount') })}`,
    );
    assert.equal(summary.body.count, ids.length);
    const sum = ids.reduce((all, id) => all + records.get(id).customFields[idOf('Amount')], 0);
    const totals = summary.body.columns.reduce((all: number, column: Json) => all + column.total, 0);
    assert.ok(Math.abs(totals - sum) < 1e-6 * Math.max(1, sum));
    const file = await service.call(
      'GET',
      `/crm/export?${new URLSearchParams({ ...query, kanbanId: board.id })}`,
    );
    const exported = String(file.text ?? file.body)
      .split('\r\n')
      .slice(1, -1)
      .map((line) => line.slice(0, 36));
    assert.deepEqual(
      exported.filter((id) => records.has(id)),
      ids,
    );
    const looked = await service.call(
      'GET',
      `/crm/search?${new URLSearchParams({ customFieldId: idOf('Kind'), customFieldValue: 'cold', filter, pageSize: '100' })}`,
    );
    const cold = [...records.values()].filter(
      (record) => record.customFields[idOf('Kind')] === 'Cold' && record.customFields[idOf('Amount')] >= 0,
    );
    assert.equal(looked.body.total, cold.length);
  });

  it('400 that names the place of every mistake', async () => {
    const nested = { and: [{ or: [{ and: [{ or: [{ field: 'title', op: 'empty' }] }] }] }] };
    const many = { and: Array.from({ length: 21 }, () => ({ field: 'title', op: 'empty' })) };
    for (const [filter, message] of [
      ['', /^filter must be a JSON object/],
      ['[]', /^filter must be a JSON object/],
      [{}, /^filter\.field is required/],
      [{ and: [] }, /^filter\.and must be a list of at least 1/],
      [{ and: [1] }, /^filter\.and\[0\] must be an object/],
      [{ and: [], or: [] }, /not "and" and "or"/],
      [{ field: 'nothing', op: 'is', value: 'x' }, /^filter\.field must be title/],
      [
        { or: [{ field: 'title', op: 'gt', value: 1 }] },
        /^filter\.or\[0\]\.op must be one of is, isNot, contains/,
      ],
      [{ field: 'title', op: 'is' }, /^filter\.value is required with is/],
      [{ field: 'title', op: 'is', value: '' }, /^filter\.value must not be empty/],
      [{ field: 'title', op: 'empty', value: 1 }, /^filter\.value must be omitted/],
      [{ field: 'title', op: 'anyOf', value: 'a' }, /^filter\.value must be a list of 1 to 100/],
      [{ field: 'title', op: 'anyOf', value: ['a', 1] }, /^filter\.value\[1\] must be a string/],
      [{ field: 'title', op: 'is', vale: 'a' }, /unknown member "vale"/],
      [{ field: idOf('Amount'), op: 'between', value: [1] }, /^filter\.value must be a list of 2 values/],
      [{ field: idOf('Amount'), op: 'gt', value: '1' }, /^filter\.value must be a number/],
      [{ field: idOf('Day'), op: 'before', value: '2026-02-30' }, /^filter\.value must be a date/],
      [{ field: idOf('Day'), op: 'inLast', value: 3, unit: 'hours' }, /^filter\.unit must be one of days/],
      [{ field: 'createdAt', op: 'inLast', value: 0 }, /^filter\.value must be a whole number/],
      [{ field: 'createdAt', op: 'is', value: 'noon' }, /^filter\.value must be a day/],
      [{ field: 'title', op: 'empty', timeZone: 'Mars' }, /^filter\.timeZone/],
      [nested, /nested too deeply/],
      [many, /at most 20 conditions/],
    ] as const) {
      const text = typeof filter === 'string' ? filter : JSON.stringify(filter);
      const answer = await service.call('GET', `/crm/records?${new URLSearchParams({ filter: text })}`);
      assert.equal(answer.status, 400, text);
      assert.match(answer.body.message, message);
    }
    const sorted = await service.call('GET', '/crm/search?sort=assignedUserIds');
    assert.match(sorted.body.message, /^sort must be/);
  });

  it('a token of another filter or order is rejected, and a field of another board or account is unknown', async () => {
    const first = await service.call('GET', '/crm/records?sort=title&limit=1');
    const nextToken = first.body.nextToken;
    assert.equal((await service.call('GET', `/crm/records?sort=-title&nextToken=${nextToken}`)).status, 400);
    assert.equal((await service.call('GET', `/crm/records?nextToken=${nextToken}`)).status, 400);
    const filter = encodeURIComponent(JSON.stringify({ field: idOf('Amount'), op: 'empty' }));
    assert.equal(
      (await service.call('GET', `/crm/records?kanbanId=${other.id}&filter=${filter}`)).status,
      400,
    );
    const stranger = await service.createAccount();
    const answer = await service.call('GET', `/crm/records?filter=${filter}`, { token: stranger.token });
    assert.equal(answer.status, 400);
  });
});
