import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { type Hooks, hooksOf } from '../../../test/support/webhooks.ts';

const url = 'https://hooks.invalid/';
const all = ['crm_record_created', 'crm_field_update', 'crm_record_deleted'];

describe('X-Dry-Run: events', () => {
  let service: TestService;
  let hooks: Hooks;
  let board: Json;
  let other: Json;
  const ids: { [name: string]: string } = {};
  before(async () => {
    service = await joinTestService();
    hooks = hooksOf(service);
    board = (await service.call('GET', '/kanbans')).body.items[0];
    other = (await service.call('POST', '/kanbans', { body: { name: 'Other' } })).body;
    const make = async (name: string, filter: object) => {
      ids[name] = (await hooks.create(url, { events: all, ...filter })).id;
    };
    await make('everything', {});
    await make('titles', { fieldIds: ['title'] });
    await make('elsewhere', { kanbanIds: [other.id] });
    await make('deletes', { events: ['crm_record_deleted'] });
    await make('asleep', { enabled: false });
  });
  after(() => service.close());

  /** Every row of every table except rate limit counters, the row of this process and the last use of a token. */
  const snapshot = async () => {
    const client = await service.context.db.connect();
    try {
      const { rows } = await client.query(`select tablename from pg_tables where schemaname = 'public'`);
      const names: string[] = rows.map((row) => row.tablename);
      const tables = names.filter((name) => !name.startsWith('rate_limit') && name !== 'processes');
      const dump: { [table: string]: string[] } = {};
      for (const table of tables.sort()) {
        const content = await client.query(
          `select (to_jsonb(t) - 'last_used_at')::text || t.xmin::text as row from ${table} t order by 1`,
        );
        dump[table] = content.rows.map((row) =>
          table === 'api_tokens' ? row.row.replace(/\d+$/, '') : row.row,
        );
      }
      return dump;
    } finally {
      client.release();
    }
  };
  const dryRun = async (method: string, path: string, body?: object) => {
    const before = await snapshot();
    const answer = await service.call(method, path, {
      headers: { 'x-dry-run': 'events' },
      ...(body && { body }),
    });
    assert.deepEqual(await snapshot(), before, 'a dry run changed the database');
    return answer;
  };
  const forecast = (event: Json) =>
    Object.fromEntries(
      Object.entries(ids).map(([name, id]) => {
        const { wouldFire, filteredBy } = event.webhooks.find((one: Json) => one.id === id);
        return [name, wouldFire ? true : filteredBy];
      }),
    );

  it('a create: the event with its body, and for each webhook whether it would fire', async () => {
    const { status, body } = await dryRun('POST', '/crm/records', { title: ' Ada ' });
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body), ['dryRun', 'events']);
    assert.equal(body.dryRun, true);
    assert.equal(body.events.length, 1);
    const [event] = body.events;
    assert.deepEqual(Object.keys(event), ['event', 'body', 'webhooks']);
    assert.equal(event.event, 'crm_record_created');
    assert.equal(event.body.event, 'crm_record_created');
    assert.equal(event.body.sequence, 1);
    assert.equal(event.body.data.record.title, 'Ada');
    assert.deepEqual(forecast(event), {
      everything: true,
      titles: true,
      elsewhere: 'kanbanIds',
      deletes: 'events',
      asleep: 'disabled',
    });
  });

  it('an update: one event for each field that would change', async () => {
    const record = await hooks.createRecord({ title: 'Before' });
    const path = `/crm/records/${record.recordId}`;
    const { body } = await dryRun('PUT', path, { title: 'After', status: board.statuses[1].value });
    assert.deepEqual(
      body.events.map((one: Json) => [one.body.data.fieldId, one.body.data.newValue, one.body.sequence]),
      [
        ['title', 'After', 2],
        ['status', board.statuses[1].value, 3],
      ],
    );
    assert.equal(forecast(body.events[0]).titles, true);
    assert.equal(forecast(body.events[1]).titles, 'fieldIds');
    assert.deepEqual((await dryRun('PUT', path, { title: 'Before' })).body, { dryRun: true, events: [] });
    assert.equal((await service.call('GET', path)).body.title, 'Before');
  });

  it('a delete', async () => {
    const record = await hooks.createRecord();
    const { body } = await dryRun('DELETE', `/crm/records/${record.recordId}`);
    assert.equal(body.events[0].event, 'crm_record_deleted');
    assert.equal(forecast(body.events[0]).deletes, true);
    assert.equal((await service.call('GET', `/crm/records/${record.recordId}`)).status, 200);
  });

  it('a batch: the events of the items that would succeed', async () => {
    const record = await hooks.createRecord({ title: 'In the batch' });
    const { status, body } = await dryRun('POST', '/crm/records/batch', {
      items: [
        { title: 'New' },
        { title: '' },
        { recordId: record.recordId, title: 'Renamed' },
        { title: 'New on the other', kanbanId: other.id },
      ],
    });
    assert.equal(status, 200);
    assert.deepEqual(
      body.events.map((one: Json) => [one.event, one.body.data.record.title, forecast(one).elsewhere]),
      [
        ['crm_record_created', 'New', 'kanbanIds'],
        ['crm_field_update', 'Renamed', 'kanbanIds'],
        ['crm_record_created', 'New on the other', true],
      ],
    );
  });

  it('what the real request then sends is what the dry run said', async () => {
    const dry = (await dryRun('POST', '/crm/records', { title: 'Same' })).body.events[0];
    await hooks.createRecord({ title: 'Same' });
    const [delivery] = await hooks.deliveries(ids.everything!);
    const { body, verdicts } = (await service.call('GET', `/events/${delivery!.eventId}`)).body;
    const plain = ({ id, timestamp, data, ...rest }: Json) => {
      const { recordId, createdAt, updatedAt, ...record } = data.record;
      return { ...rest, record };
    };
    assert.deepEqual(plain(body), plain(dry.body));
    const fired = verdicts.filter((one: Json) => one.status !== 'filtered').map((one: Json) => one.webhookId);
    const wouldFire = dry.webhooks.filter((one: Json) => one.wouldFire || one.filteredBy === 'disabled');
    assert.deepEqual(fired.sort(), wouldFire.map((one: Json) => one.id).sort());
  });

  it('a request that would fail fails as it would, and another value of the header is a 400', async () => {
    assert.equal((await dryRun('POST', '/crm/records', {})).body.message, 'title is required');
    assert.equal((await dryRun('DELETE', '/crm/records/x')).status, 404);
    const answer = await service.call('POST', '/crm/records', {
      body: { title: 'x' },
      headers: { 'x-dry-run': 'true' },
    });
    assert.deepEqual([answer.status, answer.body.message], [400, 'X-Dry-Run must be "events"']);
  });

  it('400 where there is none: a message that would really be sent, and its key stays free', async () => {
    const send = (headers: Record<string, string>) =>
      service.call('POST', '/messages', {
        body: { content: 'Hello', fromChannelIdentifier: 'api', sessionId: 'dry' },
        headers: { 'idempotency-key': 'dry-message', ...headers },
      });
    const refused = await send({ 'x-dry-run': 'events' });
    assert.deepEqual(
      [refused.status, refused.body.message],
      [400, 'X-Dry-Run is only supported on CRM writes'],
    );
    assert.equal((await service.call('GET', '/sessions/dry')).status, 404);
    assert.equal((await send({})).status, 202);
  });
});
