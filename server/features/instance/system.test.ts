import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { version } from '../../../contract/version.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { type Json, startTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';
import { newId } from '../../platform/ids.ts';
import { housekeepingHandler } from '../../platform/jobs/housekeeping.ts';
import type { Job } from '../../platform/jobs/job.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

const asAdmin = (method: string, path: string) => service.call(method, path, { token: service.admin.jwt });

async function failJob(
  more: { dedupeKey?: string; kind?: string; minutesAgo?: number } = {},
): Promise<string> {
  const id = newId();
  const { dedupeKey = null, kind = 'ai-reply', minutesAgo = 1 } = more;
  await service.context.db.autocommit(sql`
    insert into jobs (account_id, id, kind, payload, dedupe_key, attempts, max_attempts, last_error, failed_at)
    values (${service.admin.accountId}, ${id}, ${kind}, '{}', ${dedupeKey}, 10, 10, 'Error: it did not work',
      now() - make_interval(mins => ${minutesAgo}))`);
  return id;
}
const rowOf = async (id: string) =>
  (
    await service.context.db.query<{ failed: boolean; attempts: number }>(
      sql`select failed_at is not null as failed, attempts from jobs where id = ${id}`,
    )
  )[0];
const clear = () => service.context.db.autocommit(sql`delete from jobs`);

describe('the state of the instance', () => {
  it('200 versions, queues, storage and slow queries', async () => {
    await clear();
    await failJob();
    const { status, body, text } = await asAdmin('GET', '/admin/system');
    assert.equal(status, 200, text);
    assert.equal(body.versions.service, version);
    assert.equal(body.versions.node, process.versions.node);
    assert.match(body.versions.postgres, /^\d+/);
    assert.deepEqual(body.versions.nodes, []);
    assert.deepEqual(body.queues.map(({ queue }: { queue: string }) => queue).sort(), [
      'inbound',
      'jobs',
      'outbound',
      'webhooks',
    ]);
    const jobs = body.queues.find(({ queue }: { queue: string }) => queue === 'jobs');
    assert.deepEqual([jobs.waiting, jobs.failed], [0, 1]);
    assert.ok(body.storage.databaseBytes > 1_000_000);
    assert.ok(body.storage.freeDiskBytes > 0);
    assert.equal(body.unreachableDatabases, 0);
  });

  it('has the text of slow statements, without their values', async () => {
    const secret = 'a value that nobody may see';
    await service.context.db.query(sql`select pg_sleep(0.25), ${secret}::text as slow_in_the_test`);
    const { slowQueries } = (await asAdmin('GET', '/admin/system')).body;
    assert.equal(slowQueries.source, 'process');
    const one = slowQueries.items.find(({ text }: { text: string }) => text.includes('slow_in_the_test'));
    assert.ok(one.maxMs >= 200 && one.count === 1 && one.text.includes('$1'));
    assert.ok(!JSON.stringify(slowQueries).includes(secret));
  });

  it('says which slow statements were those of housekeeping', async () => {
    const { db, logger } = service.context;
    const slow = () => db.query(sql`select pg_sleep(0.25) as slow_in_housekeeping`);
    const run = housekeepingHandler({ db, logger, steps: [{ step: 'slow', run: slow }] });
    await run({ complete: async () => {} } as unknown as Job);
    await slow();
    const { items } = (await asAdmin('GET', '/admin/system')).body.slowQueries;
    const found = items.filter(({ text }: { text: string }) => text.includes('slow_in_housekeeping'));
    const marks = found.map(({ isHousekeeping, count }: Json) => [isHousekeeping, count]);
    assert.deepEqual(marks.sort(), [
      [false, 1],
      [true, 1],
    ]);
    await clear();
  });

  it('has the nodes and their releases', async () => {
    await service.context.db.autocommit(sql`
      insert into api_nodes (id, url, release) values (${newId()}, 'http://10.0.0.1:3000', 'v1.7.1'),
        (${newId()}, 'http://10.0.0.2:3000', null)`);
    assert.deepEqual((await asAdmin('GET', '/admin/system')).body.versions.nodes, [
      { url: 'http://10.0.0.1:3000', version: 'v1.7.1' },
      { url: 'http://10.0.0.2:3000', version: null },
    ]);
  });

  it('403 for all who do not administer the instance', async () => {
    const { jwt, token } = await service.createAccount();
    const id = await failJob();
    for (const caller of [jwt, token]) {
      for (const [method, path] of [
        ['GET', '/admin/system'],
        ['GET', '/admin/failed-jobs'],
        ['POST', `/admin/failed-jobs/${id}/retry`],
        ['DELETE', `/admin/failed-jobs/${id}`],
      ] as const)
        assert.equal((await service.call(method, path, { token: caller })).status, 403, path);
    }
    assert.equal((await rowOf(id))?.failed, true);
    // A token is told that none can do it, whoever it belongs to.
    const { body } = await service.call('GET', '/admin/system', { token: service.token });
    assert.match(body.message, /^an API token cannot be used here/);
  });
});

describe('failed jobs', () => {
  it('are listed newest first, page by page', async () => {
    await clear();
    const ids: string[] = [];
    for (let minutesAgo = 1; minutesAgo <= 5; minutesAgo++) ids.push(await failJob({ minutesAgo }));
    const listed: string[] = [];
    let next = '';
    do {
      const { body } = await asAdmin('GET', `/admin/failed-jobs?limit=2${next}`);
      listed.push(...body.items.map(({ id }: { id: string }) => id));
      next = body.nextToken ? `&nextToken=${body.nextToken}` : '';
      if (listed.length === 2) {
        const [first] = body.items;
        assert.deepEqual(
          [first.kind, first.attempts, first.error, first.accountId],
          ['ai-reply', 10, 'Error: it did not work', service.admin.accountId],
        );
        assert.ok(first.accountName.length > 0);
      }
    } while (next);
    assert.deepEqual(listed, ids);
    assert.equal((await asAdmin('GET', '/admin/failed-jobs?nextToken=forged')).status, 400);
  });

  it('run again with all their attempts', async () => {
    const id = await failJob();
    assert.equal((await asAdmin('POST', `/admin/failed-jobs/${id}/retry`)).status, 200);
    assert.deepEqual(await rowOf(id), { failed: false, attempts: 0 });
    const again = await asAdmin('POST', `/admin/failed-jobs/${id}/retry`);
    assert.deepEqual([again.status, again.body.code], [404, 'NOT_FOUND']);
    const [entry] = (await asAdmin('GET', '/audit-log?action=job.retried')).body.items;
    assert.deepEqual([entry.target, entry.changes], [{ type: 'job', id }, { kind: 'ai-reply' }]);
  });

  it('409 where another job for the same waits already', async () => {
    await clear();
    const id = await failJob({ dedupeKey: 'order-1' });
    await service.context.db.autocommit(sql`
      insert into jobs (account_id, id, kind, payload, dedupe_key, max_attempts)
      values (${service.admin.accountId}, ${newId()}, 'ai-reply', '{}', 'order-1', 10)`);
    const { status, body } = await asAdmin('POST', `/admin/failed-jobs/${id}/retry`);
    assert.deepEqual([status, body.code], [409, 'CONFLICT']);
    assert.equal((await rowOf(id))?.failed, true);
  });

  it('can be discarded; a job that has not failed cannot', async () => {
    await clear();
    const id = await failJob();
    assert.equal((await asAdmin('DELETE', `/admin/failed-jobs/${id}`)).status, 200);
    assert.equal(await rowOf(id), undefined);
    const waiting = newId();
    await service.context.db.autocommit(sql`
      insert into jobs (account_id, id, kind, payload, max_attempts)
      values (${service.admin.accountId}, ${waiting}, 'ai-reply', '{}', 10)`);
    for (const unknown of [waiting, newId(), 'no-id'])
      assert.equal((await asAdmin('DELETE', `/admin/failed-jobs/${unknown}`)).status, 404);
    assert.equal((await rowOf(waiting))?.failed, false);
  });
});

it('a failed job of another database is run again there', async () => {
  const several = await startTestService({ cells: ['eu2'] });
  try {
    const id = newId();
    const { db } = several.contextOf('eu2');
    await eventually(
      async () => (await several.call('GET', '/admin/cells', { token: several.admin.jwt })).status === 200,
    );
    await db.autocommit(sql`
      insert into jobs (account_id, id, kind, payload, max_attempts, failed_at)
      values (${newId()}, ${id}, 'left', '{}', 10, now())`);
    const token = several.admin.jwt;
    const { body } = await several.call('GET', '/admin/failed-jobs', { token });
    assert.deepEqual([body.items[0].id, body.items[0].accountName], [id, null]);
    assert.equal((await several.call('POST', `/admin/failed-jobs/${id}/retry`, { token })).status, 200);
    const [row] = await db.query<{ failed: boolean }>(
      sql`select failed_at is not null as failed from jobs where id = ${id}`,
    );
    assert.equal(row!.failed, false);
  } finally {
    await several.close();
  }
});
