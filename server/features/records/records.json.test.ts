import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createKanban } from '../../../test/support/crm.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';

describe('records as JSON', () => {
  let service: TestService;
  before(async () => {
    service = await joinTestService();
  });
  after(() => service.close());

  it('a record reads the same in every answer that is written straight from its row', async () => {
    const { id: kanbanId } = await createKanban(service, {});
    const field = async (type: string, more: object = {}) => {
      const body = { name: `A ${type}`, type, ...more };
      return (await service.call('POST', `/crm/fields?kanbanId=${kanbanId}`, { body })).body
        .fieldId as string;
    };
    const text = await field('text');
    const values = {
      [text]: 'quotes " and \\ and \u0001 \u2028 \n </script> 😀 é',
      [await field('number')]: 1e21,
      [await field('currency')]: -0.1,
      [await field('boolean')]: false,
      [await field('multiselect', { options: ['a"b', 'c,d'] })]: ['c,d', 'a"b'],
      [await field('textarea')]: '',
    };
    const users = [await service.createUser('operator'), await service.createUser('admin')];
    const body = {
      title: '"Ada" \\ {Lovelace}, 😀\tÀ',
      channelId: 'chan"nel,{}',
      assignedUserIds: users.map((user) => user.id),
      customFields: values,
    };
    const { body: made } = await service.call('POST', `/crm/records?kanbanId=${kanbanId}`, { body });
    assert.deepEqual(made.customFields, values);
    assert.deepEqual(made.assignedUserIds, body.assignedUserIds);
    const get = async (path: string) => (await service.call('GET', path)).body as Json;
    assert.deepEqual(await get(`/crm/records/${made.recordId}`), made);
    assert.deepEqual(await get(`/crm/records?kanbanId=${kanbanId}`), { items: [made], nextToken: null });
    const page = { total: 1, page: 1, pageSize: 20, totalPages: 1 };
    const exact = new URLSearchParams({ customFieldId: text, customFieldValue: values[text] as string });
    assert.deepEqual(await get(`/crm/search?${exact}`), { items: [made], ...page });
    assert.deepEqual(await get(`/crm/search?kanbanId=${kanbanId}`), { items: [made], ...page });
    assert.deepEqual(await get(`/crm/search?kanbanId=${kanbanId}&q=lovelace`), {
      items: [{ ...made, match: { typos: 0, fields: ['title'] } }],
      ...page,
    });
  });
});
