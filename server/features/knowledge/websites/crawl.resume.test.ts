import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../../test/support/eventually.ts';
import { article, linksTo, startWebsite, type Website } from '../../../../test/support/website.ts';
import { type Syncs, startSyncs } from '../../../../test/support/website-syncs.ts';
import { sql } from '../../../platform/db/sql.ts';

const count = 12;
const paths = Array.from({ length: count }, (_, n) => `/${n}`);

describe('a run whose worker ends', () => {
  let syncs: Syncs;
  let site: Website;
  /** Ends the answers that wait. */
  let release: (() => void)[] = [];
  let answersUntil = 0;
  before(async () => {
    syncs = await startSyncs();
    await syncs.worker.stop();
    site = await startWebsite({ '/': article('Home', linksTo(...paths)) });
    let answered = 0;
    for (const path of paths) {
      site.pages.set(path, (_request, response) => {
        const body = article(`Page ${path}`, `The text of ${path}.`);
        if (++answered <= answersUntil) return body;
        release.push(() => void response.writeHead(200, { 'content-type': 'text/html' }).end(body));
        return undefined;
      });
    }
  });
  after(async () => {
    await syncs.close();
    await site.close();
  });

  const timesAsked = () => paths.map((path) => site.asked.filter((one) => one === path).length);

  it('continues with the pages that are not stored', async () => {
    const sourceId = await syncs.create({ startUrls: [`${site.origin}/`] });
    answersUntil = 5;
    const first = syncs.startWorker();
    const runId = await syncs.begin(sourceId);
    await eventually(async () => {
      const { items } = (await syncs.call('GET', `/runs/${runId}/pages?limit=100`)).body;
      return items.length === 6 && release.length === 2;
    });
    await first.stop();
    assert.deepEqual(await syncs.documents(sourceId), [], 'nothing is half published');
    answersUntil = Number.POSITIVE_INFINITY;
    release = [];
    const second = syncs.startWorker();
    const { run } = await syncs.ended(runId);
    await second.stop();
    assert.deepEqual([run.state, run.counts.added], ['published', count + 1]);
    assert.equal((await syncs.documents(sourceId)).length, count + 1);
    assert.equal(site.asked.filter((path) => path === '/').length, 1);
    const twice = timesAsked().filter((times) => times === 2);
    assert.deepEqual([Math.max(...timesAsked()), twice.length], [2, 2], 'only those that were under way');
  });

  it('after a crash reads one page at a time until it is past the pages that it was reading', async () => {
    const { db } = syncs.service.context;
    site.asked.length = 0;
    const sourceId = await syncs.create({ startUrls: [`${site.origin}/`] });
    answersUntil = 0;
    release = [];
    const first = syncs.startWorker();
    const runId = await syncs.begin(sourceId);
    await eventually(() => release.length === 2);
    await first.stop();
    const attempts = async () => {
      const [job] = await db.query<{ attempts: number }>(
        sql`select attempts from jobs where payload ->> 'runId' = ${runId}`,
      );
      return job!.attempts;
    };
    const stored = async () => (await syncs.call('GET', `/runs/${runId}/pages`)).body.items.length;
    await db.autocommit(sql`update jobs set attempts = 1 where payload ->> 'runId' = ${runId}`);
    release = [];
    site.asked.length = 0;
    const second = syncs.startWorker();
    await eventually(() => release.length === 1);
    release.shift()!();
    await eventually(() => release.length === 1);
    assert.deepEqual([site.asked, await stored(), await attempts()], [['/0', '/1'], 2, 2]);
    release.shift()!();
    await eventually(() => release.length === 2);
    assert.deepEqual([site.asked, await stored(), await attempts()], [['/0', '/1', '/2', '/3'], 3, 1]);
    await second.stop();
    // As if the process had died at every attempt.
    await db.autocommit(sql`update jobs set attempts = 5 where payload ->> 'runId' = ${runId}`);
    site.asked.length = 0;
    const third = syncs.startWorker();
    const { run } = await syncs.ended(runId);
    await third.stop();
    assert.deepEqual([run.state, site.asked], ['failed', []]);
    assert.equal(run.reason, 'something went wrong on our side: start it again');
  });

  it('that has lost its lease writes nothing any more', async () => {
    const { db } = syncs.service.context;
    site.asked.length = 0;
    const sourceId = await syncs.create({ startUrls: [`${site.origin}/`] });
    answersUntil = 0;
    release = [];
    const outcomes: string[] = [];
    const worker = syncs.startWorker({}, (_kind, outcome) => outcomes.push(outcome));
    const runId = await syncs.begin(sourceId);
    await eventually(() => release.length === 2);
    const leaseIs = (token: string | null) =>
      db.transaction((tx) =>
        tx.query(sql`
          update jobs set lease_token = ${token}, run_at = case when ${token === null} then now() else run_at end
          where payload ->> 'runId' = ${runId}`),
      );
    await leaseIs('01890000-0000-7000-8000-000000000001');
    for (const answer of release) answer();
    await eventually(() => outcomes.length === 1);
    assert.deepEqual(outcomes, ['lost']);
    await worker.stop();
    const listed = (await syncs.call('GET', `/runs/${runId}/pages`)).body.items;
    assert.deepEqual(
      listed.map(({ url }: { url: string }) => new URL(url).pathname),
      ['/'],
    );
    answersUntil = Number.POSITIVE_INFINITY;
    const next = syncs.startWorker();
    await leaseIs(null);
    db.wake('jobs');
    const { run } = await syncs.ended(runId);
    await next.stop();
    assert.deepEqual([run.state, run.counts.added], ['published', count + 1]);
  });

  it('a cancelled run asks for nothing more', async () => {
    site.asked.length = 0;
    const sourceId = await syncs.create({ startUrls: [`${site.origin}/`] });
    answersUntil = 0;
    release = [];
    const worker = syncs.startWorker();
    const runId = await syncs.begin(sourceId);
    await eventually(() => release.length === 2);
    const cancelled = await syncs.call('POST', `/runs/${runId}/cancel`);
    assert.deepEqual([cancelled.body.state, cancelled.body.counts.added], ['cancelled', 1]);
    for (const answer of release) answer();
    const { db } = syncs.service.context;
    await eventually(
      async () => (await db.query(sql`select from jobs where payload ->> 'runId' = ${runId}`)).length === 0,
    );
    await worker.stop();
    assert.equal(site.asked.length, 3);
    assert.deepEqual(await syncs.documents(sourceId), []);
    assert.deepEqual(await db.query(sql`select from knowledge_run_texts where run_id = ${runId}`), []);
  });
});
