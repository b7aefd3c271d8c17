import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../../test/support/eventually.ts';
import { LiveClient, listen, ticketFor } from '../../../../test/support/live.ts';
import { type Json, startTestService, type TestService } from '../../../../test/support/service.ts';
import { article, linksTo, startWebsite, type Website } from '../../../../test/support/website.ts';
import { sql } from '../../../platform/db/sql.ts';

/** With the worker as it runs in a service. */
describe('syncs in a service', () => {
  let service: TestService;
  let site: Website;
  const clients: LiveClient[] = [];
  before(async () => {
    service = await startTestService({ worker: true, env: { OUTBOUND_ALLOW: '127.0.0.0/8' } });
    site = await startWebsite({
      '/': article('Home', linksTo('/a', '/b', '/c')),
      '/a': article('A', 'The first.'),
      '/b': article('B', 'The second.'),
      '/c': article('C', 'The third.'),
    });
  });
  after(async () => {
    // The service waits for them.
    for (const one of clients) await one.end();
    await site.close();
    await service.close();
  });

  const call = (method: string, path: string, body?: object): Promise<{ status: number; body: Json }> =>
    service.call(method, path, { token: service.admin.jwt, ...(body && { body }) });
  const stateOf = async (runId: string) => (await call('GET', `/knowledge/runs/${runId}`)).body.state;

  it('are polite, and their progress is live for those who may see knowledge', async () => {
    const role = await call('POST', '/roles', { name: 'Cards only', permissions: ['records.view'] });
    const other = await service.createUser('operator');
    await call('PATCH', `/users/${other.id}`, { roleId: role.body.id });
    const url = await listen(service.app);
    const client = new LiveClient(url, await ticketFor(service.call, service.admin.jwt), null);
    const blind = new LiveClient(
      url,
      await ticketFor(service.call, await service.login(other.email, 'correct horse battery')),
      null,
    );
    clients.push(client, blind);
    for (const one of clients) {
      await eventually(() => one.socket.readyState === 1);
      one.say({ type: 'ping' });
      await one.next('hello');
    }
    const settings = { startUrls: [`${site.origin}/`] };
    const source = (await call('POST', '/knowledge/sources', { name: 'Site', kind: 'website', settings }))
      .body;
    const { runId } = (await call('POST', `/knowledge/sources/${source.id}/sync`)).body;
    const began = performance.now();
    const last = await client.next('knowledge_run.updated', ({ run }) => run.state === 'published');
    assert.deepEqual(last, { run: (await call('GET', `/knowledge/runs/${runId}`)).body });
    const lasted = performance.now() - began;
    const events = client.of('knowledge_run.updated');
    assert.ok(events.length <= 4 + lasted / 1_000, `${events.length} events in ${lasted} ms`);
    // robots.txt, the sitemap and four pages: the last one begins five quarters of a second after the first.
    assert.ok(lasted >= 1_200, `${lasted} ms`);
    assert.deepEqual(blind.of('knowledge_run.updated'), []);
  });

  it('start at their time, and notify administrators when they wait for a review', async () => {
    const [source] = (await call('GET', '/knowledge/sources')).body.items.slice(-1);
    const operator = await service.createUser('operator');
    await call('PATCH', `/knowledge/sources/${source.id}`, { settings: { schedule: 'daily' } });
    site.pages.set('/', article('Home', 'Nothing is linked any more.'));
    const { db } = service.context;
    await db.transaction(async (tx) => {
      await tx.query(sql`update knowledge_sources set next_sync_at = 1 where id = ${source.id}`);
      await tx.query(sql`update jobs set run_at = now() where kind = 'knowledge_scheduled_sync'`);
      tx.wake('jobs', 'knowledge_scheduled_sync');
    });
    let runId = source.lastRunId;
    await eventually(async () => {
      runId = (await call('GET', `/knowledge/sources/${source.id}`)).body.lastRunId;
      return runId !== source.lastRunId;
    });
    const after = (await call('GET', `/knowledge/sources/${source.id}`)).body;
    const inHours = (after.nextSyncAt - service.context.clock.now()) / 3_600_000;
    assert.ok(inHours > 23.9 && inHours <= 24, `${inHours} hours`);
    const [job] = await db.query<{ waits: number }>(sql`
      select extract(epoch from run_at - now())::int as waits from jobs where kind = 'knowledge_scheduled_sync'`);
    assert.ok(!job || job.waits > 86_000);
    await eventually(async () => (await stateOf(runId)) === 'review');
    let news: Json;
    await eventually(async () => {
      news = (await call('GET', '/notifications')).body.items.find(
        ({ kind }: Json) => kind === 'knowledge_review',
      );
      return news !== undefined;
    });
    assert.deepEqual(
      [news.title, news.body, news.knowledgeSourceId, news.sessionId],
      ['A website waits for your review', 'Site: 3 of 4 published documents would go', source.id, null],
    );
    const others = (await service.call('GET', '/notifications', { token: operator.jwt })).body.items;
    assert.deepEqual(others, []);
  });
});
