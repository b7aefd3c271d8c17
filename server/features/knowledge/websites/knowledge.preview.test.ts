import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { unique } from '../../../../test/support/conversations.ts';
import type { Json } from '../../../../test/support/service.ts';
import { article, linksTo, startWebsite, type Website } from '../../../../test/support/website.ts';
import { type Syncs, startSyncs } from '../../../../test/support/website-syncs.ts';
import { sql } from '../../../platform/db/sql.ts';

describe('a run in review', () => {
  let syncs: Syncs;
  let site: Website;
  let sourceId: string;
  let runId: string;
  before(async () => {
    syncs = await startSyncs();
    site = await startWebsite({
      '/': article('Home', 'Our shop.', '') + linksTo('/returns', '/old'),
      '/returns': article('Returns', 'A sofa comes back within 30 days.'),
      '/old': article('Old', 'Quokkas were sold here.'),
    });
    sourceId = await syncs.create({ startUrls: [`${site.origin}/`] });
    await syncs.sync(sourceId);
    await syncs.call('PATCH', `/sources/${sourceId}`, { settings: { publish: 'review' } });
  });
  after(async () => {
    await site.close();
    await syncs.close();
  });
  const at = async (path: string) =>
    (await syncs.documents(sourceId)).find(({ url }) => url === site.origin + path);

  it('shows how the judged questions would be answered, and changes nothing', async () => {
    const [returns, old] = [await at('/returns'), await at('/old')];
    for (const [q, id] of [
      ['customs duties', returns.id],
      ['quokkas', old.id],
    ]) {
      assert.equal((await syncs.call('POST', '/questions', { q, documentIds: [id] })).status, 201);
    }
    site.pages.set('/', article('Home', 'Our shop.') + linksTo('/returns'));
    site.pages.set(
      '/returns',
      article('Returns', 'A sofa comes back within 30 days. Customs duties are ours.'),
    );
    site.pages.set('/old', { status: 404 });
    const { run } = await syncs.sync(sourceId);
    assert.equal(run.state, 'review');
    runId = run.id;
    const { status, body } = await syncs.call('POST', '/questions/evaluate', { runId });
    assert.equal(status, 200);
    assert.deepEqual(
      body.questions.map(({ placeNow, placeAfter }: { placeNow: number; placeAfter: number }) => [
        placeNow,
        placeAfter,
      ]),
      [
        [null, 1],
        [1, null],
      ],
    );
    const again = await syncs.call('POST', '/questions/evaluate', {});
    assert.deepEqual([again.body.now, again.body.after], [body.now, null]);
  });

  it('counts the replies of 90 days that cite what changes or goes', async () => {
    const { service, accountId, token } = syncs;
    const { id, version } = await at('/returns');
    const cite = async (days: number) => {
      const { status, body, text } = await service.call('POST', '/messages', {
        token,
        body: { content: 'Hello', sessionId: unique('cited'), fromChannelIdentifier: 'api' },
      });
      assert.equal(status, 202, text);
      await service.context.db.autocommit(sql`
        insert into knowledge_citations (account_id, document_id, version, message_id, created_at)
        values (${accountId}, ${id}, ${version}, ${body.userMessage.id}, ${Date.now() - days * 86_400_000})`);
    };
    await cite(0);
    await cite(91);
    const { body } = await syncs.call('GET', `/runs/${runId}/pages`);
    const cited = body.items.map(({ url, citedBy }: Json) => [url.slice(site.origin.length), citedBy]);
    assert.deepEqual(Object.fromEntries(cited), { '/': 0, '/returns': 1, '/old': 0 });
  });
});
