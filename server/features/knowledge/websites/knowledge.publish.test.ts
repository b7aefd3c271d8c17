import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Json } from '../../../../test/support/service.ts';
import { article, linksTo, startWebsite, type Website } from '../../../../test/support/website.ts';
import { type Syncs, startSyncs } from '../../../../test/support/website-syncs.ts';
import { sql } from '../../../platform/db/sql.ts';
import { systemActor } from '../../accounts/accounts.ts';
import { PreparedTooEarly } from './knowledge.prepare.ts';
import { prepareReviewed, publishReviewed } from './knowledge.review.ts';

describe('a run that is prepared', () => {
  let syncs: Syncs;
  let site: Website;
  let sourceId: string;
  before(async () => {
    syncs = await startSyncs();
    site = await startWebsite({ '/': article('Home', linksTo('/a', '/b')) });
    for (const path of ['/a', '/b']) site.pages.set(path, article(path, `The old marmalade of ${path}.`));
    sourceId = await syncs.create({ startUrls: [`${site.origin}/`], publish: 'review' });
    const { run } = await syncs.sync(sourceId);
    assert.equal((await syncs.call('POST', `/runs/${run.id}/publish`)).status, 200);
    await syncs.ended(run.id);
  });
  after(async () => {
    await syncs.close();
    await site.close();
  });

  /** A new page, a changed one and one that goes. */
  const stage = async (number: number): Promise<string> => {
    site.pages.set('/', article('Home', linksTo('/a', '/b', `/new-${number}`)));
    site.pages.set('/a', article('/a', `The marmalade number${number} of /a.`));
    site.pages.set(`/new-${number}`, article('New', `Another marmalade number${number}.`));
    const { run } = await syncs.sync(sourceId);
    assert.equal(run.state, 'review');
    return run.id;
  };
  const actor = () => systemActor(syncs.accountId);
  const prepare = (runId: string) => prepareReviewed(syncs.service.context.db, actor(), Date.now(), runId);
  const firstSentence = ({ excerpt }: Json) => excerpt.slice(0, excerpt.indexOf('.'));
  /** All that a reader gets. */
  const seen = async () => {
    const documents = await syncs.documents(sourceId);
    const versions = await Promise.all(
      documents.map(async ({ id }) => (await syncs.call('GET', `/documents/${id}/versions`)).body.items),
    );
    const { passages } = (await syncs.call('POST', '/search', { q: 'marmalade', limit: 50 })).body;
    const counts = (await syncs.call('GET', `/sources/${sourceId}`)).body.counts;
    return { documents, versions, counts, passages: passages.map(firstSentence).sort() };
  };
  const rows = async () => {
    const [row] = await syncs.service.context.db.query(sql`
      select (select count(*)::int from knowledge_documents where account_id = ${syncs.accountId}) as documents,
        (select count(*)::int from knowledge_versions where account_id = ${syncs.accountId}) as versions,
        (select count(*)::int from knowledge_passages where account_id = ${syncs.accountId}) as passages,
        (select count(*)::int from knowledge_run_texts where account_id = ${syncs.accountId}) as texts`);
    return row;
  };
  const documentAt = async (path: string): Promise<Json> =>
    (await syncs.documents(sourceId)).find(({ url }) => url === site.origin + path)!;

  it('is found by nobody, needs no lock of the account, and leaves nothing when it is cancelled', async () => {
    const [before, rowsBefore] = [await seen(), await rows()];
    const runId = await stage(1);
    const { db } = syncs.service.context;
    await db.transaction(async (tx) => {
      await tx.query(sql`select from knowledge_state where account_id = ${syncs.accountId} for update`);
      assert.equal((await prepare(runId))?.added.length, 1);
    });
    assert.deepEqual(await seen(), before);
    const { items } = (await syncs.call('GET', `/runs/${runId}/pages`)).body;
    const added = items.find(({ verdict }: Json) => verdict === 'added');
    assert.equal(added.documentId, null);
    const { id } = await documentAt('/a');
    assert.equal((await syncs.call('GET', `/documents/${id}?version=2`)).status, 404);

    assert.equal((await syncs.call('POST', `/runs/${runId}/cancel`)).status, 200);
    await syncs.ended(runId);
    assert.deepEqual([await seen(), await rows()], [before, rowsBefore]);
  });

  it('is prepared again if somebody changes one of its documents meanwhile', async () => {
    const runId = await stage(2);
    const { db } = syncs.service.context;
    const prepared = await prepare(runId);
    const { id } = await documentAt('/a');
    // The passages that are prepared stay when those in use are taken away and come back.
    for (const state of ['draft', 'published', 'draft']) {
      assert.equal((await syncs.call('PATCH', `/documents/${id}`, { state })).status, 200);
    }
    const tooEarly = db.transaction((tx) => publishReviewed(tx, actor(), Date.now(), runId, prepared));
    await assert.rejects(tooEarly, PreparedTooEarly);
    assert.equal((await syncs.call('POST', `/runs/${runId}/publish`)).body.state, 'published');
    await syncs.ended(runId);
    const changed = await documentAt('/a');
    assert.deepEqual([changed.state, changed.version, changed.publishedVersion], ['draft', 2, null]);
    assert.deepEqual((await seen()).passages, ['Another marmalade number2', 'The old marmalade of /b']);
    assert.equal((await syncs.call('PATCH', `/documents/${id}`, { state: 'published' })).status, 200);
    assert.equal((await seen()).passages.length, 3);
  });

  it('is published although its passages came and went, and leaves only what is in use', async () => {
    const runId = await stage(3);
    const prepared = await prepare(runId);
    const { id } = await documentAt('/a');
    for (const state of ['draft', 'published']) await syncs.call('PATCH', `/documents/${id}`, { state });
    const { db } = syncs.service.context;
    await db.transaction((tx) => publishReviewed(tx, actor(), Date.now(), runId, prepared));
    await syncs.ended(runId);
    assert.deepEqual((await seen()).passages, [
      'Another marmalade number3',
      'The marmalade number3 of /a',
      'The old marmalade of /b',
    ]);
    const { items } = (await syncs.call('GET', `/runs/${runId}/pages`)).body;
    assert.equal(
      items.find(({ verdict }: Json) => verdict === 'added').documentId,
      (await documentAt('/new-3')).id,
    );
    const published = (await seen()).documents.filter(({ state }: Json) => state === 'published').length;
    const { passages, texts } = (await rows()) as Json;
    assert.deepEqual([passages, texts], [published, 0]);
    const { run } = await syncs.sync(sourceId);
    assert.equal(run.counts.changed, 0, 'the next run knows what the last one has read');
  });
});
