import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Kanban, Status } from '../../../contract/crm/kanbans.ts';
import {
  absentId,
  assertBadRequest,
  assertConflict,
  color,
  createKanban,
  createRecord,
  eventsOf,
  readRecord,
} from '../../../test/support/crm.ts';
import { joinTestService, type TestService } from '../../../test/support/service.ts';

describe('statuses', () => {
  let service: TestService;
  before(async () => {
    service = await joinTestService();
  });
  after(() => service.close());

  const put = (id: string, statuses: unknown, more: object = {}) =>
    service.call('PUT', `/kanbans/${id}/statuses`, { body: { statuses, ...more } });
  const status = (value: string): Status => ({ value, label: value.toUpperCase(), color });

  it('GET /crm/statuses without kanbanId answers for the default kanban, in order', async () => {
    const kanbans = (await service.call('GET', '/kanbans')).body.items as Kanban[];
    const expected = kanbans.find((kanban) => kanban.isDefault)?.statuses;
    const { status: code, body } = await service.call('GET', '/crm/statuses');
    assert.equal(code, 200);
    assert.deepEqual(body, { statuses: expected });
  });

  it('GET /crm/statuses with kanbanId answers for that kanban, and with an unknown one for none', async () => {
    const kanban = await createKanban(service, { statuses: [status('b'), status('a')] });
    const { body } = await service.call('GET', `/crm/statuses?kanbanId=${kanban.id}`);
    assert.deepEqual(body, { statuses: [status('b'), status('a')] });
    for (const id of [absentId, 'no-id']) {
      const none = await service.call('GET', `/crm/statuses?kanbanId=${id}`);
      assert.deepEqual([none.status, none.body], [200, { statuses: [] }]);
    }
  });

  it('the whole list is replaced and the kanban is answered', async () => {
    const kanban = await createKanban(service);
    const list = [status('x'), status('y')];
    const answer = await put(kanban.id, list);
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body, { ...kanban, statuses: list, updatedAt: answer.body.updatedAt });
    assert.deepEqual((await service.call('GET', `/kanbans/${kanban.id}`)).body, answer.body);
  });

  it('the first is the default status of a new record', async () => {
    const kanban = await createKanban(service, { statuses: [status('a'), status('b')] });
    assert.equal((await createRecord(service, kanban.id)).status, 'a');
    await put(kanban.id, [status('b'), status('a')]);
    assert.equal((await createRecord(service, kanban.id)).status, 'b');
  });

  it('a value that is left out is made from the label and differs from all others', async () => {
    const kanban = await createKanban(service);
    const { body } = await put(kanban.id, [
      { label: 'Won!', color },
      { label: 'won', color },
      { value: 'won-2', label: 'Third', color },
      { label: '成功', color },
    ]);
    const values = body.statuses.map((one: Status) => one.value);
    assert.equal(values[0], 'won');
    assert.equal(values[2], 'won-2');
    assert.equal(new Set(values).size, 4);
    assert.ok(values.every((value: string) => value.length > 0));
  });

  it('a present status may be sent without its value: its label tells which one it is', async () => {
    const kanban = await createKanban(service);
    const inProgress = kanban.statuses[1]!;
    const record = await createRecord(service, kanban.id, { status: inProgress.value });
    const labels = [{ label: 'Later', color }, ...kanban.statuses.map(({ label }) => ({ label, color }))];
    const { status: code, body } = await put(kanban.id, labels);
    assert.equal(code, 200);
    assert.deepEqual(
      body.statuses.map((one: Status) => one.value),
      ['later', ...kanban.statuses.map((one) => one.value)],
    );
    assert.deepEqual(await readRecord(service, record.recordId), record);
  });

  it('400 for an empty list, a repeated value, a wrong color or a blank label, and nothing changes', async () => {
    const kanban = await createKanban(service);
    const cases: [unknown, RegExp][] = [
      [[], /^statuses must have at least 1 item$/],
      [undefined, /^statuses is required$/],
      ['x', /^statuses must be an array$/],
      [[status('a'), status('a')], /^statuses has the value a twice$/],
      [[{ value: 'a', label: 'A', color: '112233' }], /^statuses\[0\]\.color/],
      [[status('a'), { value: 'b', label: '  ', color }], /^statuses\[1\]\.label is required$/],
      [[{ value: '', label: 'A', color }], /^statuses\[0\]\.value/],
      [[{ value: 7, label: 'A', color }], /^statuses\[0\]\.value must be a string$/],
    ];
    for (const [statuses, message] of cases) assertBadRequest(await put(kanban.id, statuses), message);
    assert.deepEqual((await service.call('GET', `/kanbans/${kanban.id}`)).body, kanban);
  });

  it('409 for taking away a status that records hold, and nothing changes', async () => {
    const kanban = await createKanban(service, { statuses: [status('a'), status('b')] });
    const record = await createRecord(service, kanban.id, { status: 'b' });
    assertConflict(await put(kanban.id, [status('a')]), /moveTo/);
    assert.deepEqual((await service.call('GET', `/kanbans/${kanban.id}`)).body, kanban);
    assert.deepEqual(await readRecord(service, record.recordId), record);
  });

  it('a status that no record holds can be taken away without moveTo', async () => {
    const kanban = await createKanban(service, { statuses: [status('a'), status('b')] });
    await createRecord(service, kanban.id, { status: 'a' });
    assert.equal((await put(kanban.id, [status('a')])).status, 200);
    assertBadRequest(
      await service.call('POST', `/crm/records?kanbanId=${kanban.id}`, { body: { title: 'X', status: 'b' } }),
      'status must be one of a',
    );
  });

  it('moveTo moves the records of every status taken away, and only those', async () => {
    const kanban = await createKanban(service, { statuses: ['a', 'b', 'c', 'd'].map(status) });
    const elsewhere = await createKanban(service, { statuses: ['a', 'b'].map(status) });
    const made = await Promise.all(
      ['a', 'b', 'c', 'd'].map((value) => createRecord(service, kanban.id, { status: value })),
    );
    const untouched = await createRecord(service, elsewhere.id, { status: 'b' });
    assert.equal((await put(kanban.id, ['a', 'd'].map(status), { moveTo: 'd' })).status, 200);
    const now = await Promise.all(made.map((record) => readRecord(service, record.recordId)));
    assert.deepEqual(
      now.map((record) => record.status),
      ['a', 'd', 'd', 'd'],
    );
    assert.deepEqual(now[0], made[0]);
    assert.deepEqual(now[3], made[3]);
    assert.ok(now[1]!.updatedAt >= made[1]!.updatedAt);
    assert.deepEqual(await readRecord(service, untouched.recordId), untouched);
  });

  it('each moved record emits one crm_field_update of its status, with the record after the move', async () => {
    const kanban = await createKanban(service, { statuses: ['a', 'b'].map(status) });
    const [first, second] = [
      await createRecord(service, kanban.id, { status: 'b' }),
      await createRecord(service, kanban.id, { status: 'a' }),
    ];
    const { id: changedBy } = (await service.call('GET', '/auth/me', { token: service.admin.jwt })).body.user;
    const answer = await service.call('PUT', `/kanbans/${kanban.id}/statuses`, {
      token: service.admin.jwt,
      body: { statuses: [status('a')], moveTo: 'a' },
    });
    assert.equal(answer.status, 200);
    const events = await eventsOf(service, first.recordId);
    assert.deepEqual(
      events.map(({ event, sequence, fieldId }) => [event, sequence, fieldId]),
      [
        ['crm_record_created', 1, null],
        ['crm_field_update', 2, 'status'],
      ],
    );
    const record = await readRecord(service, first.recordId);
    assert.equal(record.updatedBy, changedBy);
    assert.deepEqual(events[1]!.body.data, {
      recordId: first.recordId,
      kanbanId: kanban.id,
      fieldId: 'status',
      fieldName: 'status',
      oldValue: 'b',
      newValue: 'a',
      changedBy,
      record,
    });
    assert.equal((await eventsOf(service, second.recordId)).length, 1);
  });

  it('moveTo moves more records than fit one bite', async () => {
    const kanban = await createKanban(service, { statuses: ['a', 'b'].map(status) });
    const items = Array.from({ length: 100 }, (_, i) => ({ title: `R${i}`, status: 'b' }));
    for (let i = 0; i < 6; i++) {
      await service.call('POST', `/crm/records/batch?kanbanId=${kanban.id}`, { body: { items } });
    }
    assert.equal((await put(kanban.id, [status('a')], { moveTo: 'a' })).status, 200);
    const left = await service.call('GET', `/crm/records?kanbanId=${kanban.id}&status=b`);
    assert.deepEqual(left.body.items, []);
  });

  it('400 for a moveTo that the new list does not have', async () => {
    const kanban = await createKanban(service, { statuses: ['a', 'b'].map(status) });
    for (const moveTo of ['b', 'zzz', '']) {
      assertBadRequest(await put(kanban.id, [status('a')], { moveTo }), 'moveTo must be one of a');
    }
    assert.deepEqual((await service.call('GET', `/kanbans/${kanban.id}`)).body, kanban);
  });

  it('renaming or repainting a status keeps its records', async () => {
    const kanban = await createKanban(service, { statuses: [status('a')] });
    const record = await createRecord(service, kanban.id);
    const { body } = await put(kanban.id, [{ value: 'a', label: 'Renamed', color: '#ABCDEF' }]);
    assert.deepEqual(body.statuses, [{ value: 'a', label: 'Renamed', color: '#ABCDEF' }]);
    assert.deepEqual(await readRecord(service, record.recordId), record);
  });

  it('X-Dry-Run: events reports what moveTo would emit and changes nothing', async () => {
    const kanban = await createKanban(service, { statuses: ['a', 'b'].map(status) });
    const record = await createRecord(service, kanban.id, { status: 'b' });
    const answer = await service.call('PUT', `/kanbans/${kanban.id}/statuses`, {
      headers: { 'x-dry-run': 'events' },
      body: { statuses: [status('a')], moveTo: 'a' },
    });
    assert.equal(answer.status, 200);
    assert.equal(answer.body.dryRun, true);
    assert.equal(answer.body.events.length, 1);
    assert.equal(answer.body.events[0].body.data.newValue, 'a');
    assert.deepEqual((await service.call('GET', `/kanbans/${kanban.id}`)).body, kanban);
    assert.deepEqual(await readRecord(service, record.recordId), record);
    assert.equal((await eventsOf(service, record.recordId)).length, 1);
  });
});
