import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { joinTestService, type TestService } from '../../../../test/support/service.ts';
import { sql } from '../../../platform/db/sql.ts';
import { startLookupIndexing } from '../records.ts';

describe('the index of look-ups', () => {
  let service: TestService;
  let fieldId: string;
  before(async () => {
    service = await joinTestService();
    const field = { name: 'Order number', type: 'text' };
    fieldId = (await service.call('POST', '/crm/fields', { body: field })).body.fieldId;
  });
  after(() => service.close());

  const create = (value: string) =>
    service.call('POST', '/crm/records', { body: { title: value, customFields: { [fieldId]: value } } });
  const find = async (value: string) => {
    const query = new URLSearchParams({ customFieldId: fieldId, customFieldValue: value });
    return (await service.call('GET', `/crm/search?${query}`)).body.items.length;
  };
  /** Moves the pages itself, so it can report only once. */
  const pagesWaiting = async () => {
    const [row] = await service.context.db.query<{ pages: number }>(
      sql`select gin_clean_pending_list('records_lookup') as pages`,
    );
    return row!.pages;
  };

  it('takes new keys in bulk, and a record is found before and after', async () => {
    await create('A-1');
    assert.equal(await find('a-1'), 1);
    assert.ok((await pagesWaiting()) > 0, 'the keys wait in the list');

    await create('A-2');
    assert.equal(await find('a-2'), 1);
    await startLookupIndexing(service.context).stop();
    assert.equal(await pagesWaiting(), 0);
    assert.equal(await find('a-2'), 1);
  });
});
