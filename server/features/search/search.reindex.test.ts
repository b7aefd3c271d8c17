import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Json, startTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';
import { reindex } from './search.reindex.ts';

describe('reindex', () => {
  let service: TestService;
  let email: string;
  before(async () => {
    service = await startTestService();
    const { body } = await service.call('GET', '/crm/fields');
    email = body.fields.find((field: Json) => field.name === 'E-mail').fieldId;
    for (let i = 0; i < 30; i++) {
      const body = { title: `R${i}`, customFields: { [email]: `r${i}@example.com` } };
      await service.call('POST', '/crm/records', { body });
    }
  });
  after(() => service.close());

  const rows = () => service.context.db.query(sql`select *, xmin::text, ctid::text from records order by id`);
  const find = async (value: string) =>
    (await service.call('GET', `/crm/search?customFieldId=${email}&customFieldValue=${value}`)).body.total;

  it('changes nothing on a healthy index', async () => {
    const before = await rows();
    const seen: number[] = [];
    const result = await reindex(service.context.db, ({ done }) => seen.push(done));
    assert.deepEqual(result, { done: 30, total: 30, mended: 0 });
    assert.deepEqual(seen, [0, 30]);
    assert.deepEqual(await rows(), before);
  });

  it('fixes keys that are missing or wrong', async () => {
    await service.context.db.transaction((tx) =>
      tx.query(sql`update records set lookup_keys = '{1}' where title in ('R1', 'R2')`),
    );
    assert.equal(await find('r1@example.com'), 0);
    const result = await reindex(service.context.db, () => {});
    assert.equal(result.mended, 2);
    assert.equal(await find('R1@EXAMPLE.COM'), 1);
  });
});
