import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Field, Kanban } from '../../../contract/crm/kanbans.ts';
import {
  absentId,
  assertBadRequest,
  changeRecord,
  color,
  createField,
  createKanban,
  createRecord,
  eventsOf,
  readRecord,
} from '../../../test/support/crm.ts';
import { joinTestService, type TestService } from '../../../test/support/service.ts';

describe('changing records', () => {
  let service: TestService;
  let kanban: Kanban;
  let first: Field;
  let second: Field;
  before(async () => {
    service = await joinTestService();
    kanban = await createKanban(service, {
      statuses: ['open', 'won', 'lost'].map((value) => ({ value, label: value, color })),
    });
    first = await createField(service, kanban.id, 'text');
    second = await createField(service, kanban.id, 'multiselect');
  });
  after(() => service.close());

  it('200 the updated record: only supplied fields change, updatedAt and updatedBy with them', async () => {
    const record = await createRecord(service, kanban.id, {
      channelId: 'c',
      customFields: { [first.fieldId]: 'x' },
      assignedUserIds: [service.admin.userId],
    });
    const answer = await service.call('PUT', `/crm/records/${record.recordId}`, {
      token: service.admin.jwt,
      body: { title: '  Changed ' },
    });
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body, {
      ...record,
      title: 'Changed',
      updatedBy: service.admin.userId,
      updatedAt: answer.body.updatedAt,
    });
    assert.ok(answer.body.updatedAt >= record.updatedAt);
    assert.deepEqual(await readRecord(service, record.recordId), answer.body);
  });

  it('every member can be changed in one request', async () => {
    const record = await createRecord(service, kanban.id);
    const change = {
      title: 'All',
      status: 'lost',
      customFields: { [first.fieldId]: 'x', [second.fieldId]: ['red'] },
      assignedUserIds: [service.admin.userId],
    };
    const { status, body } = await changeRecord(service, record.recordId, change);
    assert.equal(status, 200);
    assert.deepEqual({ ...body, ...change }, body);
    assert.deepEqual(await readRecord(service, record.recordId), body);
  });

  it('supplied customFields are merged: keys not supplied remain, null takes one away', async () => {
    const record = await createRecord(service, kanban.id, { customFields: { [first.fieldId]: 'kept' } });
    const merged = await changeRecord(service, record.recordId, {
      customFields: { [second.fieldId]: ['blue'] },
    });
    assert.deepEqual(merged.body.customFields, { [first.fieldId]: 'kept', [second.fieldId]: ['blue'] });
    const cleared = await changeRecord(service, record.recordId, { customFields: { [first.fieldId]: null } });
    assert.deepEqual(cleared.body.customFields, { [second.fieldId]: ['blue'] });
    const empty = await changeRecord(service, record.recordId, { customFields: {} });
    assert.deepEqual(empty.body.customFields, { [second.fieldId]: ['blue'] });
  });

  it('any status may follow any', async () => {
    const values = kanban.statuses.map((status) => status.value);
    const record = await createRecord(service, kanban.id);
    for (const from of values) {
      for (const to of values) {
        await changeRecord(service, record.recordId, { status: from });
        const { status, body } = await changeRecord(service, record.recordId, { status: to });
        assert.deepEqual([status, body.status], [200, to]);
      }
    }
  });

  it('a change that changes nothing answers 200, emits nothing and leaves updatedAt and updatedBy', async () => {
    const { userId } = service.admin;
    const user = await service.createUser('operator');
    const record = await createRecord(service, kanban.id, {
      status: 'won',
      customFields: { [first.fieldId]: 'x', [second.fieldId]: ['red', 'blue'] },
      assignedUserIds: [userId, user.id],
    });
    const idle: object[] = [
      {},
      { title: record.title },
      { title: ` ${record.title}\n` },
      { status: 'won' },
      { customFields: {} },
      { customFields: { [first.fieldId]: 'x' } },
      { customFields: { [second.fieldId]: ['blue', 'red'] } },
      { assignedUserIds: [userId, user.id] },
      { assignedUserIds: [user.id, userId, user.id] },
      { unknown: 'property', recordId: absentId, kanbanId: absentId, channelId: 'other' },
      {
        title: record.title,
        status: 'won',
        customFields: record.customFields,
        assignedUserIds: record.assignedUserIds,
      },
    ];
    for (const body of idle) {
      const answer = await service.call('PUT', `/crm/records/${record.recordId}`, {
        token: service.admin.jwt,
        body,
      });
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.body, record, JSON.stringify(body));
    }
    assert.deepEqual(await readRecord(service, record.recordId), record);
    assert.equal((await eventsOf(service, record.recordId)).length, 1);
  });

  it('clearing what is empty changes nothing', async () => {
    const record = await createRecord(service, kanban.id);
    const { body } = await changeRecord(service, record.recordId, {
      customFields: { [first.fieldId]: null },
    });
    assert.deepEqual(body, record);
    assert.equal((await eventsOf(service, record.recordId)).length, 1);
  });

  it('assignedUserIds is replaced as a whole; an empty list assigns nobody', async () => {
    const user = await service.createUser('operator');
    const record = await createRecord(service, kanban.id, { assignedUserIds: [service.admin.userId] });
    const other = await changeRecord(service, record.recordId, { assignedUserIds: [user.id] });
    assert.deepEqual(other.body.assignedUserIds, [user.id]);
    const none = await changeRecord(service, record.recordId, { assignedUserIds: [] });
    assert.deepEqual(none.body.assignedUserIds, []);
  });

  it('a user who has left may stay assigned, and cannot be assigned anew', async () => {
    const user = await service.createUser('operator');
    const record = await createRecord(service, kanban.id, { assignedUserIds: [user.id] });
    await service.call('DELETE', `/users/${user.id}`);
    const assignedUserIds = [user.id, service.admin.userId];
    const kept = await changeRecord(service, record.recordId, { assignedUserIds });
    assert.deepEqual([kept.status, kept.body.assignedUserIds], [200, assignedUserIds]);
    const elsewhere = await createRecord(service, kanban.id);
    assertBadRequest(
      await changeRecord(service, elsewhere.recordId, { assignedUserIds }),
      /^assignedUserIds/,
    );
  });

  it('400 that names the field for anything wrong, and nothing at all is changed', async () => {
    const record = await createRecord(service, kanban.id, { customFields: { [first.fieldId]: 'x' } });
    const fine = { title: 'Would be new' };
    const cases: [unknown, RegExp][] = [
      [{ title: '' }, /^title is required$/],
      [{ title: '   ' }, /^title is required$/],
      [{ title: null }, /^title must be a string$/],
      [{ title: 'x'.repeat(1_001) }, /^title must have at most 1000 characters$/],
      [{ ...fine, status: 'nowhere' }, /^status must be one of open, won, lost$/],
      [{ ...fine, status: null }, /^status must be a string$/],
      [{ ...fine, customFields: { nope: 1 } }, /^customFields\.nope /],
      [{ ...fine, customFields: { [first.fieldId]: 5 } }, new RegExp(`${first.fieldId}.*A text`)],
      [{ ...fine, customFields: 'x' }, /^customFields must be an object$/],
      [{ ...fine, assignedUserIds: [absentId] }, /^assignedUserIds/],
      [{ ...fine, assignedUserIds: null }, /^assignedUserIds must be an array$/],
      [[], /^body must be a JSON object$/],
      ['{', /^body is not valid JSON$/],
    ];
    for (const [body, message] of cases) {
      assertBadRequest(await changeRecord(service, record.recordId, body), message);
    }
    assertBadRequest(await service.call('PUT', `/crm/records/${record.recordId}`), 'body is required');
    assert.deepEqual(await readRecord(service, record.recordId), record);
    assert.equal((await eventsOf(service, record.recordId)).length, 1);
  });

  it('updatedAt never goes back, whatever the clock of a process says', async () => {
    const record = await createRecord(service, kanban.id);
    const { clock } = service.context;
    const now = clock.now;
    clock.now = () => now() - 3_600_000;
    try {
      const { body } = await changeRecord(service, record.recordId, { title: 'Later' });
      assert.equal(body.updatedAt, record.updatedAt);
      await service.call('PUT', `/kanbans/${kanban.id}/statuses`, {
        body: {
          statuses: [...kanban.statuses.slice(1), { value: 'fresh', label: 'Fresh', color }],
          moveTo: 'fresh',
        },
      });
    } finally {
      clock.now = now;
    }
    const moved = await readRecord(service, record.recordId);
    assert.deepEqual([moved.status, moved.updatedAt], ['fresh', record.updatedAt]);
    await service.call('PUT', `/kanbans/${kanban.id}/statuses`, {
      body: { statuses: kanban.statuses, moveTo: 'open' },
    });
  });

  it('X-Dry-Run: events reports what would be emitted and changes nothing', async () => {
    const record = await createRecord(service, kanban.id);
    const before = await eventsOf(service, record.recordId);
    const dry = (method: string, path: string, body?: unknown) =>
      service.call(method, path, { headers: { 'x-dry-run': 'events' }, body });
    const path = `/crm/records/${record.recordId}`;
    const expected: [string, string, unknown, string[]][] = [
      ['POST', `/crm/records?kanbanId=${kanban.id}`, { title: 'Dry' }, ['crm_record_created']],
      [
        'POST',
        `/crm/records?kanbanId=${kanban.id}`,
        { title: 'Dry', channelId: 'c' },
        ['crm_record_created'],
      ],
      ['PUT', path, { title: 'Dry', status: 'won' }, ['crm_field_update', 'crm_field_update']],
      ['PUT', path, {}, []],
      ['DELETE', path, undefined, ['crm_record_deleted']],
      [
        'POST',
        `/crm/records/batch?kanbanId=${kanban.id}`,
        { items: [{ title: 'Dry' }, { title: '' }, { recordId: record.recordId, title: 'Dry' }] },
        ['crm_record_created', 'crm_field_update'],
      ],
    ];
    const count = async () => (await service.call('GET', '/crm/records?limit=100')).body.items.length;
    const records = await count();
    for (const [method, url, body, events] of expected) {
      const answer = await dry(method, url, body);
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.body.dryRun, true);
      assert.deepEqual(
        answer.body.events.map((one: { event: string }) => one.event),
        events,
      );
      for (const one of answer.body.events) {
        assert.deepEqual(Object.keys(one).sort(), ['body', 'event', 'webhooks']);
        assert.equal(one.body.event, one.event);
        assert.ok(Array.isArray(one.webhooks));
      }
    }
    assert.deepEqual(await readRecord(service, record.recordId), record);
    assert.deepEqual(await eventsOf(service, record.recordId), before);
    assert.equal(await count(), records);
    assertBadRequest(await dry('PUT', path, { status: 'nowhere' }), /^status/);
    const keyed = (headers: object) =>
      service.call('POST', '/crm/records', {
        body: { title: 'Keyed' },
        headers: { 'idempotency-key': 'dry', ...headers },
      });
    assert.equal((await keyed({ 'x-dry-run': 'events' })).body.dryRun, true);
    assert.equal((await keyed({})).status, 201, 'a dry run uses up no key');
    const odd = { headers: { 'x-dry-run': 'everything' }, body: { title: 'X' } };
    assertBadRequest(await service.call('POST', '/crm/records', odd), /X-Dry-Run/);
  });
});
