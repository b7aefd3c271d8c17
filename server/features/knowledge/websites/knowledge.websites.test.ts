import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Json, joinTestService, type TestService } from '../../../../test/support/service.ts';
import { sql } from '../../../platform/db/sql.ts';

type Account = Awaited<ReturnType<TestService['createAccount']>>;

describe('sources of the kind website', () => {
  let service: TestService;
  let account: Account;
  before(async () => {
    service = await joinTestService();
    account = await service.createAccount();
  });
  after(() => service.close());

  const call = (
    method: string,
    path: string,
    body?: object,
  ): Promise<{ status: number; body: Json; text: string }> =>
    service.call(method, `/knowledge${path}`, { token: account.jwt, ...(body && { body }) });
  const create = (settings: object, more: object = {}) =>
    call('POST', '/sources', { name: 'Site', kind: 'website', settings, ...more });
  const startUrls = ['https://8.8.8.8/help'];

  it('have settings with defaults', async () => {
    const { status, body, text } = await create({ startUrls: ['https://8.8.8.8/help#top'] });
    assert.equal(status, 201, text);
    assert.deepEqual(body.settings, {
      startUrls,
      sitemapUrls: [],
      include: [],
      exclude: [],
      maxPages: 500,
      maxDepth: 5,
      schedule: 'never',
      publish: 'automatic',
      headers: {},
    });
    assert.deepEqual([body.kind, body.state, body.problem], ['website', 'idle', null]);
    assert.deepEqual([body.lastRunId, body.nextSyncAt], [null, null]);
    const changed = await call('PATCH', `/sources/${body.id}`, {
      settings: { maxPages: 7, include: ['/help'] },
    });
    assert.deepEqual(changed.body.settings, { ...body.settings, maxPages: 7, include: ['/help'] });
    assert.deepEqual((await call('GET', `/sources/${body.id}`)).body, changed.body);
  });

  it('400 names what is wrong', async () => {
    const wrong: [object, RegExp][] = [
      [{}, /^settings\.startUrls is required$/],
      [{ startUrls: [] }, /^settings\.startUrls must have at least 1 item$/],
      [{ startUrls: Array(21).fill(startUrls[0]) }, /^settings\.startUrls must have at most 20 items$/],
      [{ startUrls: ['ftp://8.8.8.8/'] }, /^settings\.startUrls\[0\] must be a valid http or https address$/],
      [
        { startUrls: [...startUrls, 'http://10.0.0.1/'] },
        /^settings\.startUrls\[1\] must not point to a private/,
      ],
      [
        { startUrls: ['http://[::ffff:127.0.0.1]/'] },
        /^settings\.startUrls\[0\] must not point to a private/,
      ],
      [{ startUrls: ['https://a:b@8.8.8.8/'] }, /^settings\.startUrls\[0\] must not contain a user name/],
      [
        { startUrls, sitemapUrls: ['http://localhost/'] },
        /^settings\.sitemapUrls\[0\] must not point to a private/,
      ],
      [
        { startUrls, sitemapUrls: ['http://8.8.8.8/'] },
        /^settings\.sitemapUrls\[0\] must have the scheme, host/,
      ],
      [{ startUrls, include: ['help'] }, /^settings\.include\[0\] must begin with \/$/],
      [{ startUrls, maxPages: 5_001 }, /^settings\.maxPages must be at most 5000$/],
      [{ startUrls, maxDepth: -1 }, /^settings\.maxDepth must be at least 0$/],
      [{ startUrls, schedule: 'hourly' }, /^settings\.schedule must be one of never, daily, weekly$/],
      [{ startUrls, publish: 'maybe' }, /^settings\.publish must be one of automatic, review$/],
      [{ startUrls, headers: { Host: 'x' } }, /^settings\.headers\.Host cannot be sent$/],
      [{ startUrls, headers: { 'a b': 'x' } }, /^settings\.headers\.a b cannot be sent$/],
      [{ startUrls, headers: { A: 'x\ny' } }, /^settings\.headers\.A cannot be sent$/],
      [{ startUrls, headers: { A: '1', a: '2' } }, /^settings\.headers has a more than once$/],
      [
        { startUrls, headers: { A: '********' } },
        /^settings\.headers\.A has no stored value: enter it again$/,
      ],
    ];
    for (const [settings, message] of wrong) {
      const { status, body } = await create(settings);
      assert.equal(status, 400, JSON.stringify(settings));
      assert.match(body.message, message);
    }
    const articles = await call('POST', '/sources', { name: 'x', kind: 'articles', settings: { startUrls } });
    assert.deepEqual(
      [articles.status, articles.body.message],
      [400, 'settings are for sources of the kind website only'],
    );
  });

  it('keep the values of headers to themselves, and forget them with their origin', async () => {
    const { body } = await create({ startUrls, headers: { Authorization: 'Bearer topsecret' } });
    const path = `/sources/${body.id}`;
    const headersOf = async (settings: object) => {
      const answer = await call('PATCH', path, { settings });
      assert.equal(answer.status, 200, answer.text);
      return answer.body.settings.headers;
    };
    const hidden = { Authorization: '********' };
    assert.deepEqual(body.settings.headers, hidden);
    const stored = () =>
      service.context.db.query<Json>(sql`
        select headers, settings::text from knowledge_sources where id = ${body.id}`);
    const [first] = await stored();
    assert.ok(first.headers.startsWith('v1.') && !JSON.stringify(first).includes('topsecret'));
    assert.deepEqual(await headersOf({ headers: { ...hidden, 'X-More': '1' } }), {
      ...hidden,
      'X-More': '********',
    });
    assert.deepEqual(await headersOf({ startUrls: ['https://8.8.8.8/other'] }), {
      ...hidden,
      'X-More': '********',
    });
    const kept = await call('PATCH', path, {
      settings: { startUrls: ['https://1.1.1.1/'], headers: hidden },
    });
    assert.equal(kept.status, 400, 'a hidden value is not taken to another origin');
    assert.deepEqual(await headersOf({ startUrls: ['https://8.8.8.8/', 'https://1.1.1.1/'] }), {});
    assert.equal((await stored())[0].headers, null);
    assert.deepEqual(await headersOf({ headers: { A: 'x' } }), { A: '********' });
    assert.deepEqual(await headersOf({ headers: {} }), {});
    const audit = await service.call('GET', '/audit-log?limit=100', { token: account.jwt });
    assert.ok(audit.text.includes('knowledge_source.updated') && !audit.text.includes('topsecret'));
  });

  it('have a time for the next sync if they have a schedule', async () => {
    const { body } = await create({ startUrls, schedule: 'daily' });
    const day = 86_400_000;
    assert.equal(body.nextSyncAt, body.createdAt + day);
    const weekly = (await call('PATCH', `/sources/${body.id}`, { settings: { schedule: 'weekly' } })).body;
    assert.equal(weekly.nextSyncAt, weekly.updatedAt + 7 * day);
    const same = (await call('PATCH', `/sources/${body.id}`, { name: 'Other', settings: { maxPages: 3 } }))
      .body;
    assert.equal(same.nextSyncAt, weekly.nextSyncAt);
    const never = (await call('PATCH', `/sources/${body.id}`, { settings: { schedule: 'never' } })).body;
    assert.equal(never.nextSyncAt, null);
  });

  it('are synced once at a time; a run can be cancelled, and goes with its source', async () => {
    const { id } = (await create({ startUrls })).body;
    const started = await call('POST', `/sources/${id}/sync`);
    const { runId } = started.body;
    assert.equal(started.status, 202);
    const again = await call('POST', `/sources/${id}/sync`);
    assert.deepEqual([again.status, again.body.code], [409, 'SYNC_RUNNING']);
    const source = (await call('GET', `/sources/${id}`)).body;
    assert.deepEqual([source.state, source.lastRunId], ['syncing', runId]);
    const run = (await call('GET', `/runs/${runId}`)).body;
    const { startedAt, ...rest } = run;
    assert.ok(startedAt > 0);
    assert.deepEqual(rest, {
      id: runId,
      sourceId: id,
      state: 'running',
      endedAt: null,
      reason: null,
      counts: { found: 0, added: 0, changed: 0, unchanged: 0, gone: 0, skipped: 0, failed: 0 },
    });
    assert.deepEqual((await call('GET', `/runs/${runId}/pages`)).body, { items: [], nextToken: null });
    const published = await call('POST', `/runs/${runId}/publish`);
    assert.deepEqual([published.status, published.body.code], [409, 'CONFLICT']);
    const cancelled = await call('POST', `/runs/${runId}/cancel`);
    assert.deepEqual([cancelled.status, cancelled.body.state], [200, 'cancelled']);
    assert.ok(cancelled.body.endedAt >= startedAt);
    assert.equal((await call('POST', `/runs/${runId}/cancel`)).status, 409);
    const second = (await call('POST', `/sources/${id}/sync`)).body.runId;
    const changed = await call('PATCH', `/sources/${id}`, {
      settings: { schedule: 'daily', publish: 'review' },
    });
    assert.equal(changed.body.state, 'syncing', 'it reads the same');
    await call('PATCH', `/sources/${id}`, { settings: { maxPages: 3 } });
    const ended = (await call('GET', `/runs/${second}`)).body;
    assert.deepEqual([ended.state, ended.reason], ['cancelled', 'the settings of the website were changed']);
    const runs = (await call('GET', `/sources/${id}/runs?limit=1`)).body;
    const older = (await call('GET', `/sources/${id}/runs?nextToken=${runs.nextToken}`)).body;
    assert.deepEqual([runs.items, older.items], [[ended], [cancelled.body]]);
    assert.equal((await call('DELETE', `/sources/${id}`)).status, 200);
    assert.equal((await call('GET', `/runs/${second}`)).status, 404);
  });

  it('only websites are synced, and only articles are written', async () => {
    const articles = (await call('GET', '/sources')).body.items[0];
    const sync = await call('POST', `/sources/${articles.id}/sync`);
    assert.deepEqual(
      [sync.status, sync.body.message],
      [400, 'only a source of the kind website can be synced'],
    );
    assert.deepEqual((await call('GET', `/sources/${articles.id}/runs`)).body.items, []);
    const { id } = (await create({ startUrls })).body;
    const document = await call('POST', '/documents', { sourceId: id, title: 'x', text: 'y' });
    assert.deepEqual([document.status, document.body.message], [400, 'sourceId is not a source of articles']);
  });
});
