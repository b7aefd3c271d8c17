import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { version } from '../../../contract/version.ts';
import { startTestService, type TestService } from '../../../test/support/service.ts';
import { createOperationsApp } from '../../operations-app.ts';
import { sql } from '../db/sql.ts';
import { enqueue } from '../jobs/jobs.ts';

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

  it('ready says what to look at: the worker, the disk and the migrations', async () => {
    const { db } = service.context;
    const ready = await get('/health/ready');
    assert.deepEqual(ready.body.checks, { worker: 'ok', disk: 'ok', migrations: 'ok' });

    // Nobody takes it: this service has no worker.
    const { accountId } = service.admin;
    await db.transaction((tx) => enqueue(tx, { accountId, kind: 'left' }));
    await db.autocommit(sql`update jobs set run_at = now() - interval '2 minutes' where kind = 'left'`);
    const late = await get('/health/ready');
    assert.deepEqual([late.status, late.body.status, late.body.checks.worker], [200, 'ok', 'late']);
    // What was given up waits for a person, not for a worker.
    await db.autocommit(sql`update jobs set failed_at = now() where kind = 'left'`);
    assert.equal((await get('/health/ready')).body.checks.worker, 'ok');

    const removed = await db.autocommit<{ name: string; checksum: string }>(sql`
      delete from schema_migrations where name = (select max(name) from schema_migrations) returning name, checksum`);
    const pending = await get('/health/ready');
    assert.deepEqual([pending.status, pending.body.status], [503, 'migrations pending']);
    const { name, checksum } = removed[0]!;
    await db.autocommit(sql`insert into schema_migrations (name, checksum) values (${name}, ${checksum})`);
    assert.equal((await get('/health/ready')).status, 200);
  });

  it('ready says that the disk is low, and stays ready: only uploads are rejected', async () => {
    const full = await service.startSecond({ MIN_FREE_DISK_MB: '9000000000' });
    try {
      const { status, body } = await full.call('GET', '/health/ready', { token: null });
      assert.deepEqual([status, body.checks.disk], [200, 'low']);
    } finally {
      await full.close();
    }
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

  it('metrics: without a token for direct calls of this machine only, otherwise with it', async () => {
    const ask = (
      { app }: Pick<TestService, 'app'>,
      remoteAddress: string,
      headers: Record<string, string> = {},
    ) => app.inject({ url: '/metrics', remoteAddress, headers });
    for (const address of ['127.0.0.1', '127.8.0.1', '::1', '::ffff:127.0.0.1']) {
      assert.equal((await ask(service, address)).statusCode, 200, address);
    }
    const refused = [
      await ask(service, '10.0.0.7'),
      await ask(service, '::ffff:10.0.0.7'),
      await ask(service, '127.0.0.1', { 'x-forwarded-for': '203.0.113.9' }),
      await ask(service, '::1', { forwarded: 'for=203.0.113.9' }),
      await ask(service, '10.0.0.7', { authorization: `Bearer ${service.token}` }),
      await ask(service, '10.0.0.7', { authorization: 'Bearer ' }),
    ];
    for (const answer of refused) {
      assert.deepEqual([answer.statusCode, answer.json().code], [401, 'UNAUTHORIZED']);
      assert.match(answer.json().message, /METRICS_TOKEN/);
    }
    const token = 'a-token-for-prometheus';
    const guarded = await service.startSecond({ METRICS_TOKEN: token });
    try {
      for (const authorization of [
        '',
        'Bearer',
        `Bearer ${token}x`,
        `Basic ${token}`,
        `Bearer ${service.token}`,
      ]) {
        assert.equal((await ask(guarded, '127.0.0.1', { authorization })).statusCode, 401, authorization);
      }
      for (const address of ['127.0.0.1', '10.0.0.7']) {
        const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': '203.0.113.9' };
        assert.equal((await ask(guarded, address, headers)).statusCode, 200);
      }
      const own = createOperationsApp(guarded.context);
      assert.equal((await own.inject({ url: '/metrics', remoteAddress: '10.0.0.7' })).statusCode, 200);
      await own.close();
    } finally {
      await guarded.close();
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
