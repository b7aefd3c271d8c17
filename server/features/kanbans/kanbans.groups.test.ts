import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Field, FieldGroup, Kanban } from '../../../contract/crm/kanbans.ts';
import {
  absentId,
  assertBadRequest,
  assertNotFound,
  createBatcher,
  createField,
  createKanban,
  createRecord,
  readRecord,
} from '../../../test/support/crm.ts';
import { joinTestService, type TestService } from '../../../test/support/service.ts';

describe('field groups', () => {
  let service: TestService;
  let kanban: Kanban;
  before(async () => {
    service = await joinTestService();
    kanban = await createKanban(service);
  });
  after(() => service.close());

  const groupsOf = async (query: string) => (await service.call('GET', `/crm/field-groups${query}`)).body;

  it('201 with exactly id, kanbanId, name and order; listed by order with a nextToken', async () => {
    const board = await createKanban(service);
    const second = await createBatcher(service, board.id, { name: ' Second ', order: 2 });
    const first = await createBatcher(service, board.id, { name: 'First', order: 1 });
    const third = await createBatcher(service, board.id, { name: 'Third' });
    assert.deepEqual(second, { id: second.id, kanbanId: board.id, name: 'Second', order: 2 });
    assert.equal(third.order, 3);
    assert.deepEqual(await groupsOf(`?kanbanId=${board.id}`), {
      items: [first, second, third],
      nextToken: null,
    });
    assert.deepEqual(await groupsOf(`?kanbanId=${absentId}`), { items: [], nextToken: null });
  });

  it('pages stay stable while groups come and go before them', async () => {
    const board = await createKanban(service);
    const made: FieldGroup[] = [];
    for (let i = 0; i < 5; i++) made.push(await createBatcher(service, board.id, { name: `G${i}` }));
    const first = await groupsOf(`?kanbanId=${board.id}&limit=2`);
    assert.deepEqual(first.items, made.slice(0, 2));
    await service.call('DELETE', `/crm/field-groups/${made[0]!.id}`);
    const second = await groupsOf(`?kanbanId=${board.id}&limit=2&nextToken=${first.nextToken}`);
    assert.deepEqual(second.items, made.slice(2, 4));
    assertBadRequest(
      await service.call('GET', `/crm/field-groups?kanbanId=${kanban.id}&nextToken=${first.nextToken}`),
      /nextToken/,
    );
  });

  it('a group is renamed and moved; 400 for a blank name, 404 for an unknown or foreign one', async () => {
    const group = await createBatcher(service, kanban.id);
    const change = (id: string, body: object) => service.call('PATCH', `/crm/field-groups/${id}`, { body });
    assert.deepEqual((await change(group.id, { name: 'New', order: 4 })).body, {
      ...group,
      name: 'New',
      order: 4,
    });
    assertBadRequest(await change(group.id, { name: ' ' }), 'name is required');
    assertNotFound(await change(absentId, { name: 'X' }), 'field group not found');
    const other = await service.createAccount();
    const theirs = await service.call('POST', '/crm/field-groups', {
      token: other.token,
      body: { name: 'Theirs' },
    });
    assert.equal(theirs.status, 201);
    assertNotFound(await change(theirs.body.id, { name: 'Mine' }), 'field group not found');
    assertBadRequest(
      await service.call('POST', '/crm/fields', {
        body: { name: 'X', type: 'text', groupId: theirs.body.id },
      }),
      /^groupId/,
    );
  });

  it('400 without a name, 404 for an unknown kanban', async () => {
    const make = (query: string, body: object) => service.call('POST', `/crm/field-groups${query}`, { body });
    assertBadRequest(await make('', {}), 'name is required');
    assertBadRequest(await make('', { name: ' ' }), 'name is required');
    assertNotFound(await make(`?kanbanId=${absentId}`, { name: 'X' }), 'kanban not found');
  });

  it('deleting a group leaves its fields ungrouped, with their values', async () => {
    const group = await createBatcher(service, kanban.id);
    const field = await createField(service, kanban.id, 'text', { groupId: group.id });
    assert.equal(field.groupId, group.id);
    const record = await createRecord(service, kanban.id, { customFields: { [field.fieldId]: 'x' } });
    const { status, body } = await service.call('DELETE', `/crm/field-groups/${group.id}`);
    assert.equal(status, 200);
    assert.equal(typeof body.message, 'string');
    const left = (await service.call('GET', `/crm/fields?kanbanId=${kanban.id}`)).body.fields.find(
      (one: Field) => one.fieldId === field.fieldId,
    );
    assert.deepEqual(left, { ...field, groupId: null });
    assert.deepEqual(await readRecord(service, record.recordId), record);
    assertNotFound(await service.call('DELETE', `/crm/field-groups/${group.id}`), 'field group not found');
  });
});
