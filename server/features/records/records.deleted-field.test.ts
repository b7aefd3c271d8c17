/** Deleting a field: the values are removed at once, and each record emits an event. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  changeRecord,
  createField,
  createKanban,
  createRecord,
  eventsOf,
  readRecord,
} from '../../../test/support/crm.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { hooksOf, loopbackAllowed, startInbox } from '../../../test/support/webhooks.ts';
import { sql } from '../../platform/db/sql.ts';

describe('the values of a deleted field', () => {
  let service: TestService;
  before(async () => {
    service = await joinTestService({ worker: true, env: loopbackAllowed });
  });
  after(() => service.close());

  const deleteField = (fieldId: string, headers = {}) =>
    service.call('DELETE', `/crm/fields/${fieldId}`, { token: service.admin.jwt, headers });
  const waiting = async (fieldId: string) =>
    (
      await service.context.db.query(
        sql`select from deleted_field_values where field_id = ${fieldId}
          union all select from jobs where payload ->> 'fieldId' = ${fieldId}`,
      )
    ).length;
  const settled = (fieldId: string) => eventually(async () => (await waiting(fieldId)) === 0, 60_000);

  it('are gone with the 200; a crm_field_update follows for each record that had one', async () => {
    const kanban = await createKanban(service);
    const field = await createField(service, kanban.id, 'multiselect', { name: 'Colours' });
    const kept = await createField(service, kanban.id, 'text');
    const values = { [field.fieldId]: ['red', 'blue'], [kept.fieldId]: 'stays' };
    const record = await createRecord(service, kanban.id, { customFields: values });
    const without = await createRecord(service, kanban.id, { customFields: { [kept.fieldId]: 'alone' } });
    assert.equal((await deleteField(field.fieldId)).status, 200);
    assert.deepEqual((await readRecord(service, record.recordId)).customFields, { [kept.fieldId]: 'stays' });
    await settled(field.fieldId);

    const [, told, ...more] = await eventsOf(service, record.recordId);
    assert.deepEqual(more, []);
    const after = await readRecord(service, record.recordId);
    assert.deepEqual([told!.event, told!.sequence, told!.fieldId], ['crm_field_update', 2, field.fieldId]);
    assert.equal(told!.kanbanId, kanban.id);
    assert.deepEqual(told!.body.data, {
      recordId: record.recordId,
      kanbanId: kanban.id,
      fieldId: field.fieldId,
      fieldName: 'Colours',
      oldValue: ['red', 'blue'],
      newValue: null,
      changedBy: service.admin.userId,
      record: after,
    });
    assert.equal(after.updatedBy, service.admin.userId);
    assert.ok(after.updatedAt > record.updatedAt);
    assert.equal(told!.body.timestamp, after.updatedAt);
    assert.deepEqual(
      await readRecord(service, without.recordId),
      without,
      'a record without a value is left alone',
    );
    assert.equal((await eventsOf(service, without.recordId)).length, 1);
  });

  it('stand in the history of the record, and the next change counts on', async () => {
    const kanban = await createKanban(service);
    const field = await createField(service, kanban.id, 'number', { name: 'Seats' });
    const { recordId } = await createRecord(service, kanban.id, { customFields: { [field.fieldId]: 0 } });
    await deleteField(field.fieldId);
    await settled(field.fieldId);
    assert.equal((await changeRecord(service, recordId, { title: 'Next' })).status, 200);
    assert.deepEqual(
      (await eventsOf(service, recordId)).map((event) => [event.sequence, event.body.data.oldValue ?? null]),
      [
        [1, null],
        [2, 0],
        [3, 'Ada'],
      ],
    );
    const { body } = await service.call('GET', `/crm/records/${recordId}/activity`);
    const entry = body.items.find((item: Json) => JSON.stringify(item).includes(field.fieldId));
    assert.ok(entry && JSON.stringify(entry).includes('Seats'), JSON.stringify(body.items));
  });

  it('reach webhooks that are filtered by the field, and no webhook of another field', async () => {
    const inbox = await startInbox();
    const elsewhere = await startInbox();
    const kanban = await createKanban(service);
    const field = await createField(service, kanban.id, 'text');
    const other = await createField(service, kanban.id, 'text');
    const hooks = hooksOf(service);
    const events = ['crm_field_update'];
    await hooks.create(inbox.url(), { events, fieldIds: [field.fieldId] });
    await hooks.create(elsewhere.url(), { events, fieldIds: [other.fieldId] });
    const customFields = { [field.fieldId]: 'told', [other.fieldId]: 'not told' };
    const { recordId } = await createRecord(service, kanban.id, { customFields });
    await deleteField(field.fieldId);
    await eventually(() => inbox.received.length === 1);
    const { data } = JSON.parse(inbox.received[0]!.text);
    assert.deepEqual([data.recordId, data.oldValue, data.newValue], [recordId, 'told', null]);
    assert.equal(elsewhere.received.length, 0);
    await inbox.close();
    await elsewhere.close();
  });

  it('1,100 records: each tells once, while records are changed and deleted meanwhile', async () => {
    const kanban = await createKanban(service);
    const field = await createField(service, kanban.id, 'text', { name: 'Many' });
    const count = 1_100;
    const items = Array.from({ length: 60 }, (_, index) => ({
      title: `Record ${index}`,
      customFields: { [field.fieldId]: `value ${index}` },
    }));
    const { status } = await service.call('POST', `/crm/records/batch?kanbanId=${kanban.id}`, {
      body: { items },
    });
    assert.equal(status, 200);
    // The others are copies of one of them, with ids before theirs: the job comes to them first.
    await service.context.db.autocommit(sql`
      insert into records (account_id, id, kanban_id, title, title_hash, status, custom_fields, assigned_user_ids,
        created_by, updated_by, created_at, updated_at, event_sequence)
      select account_id, ('00000000' || right(gen_random_uuid()::text, 28))::uuid, kanban_id, 'Record ' || n, title_hash,
        status, jsonb_build_object(${field.fieldId}::text, 'value ' || n), assigned_user_ids, created_by, updated_by,
        created_at, updated_at, event_sequence
      from records, generate_series(60, ${count - 1}::int) as n
      where kanban_id = ${kanban.id} and title = 'Record 0'`);
    const rows = await service.context.db.query<{ id: string; title: string }>(
      sql`select id, title from records where kanban_id = ${kanban.id} order by id`,
    );
    assert.equal(rows.length, count);
    const tried = await deleteField(field.fieldId, { 'x-dry-run': 'events' });
    assert.equal(tried.body.events.length, 1_000, 'a dry run lists the first 1,000 events');
    assert.equal((await deleteField(field.fieldId)).status, 200);
    const left = await service.context.db.query(
      sql`select from records where kanban_id = ${kanban.id} and custom_fields ? ${field.fieldId}`,
    );
    assert.equal(left.length, 0, 'no value is left when the answer comes');
    const changed = rows.slice(-40).map((row) => row.id);
    const [deleted] = rows.slice(-50, -49).map((row) => row.id);
    const answers = await Promise.all([
      service.call('DELETE', `/crm/records/${deleted}`),
      ...changed.map((id) => changeRecord(service, id, { status: 'done' })),
    ]);
    assert.ok(answers.every((answer) => answer.status === 200));
    await settled(field.fieldId);

    const told = await service.context.db.query<{ id: string; times: number; value: string }>(sql`
      select subject_id as id, count(*)::int as times, min(body::json -> 'data' ->> 'oldValue') as value from events
      where kanban_id = ${kanban.id} and field_id = ${field.fieldId} group by subject_id`);
    const byId = new Map(told.map((row) => [row.id, row]));
    for (const { id, title } of rows) {
      if (id === deleted && !byId.has(id)) continue;
      assert.equal(byId.get(id)?.times, 1, `${title} tells once`);
      assert.equal(byId.get(id)?.value, title.replace('Record', 'value'));
    }
    for (const id of changed) {
      assert.deepEqual(
        (await eventsOf(service, id)).map((event) => event.sequence),
        [1, 2, 3],
        'no sequence is missing or used twice',
      );
    }
    const last = (await eventsOf(service, deleted!)).at(-1)!;
    assert.equal(last.event, 'crm_record_deleted', 'a deleted record says nothing more');
  });

  it('a dry run lists the events and changes nothing', async () => {
    const kanban = await createKanban(service);
    const field = await createField(service, kanban.id, 'text');
    const record = await createRecord(service, kanban.id, {
      customFields: { [field.fieldId]: 'still here' },
    });
    const answer = await deleteField(field.fieldId, { 'x-dry-run': 'events' });
    assert.equal(answer.status, 200);
    assert.deepEqual(
      answer.body.events.map(({ event, body }: Json) => [event, body.data.recordId, body.data.newValue]),
      [['crm_field_update', record.recordId, null]],
    );
    assert.deepEqual(await readRecord(service, record.recordId), record);
    assert.equal(await waiting(field.fieldId), 0);
  });

  it('a field without values leaves no work behind', async () => {
    const kanban = await createKanban(service);
    const field = await createField(service, kanban.id, 'text');
    assert.equal((await deleteField(field.fieldId)).status, 200);
    assert.equal(await waiting(field.fieldId), 0);
  });
});
