import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestService, type TestService } from '../../../test/support/service.ts';

describe('records', () => {
  let service: TestService;
  before(async () => {
    service = await startTestService();
  });
  after(() => service.close());

  it('201 the created record', async () => {
    const { status, body } = await service.call('POST', '/crm/records', { body: { title: ' Ada ' } });
    assert.equal(status, 201);
    assert.equal(body.title, 'Ada');
    assert.deepEqual(body.assignedUserIds, []);
  });
});
