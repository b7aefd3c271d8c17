import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Json } from '../../../../test/support/service.ts';
import { article, linksTo, startWebsite, type Website } from '../../../../test/support/website.ts';
import { type Syncs, startSyncs } from '../../../../test/support/website-syncs.ts';
import { sql } from '../../../platform/db/sql.ts';
import { systemActor } from '../../accounts/accounts.ts';
import { prepareReviewed, publishReviewed } from './knowledge.review.ts';

describe('reading a website', () => {
  let syncs: Syncs;
  const sites: Website[] = [];
  before(async () => {
    syncs = await startSyncs();
  });
  after(async () => {
    await syncs.close();
    await Promise.all(sites.map((site) => site.close()));
  });

  const serve = async (pages: Parameters<typeof startWebsite>[0]) => {
    const site = await startWebsite(pages);
    sites.push(site);
    return site;
  };
  /** `path verdict code`, sorted. */
  const listed = (pages: Json[]) =>
    pages
      .map(({ url, verdict, reasonCode }) => {
        const { pathname, search } = new URL(url);
        return [pathname + search, verdict, reasonCode].filter(Boolean).join(' ');
      })
      .sort();
  const reasonOf = (pages: Json[], path: string) => pages.find(({ url }) => url.endsWith(path))?.reason;

  it('follows its links and publishes its pages as documents', async () => {
    const site = await serve({
      '/': article(
        'Home',
        `Welcome. ${linksTo('/a', '/b#part', '/pic.png', 'mailto:a@b.c', 'https://other.example/')}`,
      ),
      '/a': article('Returns', `You can return <b>everything</b>. ${linksTo('/', '/c')}`),
      '/b': article('Shipping', 'We ship on Mondays.'),
      '/c': { status: 500 },
    });
    const sourceId = await syncs.create({ startUrls: [`${site.origin}/`] });
    const { run, pages } = await syncs.sync(sourceId);
    assert.deepEqual([run.state, run.reason], ['published', null]);
    assert.deepEqual(run.counts, {
      found: 4,
      added: 3,
      changed: 0,
      unchanged: 0,
      gone: 0,
      skipped: 0,
      failed: 1,
    });
    assert.deepEqual(listed(pages), ['/ added', '/a added', '/b added', '/c failed http_error']);
    const failed = pages.find(({ url }) => url.endsWith('/c'));
    assert.deepEqual(
      [failed.httpStatus, failed.reason, failed.documentId, failed.citedBy],
      [500, 'the site answered 500', null, 0],
    );
    const documents = await syncs.documents(sourceId);
    const returns = documents.find(({ title }) => title === 'Returns');
    assert.equal(returns.url, `${site.origin}/a`);
    assert.match(returns.text, /You can return \*\*everything\*\*/);
    assert.deepEqual(
      [returns.state, returns.version, returns.language, returns.audience],
      ['published', 1, 'en', 'public'],
    );
    assert.equal(pages.find(({ url }) => url === returns.url).documentId, returns.id);
    const { passages } = (await syncs.call('POST', '/search', { q: 'ship mondays', sourceIds: [sourceId] }))
      .body;
    assert.equal(passages[0].url, `${site.origin}/b`);
    const source = (await syncs.call('GET', `/sources/${sourceId}`)).body;
    assert.deepEqual([source.state, source.lastRunId, source.counts.published], ['idle', run.id, 3]);
    assert.equal(site.requests[0]!.headers['user-agent'], 'Talkboard');
  });

  it('the next run changes what has changed, and asks with the ETag', async () => {
    const tagged = (body: string, tag: string) => (request: { headers: Record<string, unknown> }) =>
      request.headers['if-none-match'] === tag
        ? { status: 304 }
        : { body, headers: { etag: tag, 'last-modified': 'Mon, 01 Jan 2024 00:00:00 GMT' } };
    const site = await serve({
      '/': tagged(
        article('Home', linksTo('/same', '/new-text', '/new-title', '/goes', '/x', '/y', '/z')),
        '"1"',
      ) as never,
      '/same': article('Same', 'Stays as it is.'),
      '/new-text': article('Text', 'Before.'),
      '/new-title': article('Before', 'The same words.').replace('<h1>Before</h1>', ''),
      '/goes': article('Goes', 'Will be gone.'),
      '/x': article('X', 'One more page.'),
      '/y': article('Y', 'Two more pages.'),
      '/z': article('Z', 'Three more pages.'),
    });
    const sourceId = await syncs.create({ startUrls: [`${site.origin}/`] });
    await syncs.sync(sourceId);
    const before = await syncs.documents(sourceId);
    site.pages.set('/new-text', article('Text', 'After.'));
    site.pages.set('/new-title', article('After', 'The same words.').replace('<h1>After</h1>', ''));
    site.pages.delete('/goes');
    site.requests.length = 0;
    const { run, pages } = await syncs.sync(sourceId);
    assert.equal(run.state, 'published');
    assert.deepEqual(listed(pages), [
      '/ unchanged',
      '/goes gone http_error',
      '/new-text changed',
      '/new-title changed',
      '/same unchanged',
      '/x unchanged',
      '/y unchanged',
      '/z unchanged',
    ]);
    const home = site.requests.find(({ url }) => url === '/')!;
    assert.deepEqual([home.headers['if-none-match'], home.headers['if-modified-since']], ['"1"', undefined]);
    const after = await syncs.documents(sourceId);
    const byUrl = (documents: Json[], path: string) =>
      documents.find(({ url }) => url === site.origin + path);
    assert.deepEqual([byUrl(after, '/new-text').version, byUrl(after, '/new-title').title], [2, 'After']);
    assert.match(byUrl(after, '/new-text').text, /After/);
    assert.deepEqual(byUrl(after, '/same'), byUrl(before, '/same'));
    const { state, publishedVersion, version } = byUrl(after, '/goes');
    assert.deepEqual([state, publishedVersion, version], ['gone', null, 1]);
    const { passages } = (await syncs.call('POST', '/search', { q: 'gone', sourceIds: [sourceId] })).body;
    assert.deepEqual(passages, []);
    site.pages.set('/goes', article('Goes', 'Will be gone.'));
    const third = await syncs.sync(sourceId);
    assert.ok(listed(third.pages).includes('/goes added'));
    const back = byUrl(await syncs.documents(sourceId), '/goes');
    assert.deepEqual([back.id, back.state, back.version], [byUrl(before, '/goes').id, 'published', 1]);
  });

  it('a review that is asked for while the website is read is waited for', async () => {
    let sourceId = '';
    const site = await serve({
      '/': (_request, response) => {
        void syncs
          .call('PATCH', `/sources/${sourceId}`, { settings: { publish: 'review' } })
          .then(({ status }) =>
            response
              .writeHead(200, { 'content-type': 'text/html' })
              .end(status === 200 ? article('Home', 'Welcome.') : ''),
          );
        return undefined;
      },
    });
    sourceId = await syncs.create({ startUrls: [`${site.origin}/`] });
    const { run } = await syncs.sync(sourceId);
    assert.deepEqual([run.state, run.reason], ['review', 'the settings ask for a review']);
    assert.deepEqual(await syncs.documents(sourceId), []);
  });

  it('leaves out what robots.txt, paths, noindex and limits exclude, and says why', async () => {
    const site = await serve({
      '/robots.txt': {
        body: 'User-agent: *\nDisallow: /help/secret\n',
        headers: { 'content-type': 'text/plain' },
      },
      '/help': article(
        'Help',
        linksTo(
          '/help/a',
          '/help/secret',
          '/blog',
          '/help/old/x',
          '/help/noindex',
          '/help/header',
          '/help/empty',
          '/help/picture',
        ),
      ),
      '/help/a': article('A', linksTo('/help/deep')),
      '/help/deep': article('Deep', linksTo('/help/deeper')),
      '/help/noindex': article('N', 'Not for machines.', '<meta name="robots" content="noindex">'),
      '/help/header': { body: article('H', 'Not either.'), headers: { 'x-robots-tag': 'noindex' } },
      '/help/empty': '<!doctype html><html><body><div id="app"></div><script>start()</script></body></html>',
      '/help/picture': { body: 'x', headers: { 'content-type': 'image/png' } },
    });
    const sourceId = await syncs.create({
      startUrls: [`${site.origin}/help`],
      include: ['/help'],
      exclude: ['/help/old'],
      maxDepth: 2,
    });
    const { run, pages } = await syncs.sync(sourceId);
    assert.equal(run.state, 'published');
    assert.deepEqual(listed(pages), [
      '/blog skipped outside',
      '/help added',
      '/help/a added',
      '/help/deep added',
      '/help/deeper skipped limit',
      '/help/empty skipped no_text',
      '/help/header skipped noindex',
      '/help/noindex skipped noindex',
      '/help/old/x skipped outside',
      '/help/picture skipped no_text',
      '/help/secret skipped robots',
    ]);
    assert.deepEqual(
      ['/blog', '/secret', '/empty', '/noindex', '/old/x', '/deeper'].map((path) => reasonOf(pages, path)),
      [
        'outside of /help',
        'robots.txt does not allow it',
        'no text without JavaScript',
        'the page says noindex',
        'inside of /help/old, which is excluded',
        'more than 2 links away from the first page',
      ],
    );
    assert.ok(!site.asked.some((path) => /secret|blog|old|deeper/.test(path)), String(site.asked));
  });

  it('follows robots.txt on the origins of the source, and fails if it is elsewhere', async () => {
    const other = await serve({ '/robots.txt': 'User-agent: *\nDisallow: /' });
    const site = await serve({
      '/robots.txt': { status: 301, headers: { location: '/rules' } },
      '/rules': { body: 'User-agent: *\nDisallow: /secret', headers: { 'content-type': 'text/plain' } },
      '/': article('Home', linksTo('/secret', '/a')),
      '/a': article('A', 'A page.'),
    });
    const sourceId = await syncs.create({ startUrls: [`${site.origin}/`] });
    const { pages } = await syncs.sync(sourceId);
    assert.deepEqual(listed(pages), ['/ added', '/a added', '/secret skipped robots']);
    const away: [string, string][] = [
      [`${other.origin}/robots.txt`, `redirects to ${other.origin}/robots.txt, outside of ${site.origin}`],
      ['http://10.0.0.1/robots.txt', `redirects to http://10.0.0.1/robots.txt, outside of ${site.origin}`],
      ['/robots.txt', 'more than 5 redirects'],
    ];
    for (const [location, reason] of away) {
      site.pages.set('/robots.txt', { status: 301, headers: { location } });
      const { run } = await syncs.sync(sourceId);
      assert.deepEqual(
        [run.state, run.reason],
        ['failed', `${site.origin}/robots.txt could not be read: ${reason}`],
      );
    }
    assert.equal(other.requests.length, 0);
  });

  it('reads sitemaps and their indexes, also compressed ones', async () => {
    const xml = (body: string | Buffer) => ({ body, headers: { 'content-type': 'application/xml' } });
    const site: Website = await serve({
      '/robots.txt': () => ({
        body: `Sitemap: ${site.origin}/index.xml`,
        headers: { 'content-type': 'text/plain' },
      }),
      '/index.xml': () =>
        xml(
          `<sitemapindex>${['/one.xml', '/two.xml.gz', '/index.xml', '/missing.xml'].map((path) => `<sitemap><loc>${site.origin}${path}</loc></sitemap>`).join('')}<sitemap><loc>http://127.0.0.2/x.xml</loc></sitemap></sitemapindex>`,
        ),
      '/one.xml': () =>
        xml(
          `<urlset><url><loc>${site.origin}/a</loc></url><url><loc>http://other.example/</loc></url></urlset>`,
        ),
      '/two.xml.gz': () => xml(gzipSync(`<urlset><url><loc>${site.origin}/b</loc></url></urlset>`)),
      '/': article('Home', 'Nothing links from here.'),
      '/a': article('A', 'The first page.'),
      '/b': article('B', 'The second page.'),
    });
    const sourceId = await syncs.create({ startUrls: [`${site.origin}/`] });
    const { pages } = await syncs.sync(sourceId);
    assert.deepEqual(listed(pages), ['/ added', '/ skipped outside', '/a added', '/b added']);
    assert.equal(site.asked.filter((path) => path === '/index.xml').length, 1);
    const named = await syncs.create({
      startUrls: [`${site.origin}/`],
      sitemapUrls: [`${site.origin}/missing.xml`],
    });
    const second = await syncs.sync(named);
    assert.deepEqual(listed(second.pages), ['/ added', '/missing.xml failed http_error']);
  });

  it('one text is one document: redirects, canonical addresses and copies', async () => {
    const site: Website = await serve({
      '/': article('Home', linksTo('/a?utm=1', '/moved', '/copy', '/slash', '/loop', '/one', '/two')),
      '/a?utm=1': () =>
        article('A', 'The page that has one address.', `<link rel="canonical" href="${site.origin}/a">`),
      '/a': article('A', 'The page that has one address.'),
      '/moved': { status: 301, headers: { location: '/target' } },
      '/target': article('T', 'The page that was moved.'),
      '/copy': article('T', 'The page that was moved.'),
      '/slash': () =>
        article(
          'S',
          'A page whose canonical address leads back.',
          `<link rel="canonical" href="${site.origin}/slash/">`,
        ),
      '/slash/': { status: 302, headers: { location: '/slash' } },
      '/loop': { status: 302, headers: { location: '/loop2' } },
      '/loop2': { status: 302, headers: { location: '/loop' } },
      '/one': () =>
        article(
          'One',
          'Each of the two names the other: one.',
          `<link rel="canonical" href="${site.origin}/two">`,
        ),
      '/two': () =>
        article(
          'Two',
          'Each of the two names the other: two.',
          `<link rel="canonical" href="${site.origin}/one">`,
        ),
    });
    const sourceId = await syncs.create({ startUrls: [`${site.origin}/`] });
    const { pages } = await syncs.sync(sourceId);
    const documents = (await syncs.documents(sourceId)).map(({ url }) => new URL(url).pathname).sort();
    assert.equal(documents.filter((path) => path === '/a').length, 1);
    assert.equal(documents.filter((path) => path === '/copy' || path === '/target').length, 1);
    assert.equal(documents.filter((path) => path === '/one' || path === '/two').length, 1);
    assert.equal(documents.length, 5, String(documents));
    assert.ok(documents.includes('/slash') && documents.includes('/'));
    const skipped = pages.filter(({ verdict }) => verdict === 'skipped');
    assert.ok(skipped.every(({ reasonCode }) => reasonCode === 'duplicate'));
    assert.equal(reasonOf(pages, '/moved'), 'redirects to /target');
    assert.match(reasonOf(pages, '/copy') ?? reasonOf(pages, '/target'), /^same text as \//);
    assert.equal(reasonOf(pages, '/a?utm=1'), 'the page names /a as its address');
    const again = await syncs.sync(sourceId);
    assert.deepEqual([again.run.counts.unchanged, again.run.counts.gone, again.run.counts.added], [5, 0, 0]);
  });

  it('a page that is gone for 90 days and that no reply cites is deleted', async () => {
    const paths = ['/1', '/2', '/3', '/4', '/5', '/6', '/7', '/8'];
    const site = await serve({
      '/': article('Home', linksTo(...paths)),
      ...Object.fromEntries(paths.map((path) => [path, article(path, `The text of ${path}.`)])),
    });
    const sourceId = await syncs.create({ startUrls: [`${site.origin}/`] });
    await syncs.sync(sourceId);
    const published = await syncs.documents(sourceId);
    const at = (path: string) => published.find(({ url }) => url === site.origin + path)!.id;
    const { db } = syncs.service.context;
    const message = await syncs.service.call('POST', '/messages', {
      token: syncs.token,
      body: { content: 'Hello', sessionId: 'cites-a-page', fromChannelIdentifier: 'api' },
    });
    await db.autocommit(sql`
      insert into knowledge_citations (account_id, document_id, version, message_id, created_at)
      values (${syncs.accountId}, ${at('/1')}, 1, ${message.body.userMessage.id}, ${Date.now()})`);
    for (const path of ['/1', '/2']) site.pages.delete(path);
    await syncs.sync(sourceId);
    const isOld = sql`account_id = ${syncs.accountId} and id = any(${['/1', '/2'].map(at)}::uuid[])`;
    const state = () =>
      db.query(sql`select documents, bytes::int from knowledge_state where account_id = ${syncs.accountId}`);
    const counted = () =>
      db.query(sql`
        select count(*)::int as documents, sum(bytes)::int as bytes from knowledge_documents
        where account_id = ${syncs.accountId}`);
    await db.autocommit(
      sql`update knowledge_documents set updated_at = updated_at - ${89 * 86_400_000}::bigint where ${isOld}`,
    );
    await syncs.sync(sourceId);
    assert.equal((await syncs.documents(sourceId)).length, 9);
    await db.autocommit(
      sql`update knowledge_documents set updated_at = updated_at - ${2 * 86_400_000}::bigint where ${isOld}`,
    );
    await syncs.sync(sourceId);
    const left = (await syncs.documents(sourceId)).map(({ id }) => id);
    assert.deepEqual([left.length, left.includes(at('/1')), left.includes(at('/2'))], [8, true, false]);
    assert.deepEqual(await state(), await counted());
  });

  it('tries a busy page four times', async () => {
    let asked = 0;
    const site = await serve({
      '/': article('Home', linksTo('/busy', '/later')),
      '/busy': { status: 429 },
      '/later': () =>
        ++asked < 3 ? { status: 503, headers: { 'retry-after': '0' } } : article('Later', 'Now it works.'),
    });
    const sourceId = await syncs.create({ startUrls: [`${site.origin}/`] });
    const { pages } = await syncs.sync(sourceId);
    assert.deepEqual(listed(pages), ['/ added', '/busy failed http_error', '/later added']);
    assert.equal(reasonOf(pages, '/busy'), '429, tried 4 times');
    assert.equal(site.asked.filter((path) => path === '/busy').length, 4);
  });

  it('a run fails as a whole, and changes nothing', async () => {
    const site = await serve({ '/': article('Home', linksTo('/a')), '/a': article('A', 'A page.') });
    const sourceId = await syncs.create({ startUrls: [`${site.origin}/`] });
    await syncs.sync(sourceId);
    const before = await syncs.documents(sourceId);
    const failing: [string, () => void, RegExp][] = [
      [
        'robots.txt with a 5xx',
        () => site.pages.set('/robots.txt', { status: 500 }),
        /robots\.txt could not be read: the site answered 500$/,
      ],
      [
        'no answer to robots.txt',
        () =>
          site.pages.set('/robots.txt', (request) => {
            request.destroy();
            return undefined;
          }),
        /robots\.txt could not be read: connection/,
      ],
      [
        'nothing allowed',
        () => site.pages.set('/robots.txt', 'User-agent: *\nDisallow: /'),
        /^no page could be read\. \/: robots\.txt does not allow it$/,
      ],
      [
        'twenty failures in a row',
        () => {
          site.pages.set('/robots.txt', { status: 404 });
          site.pages.set(
            '/',
            article('Home', linksTo(...Array.from({ length: 30 }, (_, n) => `/broken/${n}`))),
          );
          site.pages.set('*', { status: 500 });
        },
        /^20 pages in a row failed, the last one with: the site answered 500$/,
      ],
    ];
    for (const [name, breakIt, reason] of failing) {
      breakIt();
      const { run } = await syncs.sync(sourceId);
      assert.equal(run.state, 'failed', name);
      assert.match(run.reason, reason, name);
      const source = (await syncs.call('GET', `/sources/${sourceId}`)).body;
      assert.deepEqual([source.state, source.problem], ['problem', run.reason]);
      assert.deepEqual(await syncs.documents(sourceId), before, name);
    }
    site.pages.set('*', { status: 404 });
    const links = Array.from({ length: 30 }, (_, n) => `/missing/${n}`);
    site.pages.set('/', article('Home', linksTo('/a', ...links)));
    assert.equal(
      (await syncs.sync(sourceId)).run.state,
      'published',
      'pages that are not there are no failure of the host',
    );
  });

  it('a run in which much would go waits for a person', async () => {
    const paths = Array.from({ length: 10 }, (_, n) => `/${n}`);
    const site = await serve({ '/': article('Home', linksTo(...paths)) });
    for (const path of paths) site.pages.set(path, article(`Page ${path}`, `The text of ${path}.`));
    const sourceId = await syncs.create({ startUrls: [`${site.origin}/`] });
    await syncs.sync(sourceId);
    for (const path of paths.slice(0, 3)) site.pages.delete(path);
    assert.equal((await syncs.sync(sourceId)).run.state, 'published', '3 of 11');
    for (const path of paths.slice(3, 6)) site.pages.delete(path);
    const before = await syncs.documents(sourceId);
    const { run } = await syncs.sync(sourceId);
    assert.deepEqual(
      [run.state, run.reason, run.endedAt],
      ['review', '3 of 8 published documents would go', null],
    );
    assert.deepEqual(await syncs.documents(sourceId), before);
    const second = await syncs.sync(sourceId);
    assert.equal(second.run.state, 'review');
    const first = (await syncs.call('GET', `/runs/${run.id}`)).body;
    assert.deepEqual([first.state, first.reason], ['cancelled', 'another sync was started']);
    const published = await syncs.call('POST', `/runs/${second.run.id}/publish`);
    assert.deepEqual(
      [published.status, published.body.state, published.body.counts.gone],
      [200, 'published', 3],
    );
    const states = (await syncs.documents(sourceId)).map(({ state }) => state).sort();
    assert.deepEqual(states, [...Array(6).fill('gone'), ...Array(5).fill('published')]);
    assert.equal((await syncs.call('POST', `/runs/${second.run.id}/publish`)).status, 409);
  });

  it('with `review`, what has changed waits for a person', async () => {
    const site = await serve({ '/': article('Home', 'The only page.') });
    const sourceId = await syncs.create({ startUrls: [`${site.origin}/`], publish: 'review' });
    const { run } = await syncs.sync(sourceId);
    assert.deepEqual([run.state, run.reason], ['review', 'the settings ask for a review']);
    assert.deepEqual(await syncs.documents(sourceId), []);
    assert.equal((await syncs.call('POST', `/runs/${run.id}/publish`)).status, 200);
    const [{ id, text, characters }] = (await syncs.documents(sourceId)) as [Json];
    assert.equal(characters, text.length);
    const { passages } = (await syncs.call('POST', '/search', { q: 'only page', sourceIds: [sourceId] }))
      .body;
    assert.deepEqual([passages[0].documentId, passages[0].excerpt], [id, text]);
    assert.equal((await syncs.sync(sourceId)).run.state, 'published', 'nothing has changed');
  });

  it('sends its headers, and keeps what they open for the team', async () => {
    const site = await serve({
      '/': ({ headers }) =>
        headers.authorization === 'Bearer x' ? article('Home', 'For members.') : { status: 401 },
    });
    const sourceId = await syncs.create({ startUrls: [`${site.origin}/`] });
    assert.match(
      (await syncs.sync(sourceId)).run.reason,
      /^no page could be read\. \/: the site answered 401$/,
    );
    await syncs.call('PATCH', `/sources/${sourceId}`, {
      settings: { headers: { Authorization: 'Bearer x' } },
    });
    assert.equal((await syncs.sync(sourceId)).run.state, 'published');
    assert.equal((await syncs.documents(sourceId))[0].audience, 'internal');
  });

  it('a document that a person took out of use stays so', async () => {
    const site = await serve({ '/': article('Home', 'The only page.') });
    const sourceId = await syncs.create({ startUrls: [`${site.origin}/`] });
    await syncs.sync(sourceId);
    const [{ id }] = await syncs.documents(sourceId);
    await syncs.call('PATCH', `/documents/${id}`, { state: 'draft' });
    site.pages.set('/', article('Home', 'The only page, with other words.'));
    await syncs.sync(sourceId);
    const [document] = await syncs.documents(sourceId);
    assert.deepEqual([document.state, document.version, document.publishedVersion], ['draft', 2, null]);
    const written = await syncs.call('PUT', `/documents/${id}`, {
      title: 'x',
      text: 'y',
      expectedVersion: 2,
    });
    assert.deepEqual(
      [written.status, written.body.message],
      [400, 'only the text of an article can be written'],
    );
  });

  it('more than the account may have ends the run, and what is there stays', async () => {
    const site = await serve({ '/': article('Home', linksTo('/a')), '/a': article('A', 'One more.') });
    const sourceId = await syncs.create({ startUrls: [`${site.origin}/`], maxDepth: 0 });
    await syncs.sync(sourceId);
    const before = await syncs.documents(sourceId);
    const { db } = syncs.service.context;
    const limit = (documents: number, bytes: number) =>
      db.transaction((tx) =>
        tx.query(sql`
          update accounts set max_knowledge_documents = ${documents}, max_knowledge_bytes = ${bytes}
          where id = (select account_id from knowledge_sources where id = ${sourceId})`),
      );
    await syncs.call('PATCH', `/sources/${sourceId}`, { settings: { maxDepth: 1 } });
    const { documents } = (
      await db.query<{ documents: number }>(sql`
      select documents from knowledge_state s join knowledge_sources k using (account_id) where k.id = ${sourceId}`)
    )[0]!;
    const limits: [number, number, RegExp][] = [
      [documents, 1_000_000_000, /^the account can have at most \d+ knowledge documents$/],
      [documents + 10, 100, /^the account can have at most 100 bytes of knowledge$/],
    ];
    for (const [most, bytes, reason] of limits) {
      await limit(most, bytes);
      const { run } = await syncs.sync(sourceId);
      assert.equal(run.state, 'failed');
      assert.match(run.reason, reason);
      assert.deepEqual(await syncs.documents(sourceId), before);
    }
    await limit(50_000, 200 * 1024 ** 2);
    assert.equal((await syncs.sync(sourceId)).run.counts.added, 1);
  });

  it('hundreds of pages are published by few statements', async () => {
    const paths = Array.from({ length: 300 }, (_, n) => `/${n}`);
    const site = await serve({ '/': article('Home', linksTo(...paths)) });
    for (const path of paths)
      site.pages.set(path, { body: `Page ${path}`, headers: { 'content-type': 'text/plain' } });
    const sourceId = await syncs.create({ startUrls: [`${site.origin}/`], publish: 'review' });
    const { run } = await syncs.sync(sourceId);
    assert.deepEqual([run.state, run.counts.added], ['review', 301]);
    const { context } = syncs.service;
    const [actor, now] = [systemActor(syncs.accountId), context.clock.now()];
    const prepared = await prepareReviewed(context.db, actor, now, run.id);
    let statements = 0;
    const published = await context.db.transaction((tx) => {
      const counted = new Proxy(tx, {
        get: (target, name) => {
          if (name === 'query') statements++;
          return Reflect.get(target, name);
        },
      });
      return publishReviewed(counted, actor, now, run.id, prepared);
    });
    assert.equal(published.state, 'published');
    assert.ok(statements < 20, `${statements} statements`);
    assert.equal((await syncs.call('GET', `/sources/${sourceId}`)).body.counts.published, 301);
  });
});
