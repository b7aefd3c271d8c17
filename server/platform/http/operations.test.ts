import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { version } from '../../../contract/version.ts';
import { startTestService, type TestService } from '../../../test/support/service.ts';

describe('what those who run the service look at', () => {
  let service: TestService;
  before(async () => {
    service = await startTestService();
  });
  after(() => service.close());

  const get = (path: string) => service.call('GET', path, { token: null });

  it('alive, ready and the version, without a token', async () => {
    assert.deepEqual((await get('/health/live')).body, { status: 'ok' });
    assert.equal((await get('/health/ready')).body.status, 'ok');
    assert.match(version, /^v1\.7\.\d+$/);
    assert.deepEqual((await get('/version')).body, { version });
  });

  it('metrics name routes by their pattern, and no address, id or token', async () => {
    const { body } = await service.call('POST', '/crm/records', { body: { title: 'Measured' } });
    await service.call('GET', `/crm/records/${body.recordId}`);
    await get('/nowhere/at/all');
    const metrics = await get('/metrics');
    assert.match(String(metrics.headers['content-type']), /^text\/plain/);
    assert.match(metrics.text, /route="\/crm\/records\/:recordId"/);
    for (const secret of [body.recordId, 'nowhere', service.token, service.admin.email, 'Measured']) {
      assert.ok(!metrics.text.includes(secret), secret);
    }
  });

  it('every answer carries the version and its own request id', async () => {
    const answers = await Promise.all(
      ['/', '/app/', '/docs', '/health/live', '/metrics', '/nowhere', '/crm/records', '/%zz'].map(get),
    );
    for (const { headers } of answers) {
      assert.equal(headers['x-api-version'], version);
      assert.match(String(headers['x-request-id']), /^[0-9a-f-]{36}$/);
    }
    assert.equal(new Set(answers.map(({ headers }) => headers['x-request-id'])).size, answers.length);
  });

  it('the front door leads to the dashboard', async () => {
    for (const path of ['/', '/app']) {
      const answer = await get(path);
      assert.deepEqual([answer.status, answer.headers.location], [302, '/app/']);
    }
    const page = await get('/app/');
    assert.equal(page.status, 200);
    assert.match(String(page.headers['content-type']), /^text\/html/);
  });
});
