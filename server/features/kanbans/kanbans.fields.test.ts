import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Field, Kanban } from '../../../contract/crm/kanbans.ts';
import { type FieldType, fieldTypes } from '../../../contract/limits.ts';
import {
  absentId,
  assertBadRequest,
  assertConflict,
  assertNotFound,
  changeRecord,
  createBatcher,
  createField,
  createKanban,
  createRecord,
  eventsOf,
  readRecord,
} from '../../../test/support/crm.ts';
import { joinTestService, type TestService } from '../../../test/support/service.ts';

const samples: Record<FieldType, unknown> = {
  text: 'a',
  textarea: 'a\nb',
  number: 1,
  currency: 1.5,
  date: '2026-02-28',
  datetime: 0,
  select: 'red',
  multiselect: ['red'],
  boolean: false,
  email: 'a@example.com',
  phone: '+49 30 1234567',
  url: 'https://example.com',
};

describe('fields', () => {
  let service: TestService;
  let kanban: Kanban;
  before(async () => {
    service = await joinTestService();
    kanban = await createKanban(service);
  });
  after(() => service.close());

  const fieldsOf = async (query: string): Promise<Field[]> => {
    const answer = await service.call('GET', `/crm/fields${query}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.body.fields;
  };
  const patch = (fieldId: string, body: object) => service.call('PATCH', `/crm/fields/${fieldId}`, { body });
  const remove = (fieldId: string) => service.call('DELETE', `/crm/fields/${fieldId}`);

  it('a field of type currency has the code of its currency, which goes with the type', async () => {
    const create = (body: object) =>
      service.call('POST', `/crm/fields?kanbanId=${kanban.id}`, { body: { name: 'Price', ...body } });
    const { body: field } = await create({ type: 'currency', currency: 'EUR' });
    assert.equal(field.currency, 'EUR');
    const change = (body: object) => service.call('PATCH', `/crm/fields/${field.fieldId}`, { body });
    assert.equal((await change({ currency: 'BRL' })).body.currency, 'BRL');
    assert.equal((await change({ name: 'Cost' })).body.currency, 'BRL');
    const { body: board } = await service.call('GET', `/kanbans/${kanban.id}`);
    assert.equal(board.fields.find((one: { id: string }) => one.id === field.fieldId).currency, 'BRL');
    assert.equal('currency' in (await change({ currency: null })).body, false);
    await change({ currency: 'USD' });
    assert.equal('currency' in (await change({ type: 'number' })).body, false);
    assertBadRequest(await create({ type: 'number', currency: 'EUR' }), 'currency requires type currency');
    assertBadRequest(
      await create({ type: 'currency', currency: 'ZZZ' }),
      'currency must be an ISO 4217 code',
    );
    assert.equal((await create({ type: 'currency', currency: 'euro' })).status, 400);
  });

  it('aiVisible is true by default and can be set on every field, system fields too', async () => {
    const board = await createKanban(service, {
      fields: [
        { name: 'Open', type: 'text' },
        { name: 'Hidden', type: 'text', aiVisible: false },
      ],
    });
    const stored = async () =>
      Object.fromEntries(
        (await fieldsOf(`?kanbanId=${board.id}`)).map((field) => [field.name, field.aiVisible]),
      );
    assert.deepEqual(await stored(), { Phone: true, 'E-mail': true, Open: true, Hidden: false });
    const made = await service.call('POST', `/crm/fields?kanbanId=${board.id}`, {
      body: { name: 'Later', type: 'number', aiVisible: false },
    });
    assert.deepEqual([made.status, made.body.aiVisible], [201, false]);
    const phone = board.fields.find((field) => field.name === 'Phone')!;
    assert.equal((await patch(phone.id, { aiVisible: false })).body.aiVisible, false);
    assert.equal((await patch(phone.id, { description: 'Mobile' })).body.aiVisible, false, 'it stays');
    assert.equal((await patch(made.body.fieldId, { aiVisible: true })).body.aiVisible, true);
    assert.deepEqual(await stored(), {
      Phone: false,
      'E-mail': true,
      Open: true,
      Hidden: false,
      Later: true,
    });
    for (const aiVisible of ['no', 0, null]) {
      assertBadRequest(await patch(phone.id, { aiVisible }), /^aiVisible/);
    }
  });

  describe('reading', () => {
    it('GET /crm/fields without kanbanId answers for the default kanban', async () => {
      const kanbans = (await service.call('GET', '/kanbans?limit=100')).body.items as Kanban[];
      const standard = kanbans.find((one) => one.isDefault)!;
      assert.deepEqual(
        (await fieldsOf('')).map((field) => field.fieldId),
        standard.fields.map((field) => field.id),
      );
      assert.deepEqual(await fieldsOf('?all=false'), await fieldsOf(''));
    });

    it("all=true gives every kanban's fields; kanbanId one kanban's; an unknown kanbanId none", async () => {
      const kanbans = (await service.call('GET', '/kanbans?limit=100')).body.items as Kanban[];
      const all = kanbans.flatMap((one) => one.fields.map((field) => field.id));
      assert.deepEqual(
        (await fieldsOf('?all=true')).map((field) => field.fieldId),
        all,
      );
      assert.ok((await fieldsOf(`?kanbanId=${kanban.id}`)).every((field) => field.kanbanId === kanban.id));
      assert.deepEqual(await fieldsOf(`?kanbanId=${absentId}`), []);
      assert.deepEqual(await fieldsOf('?kanbanId=no-id'), []);
      assertBadRequest(await service.call('GET', '/crm/fields?all=maybe'), 'all must be true or false');
    });

    it('the two shapes: id inside a kanban, fieldId and boundToChannels from /crm/fields', async () => {
      const board = await createKanban(service);
      const made = await createField(service, board.id, 'select', {
        name: 'Size',
        description: 'How big',
        options: ['S', 'M'],
        order: 9,
        boundToChannels: ['sms', 'My shop'],
      });
      const expected = {
        name: 'Size',
        type: 'select',
        description: 'How big',
        options: ['S', 'M'],
        order: 9,
      };
      assert.deepEqual(made, {
        fieldId: made.fieldId,
        kanbanId: board.id,
        ...expected,
        isSystem: false,
        boundToChannels: ['My shop'],
        channelBindings: ['sms', 'My shop'],
        groupId: null,
        aiVisible: true,
      });
      assert.deepEqual((await fieldsOf(`?kanbanId=${board.id}`)).at(-1), made);
      const inside = (await service.call('GET', `/kanbans/${board.id}`)).body.fields.at(-1);
      assert.deepEqual(inside, { id: made.fieldId, ...expected, isSystem: false, groupId: null });
    });

    it('options are present for select types only', async () => {
      const board = await createKanban(service);
      for (const type of fieldTypes) {
        const field = await createField(service, board.id, type);
        assert.equal('options' in field, type === 'select' || type === 'multiselect', type);
      }
    });

    it('fields are listed by their order', async () => {
      const board = await createKanban(service);
      const late = await createField(service, board.id, 'text', { order: 50 });
      const early = await createField(service, board.id, 'text', { order: -1 });
      const last = await createField(service, board.id, 'text');
      assert.equal(last.order, 51);
      const ids = (await fieldsOf(`?kanbanId=${board.id}`)).map((field) => field.fieldId);
      assert.equal(ids[0], early.fieldId);
      assert.deepEqual(ids.slice(-2), [late.fieldId, last.fieldId]);
    });
  });

  describe('creating', () => {
    it('without kanbanId the field stands on the default kanban', async () => {
      const { status, body } = await service.call('POST', '/crm/fields', {
        body: { name: 'Here', type: 'text' },
      });
      assert.equal(status, 201);
      assert.ok((await fieldsOf('')).some((field) => field.fieldId === body.fieldId));
    });

    it('404 for an unknown kanbanId', async () => {
      for (const id of [absentId, 'no-id', '']) {
        const body = { name: 'X', type: 'text' };
        assertNotFound(
          await service.call('POST', `/crm/fields?kanbanId=${id}`, { body }),
          'kanban not found',
        );
      }
    });

    it('400 that names what is missing or wrong', async () => {
      const elsewhere = await createBatcher(service, (await createKanban(service)).id);
      const cases: [object, RegExp][] = [
        [{ type: 'text' }, /^name is required$/],
        [{ name: ' ', type: 'text' }, /^name is required$/],
        [{ name: 'X' }, /^type is required$/],
        [{ name: 'X', type: 'string' }, /^type must be one of text, textarea, number/],
        [{ name: 'X', type: 'select' }, /^options must have at least 1 item$/],
        [{ name: 'X', type: 'multiselect', options: [] }, /^options must have at least 1 item$/],
        [{ name: 'X', type: 'select', options: ['a', 'a'] }, /^options must not contain duplicates$/],
        [{ name: 'X', type: 'select', options: [''] }, /^options\[0\] must not be empty$/],
        [{ name: 'X', type: 'text', options: ['a'] }, /^options/],
        [{ name: 'X', type: 'text', groupId: absentId }, /^groupId/],
        [{ name: 'X', type: 'text', groupId: 'no-id' }, /^groupId/],
        [{ name: 'X', type: 'text', groupId: elsewhere.id }, /^groupId/],
        [{ name: 'X', type: 'text', boundToChannels: 'sms' }, /^boundToChannels must be an array$/],
      ];
      const before = await fieldsOf('?all=true');
      for (const [body, message] of cases) {
        assertBadRequest(await service.call('POST', `/crm/fields?kanbanId=${kanban.id}`, { body }), message);
      }
      assert.deepEqual(await fieldsOf('?all=true'), before);
    });

    it('a place is still found when another field took the highest order there is', async () => {
      const board = await createKanban(service);
      await createField(service, board.id, 'text', { order: 2_147_483_647 });
      await createField(service, board.id, 'text');
      await createBatcher(service, board.id, { order: 2_147_483_647 });
      await createBatcher(service, board.id);
    });
  });

  describe('changing', () => {
    it('only what is supplied changes', async () => {
      const group = await createBatcher(service, kanban.id);
      const field = await createField(service, kanban.id, 'select', { description: 'kept' });
      const change = { name: ' New ', options: ['x'], order: 7, groupId: group.id, boundToChannels: ['web'] };
      const { status, body } = await patch(field.fieldId, change);
      assert.equal(status, 200);
      const bound = { boundToChannels: ['Website'], channelBindings: ['web'] };
      assert.deepEqual(body, { ...field, ...change, ...bound, name: 'New' });
      assert.deepEqual((await patch(field.fieldId, {})).body, body);
      assert.equal((await patch(field.fieldId, { groupId: null })).body.groupId, null);
    });

    it('400 for a blank name, no options or an unknown group; 404 for an unknown field', async () => {
      const field = await createField(service, kanban.id, 'select');
      assertBadRequest(await patch(field.fieldId, { name: '' }), /^name/);
      assertBadRequest(await patch(field.fieldId, { name: ' ' }), 'name is required');
      assertBadRequest(await patch(field.fieldId, { options: [] }), /^options must have at least 1/);
      assertBadRequest(await patch(field.fieldId, { groupId: absentId }), /^groupId/);
      assertNotFound(await patch(absentId, { name: 'X' }), 'field not found');
      assertNotFound(await patch('no-id', { name: 'X' }), 'field not found');
    });

    it('taking an option away leaves stored values as they are', async () => {
      const [one, many] = [
        await createField(service, kanban.id, 'select'),
        await createField(service, kanban.id, 'multiselect'),
      ];
      const customFields = { [one.fieldId]: 'red', [many.fieldId]: ['red', 'green'] };
      const record = await createRecord(service, kanban.id, { customFields });
      for (const field of [one, many]) await patch(field.fieldId, { options: ['green', 'blue'] });
      assert.deepEqual(await readRecord(service, record.recordId), record);
      const renamed = await changeRecord(service, record.recordId, { title: 'Another title' });
      assert.deepEqual(renamed.body.customFields, customFields);
      assertBadRequest(
        await changeRecord(service, record.recordId, { customFields: { [one.fieldId]: 'red ' } }),
      );
    });

    it('text and textarea can be turned into each other while values exist', async () => {
      const field = await createField(service, kanban.id, 'text');
      const record = await createRecord(service, kanban.id, { customFields: { [field.fieldId]: 'kept' } });
      assert.equal((await patch(field.fieldId, { type: 'textarea' })).body.type, 'textarea');
      assert.equal((await patch(field.fieldId, { type: 'text' })).body.type, 'text');
      assert.deepEqual(await readRecord(service, record.recordId), record);
    });

    it('409 for any other retyping while values exist, 200 when none do', async () => {
      const board = await createKanban(service);
      for (const from of fieldTypes) {
        const field = await createField(service, board.id, from);
        const to: FieldType = from === 'number' ? 'currency' : 'number';
        const record = await createRecord(service, board.id, {
          customFields: { [field.fieldId]: samples[from] },
        });
        assertConflict(await patch(field.fieldId, { type: to }), /values/);
        await changeRecord(service, record.recordId, { customFields: { [field.fieldId]: null } });
        assert.equal((await patch(field.fieldId, { type: to })).body.type, to, from);
      }
    });

    it('a select type keeps its options when it becomes the other, loses them when it becomes none', async () => {
      const field = await createField(service, kanban.id, 'select');
      const many = await patch(field.fieldId, { type: 'multiselect' });
      assert.deepEqual(many.body.options, ['red', 'green', 'blue']);
      const text = await patch(field.fieldId, { type: 'text' });
      assert.equal('options' in text.body, false);
      assertBadRequest(await patch(field.fieldId, { type: 'select' }), /^options/);
      assert.equal((await patch(field.fieldId, { type: 'select', options: ['x'] })).status, 200);
    });

    it('a system field can be renamed, but neither retyped nor deleted', async () => {
      const board = await createKanban(service);
      for (const { id } of board.fields) {
        assertConflict(await patch(id, { type: 'text' }), /system/);
        assertConflict(await remove(id), /system/);
        assert.equal((await patch(id, { name: 'Renamed' })).status, 200);
      }
      const names = (await fieldsOf(`?kanbanId=${board.id}`)).map((field) => [field.name, field.isSystem]);
      assert.deepEqual(names, [
        ['Renamed', true],
        ['Renamed', true],
      ]);
    });

    it("a kanban's updatedAt moves with its fields", async () => {
      const board = await createKanban(service);
      const updatedAt = async () => (await service.call('GET', `/kanbans/${board.id}`)).body.updatedAt;
      const steps: number[] = [board.updatedAt];
      const field = await createField(service, board.id, 'text');
      steps.push(await updatedAt());
      await patch(field.fieldId, { name: 'Other' });
      steps.push(await updatedAt());
      await remove(field.fieldId);
      steps.push(await updatedAt());
      assert.ok(
        steps.every((time, i) => i === 0 || time >= steps[i - 1]!),
        `${steps}`,
      );
      assert.ok(steps.at(-1)! > board.updatedAt, `${steps}`);
    });
  });

  describe('deleting', () => {
    it('200 with a message; the values are gone, other values and the events stay', async () => {
      const [gone, kept] = [
        await createField(service, kanban.id, 'text'),
        await createField(service, kanban.id, 'text'),
      ];
      const record = await createRecord(service, kanban.id, {
        customFields: { [gone.fieldId]: 'x', [kept.fieldId]: 'y' },
      });
      const { status, body } = await remove(gone.fieldId);
      assert.equal(status, 200);
      assert.equal(typeof body.message, 'string');
      assert.deepEqual((await readRecord(service, record.recordId)).customFields, { [kept.fieldId]: 'y' });
      assert.ok(!(await fieldsOf('?all=true')).some((field) => field.fieldId === gone.fieldId));
      assertNotFound(await remove(gone.fieldId), 'field not found');
      assertBadRequest(
        await changeRecord(service, record.recordId, { customFields: { [gone.fieldId]: 'z' } }),
        new RegExp(gone.fieldId),
      );
      const events = await eventsOf(service, record.recordId);
      assert.equal(events[0]?.body.data.record.customFields[gone.fieldId], 'x');
    });
  });
});
