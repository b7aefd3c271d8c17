/** What records write into the outbox, read from its table: the frozen bytes that every delivery will send. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Field, Kanban } from '../../../contract/crm/kanbans.ts';
import {
  changeRecord,
  color,
  countEvents,
  createField,
  createKanban,
  createRecord,
  eventsOf,
  readRecord,
  type StoredEvent,
} from '../../../test/support/crm.ts';
import { joinTestService, type TestService } from '../../../test/support/service.ts';

describe('events of records', () => {
  let service: TestService;
  let kanban: Kanban;
  let text: Field;
  let many: Field;
  let time: Field;
  before(async () => {
    service = await joinTestService();
    kanban = await createKanban(service, {
      statuses: ['open', 'won'].map((value) => ({ value, label: value, color })),
    });
    text = await createField(service, kanban.id, 'text', { name: 'Remark' });
    many = await createField(service, kanban.id, 'multiselect', { name: 'Colours' });
    time = await createField(service, kanban.id, 'datetime', { name: 'When' });
  });
  after(() => service.close());

  const updatesOf = async (recordId: string) =>
    (await eventsOf(service, recordId)).filter((event) => event.event === 'crm_field_update');

  /** The envelope, in the order in which it is written, and the columns by which deliveries are selected. */
  function assertEnvelope(stored: StoredEvent, event: string, sequence: number): void {
    const { body } = stored;
    assert.deepEqual(Object.keys(body), ['id', 'event', 'timestamp', 'accountId', 'sequence', 'data']);
    assert.equal(body.id, stored.id);
    assert.deepEqual([body.event, stored.event], [event, event]);
    assert.deepEqual([body.sequence, stored.sequence], [sequence, sequence]);
    assert.equal(body.accountId, service.admin.accountId);
    assert.equal(body.timestamp, stored.createdAt);
    assert.equal(stored.kanbanId, kanban.id);
  }

  it('a create emits crm_record_created with the record as answered, sequence 1', async () => {
    const record = await createRecord(service, kanban.id, { customFields: { [text.fieldId]: 'x' } });
    const [event, ...more] = await eventsOf(service, record.recordId);
    assert.deepEqual(more, []);
    assertEnvelope(event!, 'crm_record_created', 1);
    assert.deepEqual(event!.body.data, { record });
    assert.equal(event!.body.timestamp, record.createdAt);
    assert.equal(event!.fieldId, null);
  });

  it('a create with a channelId, one with assigned users and one with an Idempotency-Key emit it too', async () => {
    const path = `/crm/records?kanbanId=${kanban.id}`;
    const answers = [
      await service.call('POST', path, { body: { title: 'A', channelId: 'c' } }),
      await service.call('POST', path, { body: { title: 'A', assignedUserIds: [service.admin.userId] } }),
      await service.call('POST', path, { body: { title: 'A' }, headers: { 'idempotency-key': 'k' } }),
    ];
    for (const { body } of answers) {
      const [event, ...more] = await eventsOf(service, body.recordId);
      assert.deepEqual(more, []);
      assertEnvelope(event!, 'crm_record_created', 1);
      assert.deepEqual(event!.body.data, { record: body });
    }
  });

  it('a repeated Idempotency-Key emits nothing more', async () => {
    const create = () =>
      service.call('POST', '/crm/records', {
        body: { title: 'Once' },
        headers: { 'idempotency-key': 'once' },
      });
    const first = await create();
    const before = await countEvents(service);
    assert.equal((await create()).body.recordId, first.body.recordId);
    assert.equal(await countEvents(service), before);
  });

  it('one crm_field_update for each field that changed, all with the record as it then stands', async () => {
    const record = await createRecord(service, kanban.id, {
      customFields: { [text.fieldId]: 'old', [many.fieldId]: ['red'] },
    });
    const { userId } = service.admin;
    const answer = await service.call('PUT', `/crm/records/${record.recordId}`, {
      token: service.admin.jwt,
      body: {
        title: 'New title',
        status: 'won',
        assignedUserIds: [userId],
        customFields: { [text.fieldId]: 'new', [many.fieldId]: null, [time.fieldId]: '1970-01-01T00:00:01Z' },
      },
    });
    assert.equal(answer.status, 200);
    const events = await updatesOf(record.recordId);
    for (const [i, event] of events.entries()) {
      assertEnvelope(event, 'crm_field_update', i + 2);
      assert.equal(event.body.timestamp, answer.body.updatedAt);
      assert.equal(event.fieldId, event.body.data.fieldId);
      assert.deepEqual(Object.keys(event.body.data), [
        'recordId',
        'kanbanId',
        'fieldId',
        'fieldName',
        'oldValue',
        'newValue',
        'changedBy',
        'record',
      ]);
      assert.equal(event.body.data.recordId, record.recordId);
      assert.equal(event.body.data.kanbanId, kanban.id);
      assert.equal(event.body.data.changedBy, userId);
      assert.deepEqual(event.body.data.record, answer.body);
    }
    const changes = events.map(({ body: { data } }) => [
      data.fieldId,
      [data.fieldName, data.oldValue, data.newValue],
    ]);
    assert.equal(changes.length, 6);
    assert.deepEqual(Object.fromEntries(changes), {
      title: ['title', 'Ada', 'New title'],
      status: ['status', 'open', 'won'],
      assignedUserIds: ['assignedUserIds', [], [userId]],
      [text.fieldId]: ['Remark', 'old', 'new'],
      [many.fieldId]: ['Colours', ['red'], null],
      [time.fieldId]: ['When', null, 1_000],
    });
  });

  it('fields that were supplied but did not change emit nothing', async () => {
    const customFields = { [text.fieldId]: 'same', [many.fieldId]: ['red', 'blue'], [time.fieldId]: 0 };
    const record = await createRecord(service, kanban.id, { customFields });
    await changeRecord(service, record.recordId, {
      title: record.title,
      status: 'won',
      customFields: {
        [text.fieldId]: 'same',
        [many.fieldId]: ['blue', 'red'],
        [time.fieldId]: '1970-01-01T01:00:00+01:00',
      },
      assignedUserIds: [],
      labelIds: [],
    });
    const events = await updatesOf(record.recordId);
    assert.deepEqual(
      events.map((event) => event.fieldId),
      ['status'],
    );
    assert.deepEqual((await readRecord(service, record.recordId)).customFields, customFields);
  });

  it('a change that changes nothing, and a refused one, emit nothing', async () => {
    const record = await createRecord(service, kanban.id);
    const before = await countEvents(service);
    await changeRecord(service, record.recordId, {});
    await changeRecord(service, record.recordId, { title: record.title, status: record.status });
    await changeRecord(service, record.recordId, { title: 'New', status: 'nowhere' });
    assert.equal(await countEvents(service), before);
  });

  it('the order of a multiselect is no change, one more or other value is', async () => {
    const record = await createRecord(service, kanban.id, {
      customFields: { [many.fieldId]: ['red', 'blue'] },
    });
    for (const value of [['blue', 'red'], ['red', 'blue', 'green'], ['red', 'green'], [], []]) {
      await changeRecord(service, record.recordId, { customFields: { [many.fieldId]: value } });
    }
    const events = await updatesOf(record.recordId);
    assert.deepEqual(
      events.map(({ body }) => [body.data.oldValue, body.data.newValue]),
      [
        [
          ['red', 'blue'],
          ['red', 'blue', 'green'],
        ],
        [
          ['red', 'blue', 'green'],
          ['red', 'green'],
        ],
        [['red', 'green'], []],
      ],
    );
  });

  it('an empty string and [] are values: setting and clearing them are changes', async () => {
    const record = await createRecord(service, kanban.id);
    for (const value of ['', null]) {
      await changeRecord(service, record.recordId, { customFields: { [text.fieldId]: value } });
    }
    for (const value of [[], null]) {
      await changeRecord(service, record.recordId, { customFields: { [many.fieldId]: value } });
    }
    const events = await updatesOf(record.recordId);
    assert.deepEqual(
      events.map(({ body }) => [body.data.oldValue, body.data.newValue]),
      [
        [null, ''],
        ['', null],
        [null, []],
        [[], null],
      ],
    );
  });

  it('changedBy is the token or user of the change', async () => {
    const record = await createRecord(service, kanban.id);
    const own = await service.createToken(service.admin.jwt);
    const operator = await service.createUser('operator');
    for (const [token, title] of [
      [own.token, 'A'],
      [operator.jwt, 'B'],
    ] as const) {
      await service.call('PUT', `/crm/records/${record.recordId}`, { token, body: { title } });
    }
    const events = await updatesOf(record.recordId);
    assert.deepEqual(
      events.map(({ body }) => body.data.changedBy),
      [own.id, operator.id],
    );
  });

  it('a delete emits crm_record_deleted with the record as it last stood', async () => {
    const record = await createRecord(service, kanban.id, { customFields: { [text.fieldId]: 'x' } });
    const { body: last } = await changeRecord(service, record.recordId, { title: 'Last' });
    await service.call('DELETE', `/crm/records/${record.recordId}`);
    const events = await eventsOf(service, record.recordId);
    assert.equal(events.length, 3);
    assertEnvelope(events[2]!, 'crm_record_deleted', 3);
    assert.deepEqual(events[2]!.body.data, { record: last });
  });

  it('the sequence counts from 1 without a gap, through every kind of change', async () => {
    const record = await createRecord(service, kanban.id);
    const path = `/crm/records/${record.recordId}`;
    await changeRecord(service, record.recordId, { title: 'A', status: 'won' });
    await changeRecord(service, record.recordId, { title: 'A' });
    await changeRecord(service, record.recordId, { status: 'nowhere' });
    await service.call('PUT', path, { headers: { 'x-dry-run': 'events' }, body: { title: 'Dry' } });
    const items = [
      { recordId: record.recordId, title: 'B' },
      { recordId: record.recordId, title: '' },
    ];
    await service.call('POST', '/crm/records/batch', { body: { items } });
    const [open, won] = kanban.statuses;
    const statuses = (list: unknown[], moveTo: string) =>
      service.call('PUT', `/kanbans/${kanban.id}/statuses`, { body: { statuses: list, moveTo } });
    await statuses([open], 'open');
    await statuses([open, won], 'open');
    await service.call('DELETE', path);
    const events = await eventsOf(service, record.recordId);
    assert.deepEqual(
      events.map(({ sequence, event, fieldId }) => [sequence, event, fieldId]),
      [
        [1, 'crm_record_created', null],
        [2, 'crm_field_update', 'title'],
        [3, 'crm_field_update', 'status'],
        [4, 'crm_field_update', 'title'],
        [5, 'crm_field_update', 'status'],
        [6, 'crm_record_deleted', null],
      ],
    );
  });

  it("the bytes are frozen: later changes of the record, its field's name or its kanban leave them", async () => {
    const record = await createRecord(service, kanban.id, { customFields: { [text.fieldId]: 'a' } });
    await changeRecord(service, record.recordId, { customFields: { [text.fieldId]: 'b' } });
    const before = (await eventsOf(service, record.recordId)).map((event) => event.text);
    await service.call('PATCH', `/crm/fields/${text.fieldId}`, { body: { name: 'Renamed' } });
    await changeRecord(service, record.recordId, { title: 'Later' });
    await service.call('DELETE', `/crm/records/${record.recordId}`);
    const after = (await eventsOf(service, record.recordId)).map((event) => event.text);
    assert.deepEqual(after.slice(0, 2), before);
    assert.match(after[1]!, /"fieldName":"Remark"/);
    await service.call('PATCH', `/crm/fields/${text.fieldId}`, { body: { name: 'Remark' } });
  });

  it('event ids are unique and belong to the account', async () => {
    const other = await service.createAccount();
    const theirs = await service.call('POST', '/crm/records', { token: other.token, body: { title: 'X' } });
    const [event] = await eventsOf(service, theirs.body.recordId);
    assert.equal(event?.body.accountId, other.accountId);
    assert.match(event?.id ?? '', /^[0-9a-f-]{36}$/);
  });
});
