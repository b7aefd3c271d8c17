import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { absentId } from '../../../test/support/api-samples.ts';
import { filesOf } from '../../../test/support/files.ts';
import { png } from '../../../test/support/sample-files.ts';
import {
  type CallOptions,
  type Json,
  joinTestService,
  type TestService,
} from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';
import { helpSlugClaim, pruneVoters } from './help-center.ts';

const slug = 'harbour';

describe('the help center', () => {
  let service: TestService;
  let files: Awaited<ReturnType<typeof filesOf>>;
  let sourceId: string;
  before(async () => {
    service = await joinTestService();
    files = await filesOf(service);
    sourceId = (await expect(200, 'GET', '/knowledge/sources')).items[0].id;
  });
  after(() => service.close());

  const expect = async (status: number, method: string, path: string, body?: object): Promise<Json> => {
    const answer = await service.call(method, path, { ...(body && { body }) });
    assert.equal(answer.status, status, answer.text);
    return answer.body;
  };
  const change = (body: object, status = 200) => expect(status, 'PATCH', '/help-center', body);
  const write = (body: object = {}): Promise<Json> =>
    expect(201, 'POST', '/knowledge/documents', {
      sourceId,
      title: 'Returns',
      text: 'You have 30 days.',
      state: 'published',
      ...body,
    });
  const update = (id: string, body: object) => expect(200, 'PATCH', `/knowledge/documents/${id}`, body);
  let visitors = 0;
  /** Each from another address, unless one is given. */
  const visit = (path: string, options: CallOptions = {}, method = 'GET') => {
    visitors += 1;
    const address = `10.1.${visitors >> 8}.${visitors & 255}`;
    return service.call(method, `/help/${path}`, { token: null, address, ...options });
  };
  const page = async (path: string, options: CallOptions = {}): Promise<string> => {
    const { status, text } = await visit(`${slug}/${path}`, options);
    assert.equal(status, 200, text);
    return text;
  };
  const article = (id: string, language = 'en') => `${language}/articles/${id}`;

  describe('its settings', () => {
    it('begin with the name and the language of the account, and off', async () => {
      assert.deepEqual(await expect(200, 'GET', '/help-center'), {
        enabled: false,
        slug: null,
        name: 'My workspace',
        color: '#5059d1',
        logoFileKey: null,
        languages: ['en'],
        homeText: '',
        homeTexts: {},
        contactChannelId: null,
      });
      assert.equal(
        (await change({ enabled: true }, 400)).message,
        'slug is required before the site is enabled',
      );
    });

    it('are changed one by one, and audited', async () => {
      await change({ slug, enabled: true });
      const settings = {
        name: ' Harbour ',
        color: '#FFAA00',
        languages: ['en', 'pt', 'es'],
        homeText: '# Hello',
      };
      const after = await change(settings);
      assert.deepEqual(after, {
        ...settings,
        enabled: true,
        slug,
        name: 'Harbour',
        color: '#ffaa00',
        logoFileKey: null,
        homeTexts: {},
        contactChannelId: null,
      });
      assert.deepEqual(await expect(200, 'GET', '/help-center'), after);
      const { items } = await expect(200, 'GET', '/audit-log?targetType=help_center&limit=1');
      assert.deepEqual(items[0].changes.name, { from: 'My workspace', to: 'Harbour' });
    });

    it('400 for what is not a slug, a color or a language', async () => {
      const wrong = [
        ...['ab', 'a'.repeat(61), 'Abc', 'a_b', 'a/b', 'a b', 'é-é'].map((one) => ({ slug: one })),
        ...['red', '#fff', '#5059d1;}', 'url(x)'].map((color) => ({ color })),
        ...[[], ['en', 'en'], ['<b>'], ['english']].map((languages) => ({ languages })),
        { name: '  ' },
        { homeText: 'a'.repeat(5_001) },
        { homeTexts: { Spanish: 'Hola' } },
        { homeTexts: { es: 'a'.repeat(5_001) } },
        { contactChannelId: absentId },
        { contactChannelId: 'x' },
        { logoFileKey: absentId },
        { logoFileKey: 'x' },
      ];
      for (const body of wrong) await change(body, 400);
    });

    it('a slug stays with the account that used it first', async () => {
      const other = await service.createAccount();
      const take = async (one: string) =>
        (await service.call('PATCH', '/help-center', { token: other.jwt, body: { slug: one } })).status;
      assert.equal(await take(slug), 409);
      await change({ slug: 'harbour-2' });
      assert.equal((await visit(`${slug}/en/`)).status, 404);
      assert.equal(await take(slug), 409);
      await change({ slug });
      assert.deepEqual([await take('their-own'), await take('harbour-2')], [200, 409]);
    });

    it('a slug is claimed in other databases after everything that can fail', async () => {
      const { db } = service.context;
      const claimed: string[] = [];
      db.onClaim(helpSlugClaim, async (_tx, one) => claimed.push(one) > 0);
      await change({ slug: 'harbour-3', logoFileKey: absentId }, 400);
      assert.deepEqual(claimed, []);
      await change({ slug: 'harbour-3' });
      assert.deepEqual(claimed, ['harbour-3']);
      db.onClaim(helpSlugClaim, async () => false);
      await change({ slug: 'harbour-4' }, 409);
      db.onClaim(helpSlugClaim, async () => true);
      assert.equal((await change({ slug })).slug, slug);
    });

    it('an account can use 20 slugs, and go back to each of them', async () => {
      const other = await service.createAccount();
      const take = (one: string) =>
        service.call('PATCH', '/help-center', { token: other.jwt, body: { slug: one } });
      for (let at = 1; at <= 20; at++) assert.equal((await take(`many-${at}`)).status, 200);
      const { status, body } = await take('many-21');
      assert.deepEqual(
        [status, body.message],
        [409, 'an account can use at most 20 slugs: take one that it has used'],
      );
      assert.equal((await take('many-1')).status, 200);
    });

    it('are read by operators and changed by administrators', async () => {
      const { jwt } = await service.createUser('operator');
      assert.equal((await service.call('GET', '/help-center', { token: jwt })).status, 200);
      assert.equal((await service.call('PATCH', '/help-center', { token: jwt, body: {} })).status, 403);
    });
  });

  describe('its pages', () => {
    it('lead to the language of the reader, else to the first one', async () => {
      const to = async (path: string, language?: string) => {
        const headers = { ...(language && { 'accept-language': language }) };
        const { status, headers: got } = await visit(path, { headers });
        return [status, got.location];
      };
      assert.deepEqual(await to(slug), [302, `/help/${slug}/en/`]);
      assert.deepEqual(await to(`${slug}/`, 'de, pt-BR;q=0.8'), [302, `/help/${slug}/pt/`]);
      assert.deepEqual(await to(`${slug}/es`), [302, `/help/${slug}/es/`]);
    });

    it('show collections with their articles, and articles in none', async () => {
      const outer = await expect(201, 'POST', '/knowledge/collections', { name: 'Orders' });
      const inner = await expect(201, 'POST', '/knowledge/collections', {
        name: 'Parcels',
        parent: outer.id,
      });
      const empty = await expect(201, 'POST', '/knowledge/collections', { name: 'Nothing in it' });
      const inside = await write({ title: 'Where is my parcel', collectionId: inner.id });
      const outside = await write({ title: 'About us' });
      const home = await page('en/');
      assert.match(home, /<h2>Hello<\/h2>/);
      assert.match(
        home,
        new RegExp(`href="/help/${slug}/en/collections/${outer.id}">Orders</a><span>1 article<`),
      );
      assert.ok(home.includes(`/en/articles/${outside.id}">About us<`));
      assert.doesNotMatch(home, /Nothing in it|Where is my parcel/);
      assert.match(await page(`en/collections/${outer.id}`), /Parcels/);
      assert.match(await page(`en/collections/${inner.id}`), /Where is my parcel/);
      const text = await page(article(inside.id));
      assert.match(
        text,
        new RegExp(`collections/${outer.id}">Orders</a></li><li><a href="[^"]*${inner.id}">Parcels`),
      );
      assert.doesNotMatch(await page('pt/'), /Orders/);
      assert.match(await page('pt/'), /Ainda não há artigos aqui/);
      for (const path of [`en/collections/${empty.id}`, `pt/collections/${outer.id}`]) {
        for (const query of ['', '?page=2']) {
          const { status, text: absent } = await visit(`${slug}/${path}${query}`);
          assert.equal(status, 404);
          assert.doesNotMatch(absent, /Nothing in it|Orders/);
        }
      }
      const alternates = async () =>
        [
          ...(await page(`en/collections/${outer.id}`)).matchAll(
            /<link rel="alternate" hreflang="(\w+)" href="http[^"]*\/(\w+\/collections\/[^"]+)"/g,
          ),
        ].map(([, language, path]) => [language, path]);
      assert.deepEqual(await alternates(), [['en', `en/collections/${outer.id}`]]);
      await write({ title: 'Onde está', collectionId: inner.id, language: 'pt-BR' });
      assert.deepEqual(await alternates(), [
        ['en', `en/collections/${outer.id}`],
        ['pt', `pt/collections/${outer.id}`],
      ]);
    });

    it('an article has its text, its address for search engines and a way to say whether it helped', async () => {
      const text =
        '# Steps\n\n1. **Pack** it\n2. [Print](https://example.com/label) the label\n\n| Size | Price |\n|---|---|\n| S | 4 |';
      const { id } = await write({ title: 'Send it back', text });
      const got = await page(article(id));
      for (const part of [
        '<html lang="en">',
        '<title>Send it back – Harbour</title>',
        '<h1>Send it back</h1>',
        '<h2>Steps</h2>',
        '<li><strong>Pack</strong> it</li>',
        '<a href="https://example.com/label" rel="noopener nofollow">Print</a>',
        '<th scope="col">Price</th>',
        `rel="canonical" href="http://localhost:80/help/${slug}/en/articles/${id}"`,
        'property="og:title" content="Send it back"',
        'name="description" content="Steps 1. Pack it',
        'Was this helpful?',
      ]) {
        assert.ok(got.includes(part), `${part} in ${got}`);
      }
    });

    it('are compressed for those who accept it, and have the same version', async () => {
      const { id } = await write({ text: 'A sentence, and another one.\n\n'.repeat(5_000) });
      const plain = await visit(`${slug}/${article(id)}`);
      const headers = { 'accept-encoding': 'gzip, deflate, br' };
      const url = `/help/${slug}/${article(id)}`;
      const zipped = await service.app.inject({ url, headers, remoteAddress: '10.2.0.1' });
      assert.deepEqual(
        [zipped.headers['content-encoding'], zipped.headers.vary, zipped.headers.etag],
        ['gzip', 'accept-encoding', `W/${plain.headers.etag}`],
      );
      assert.equal(gunzipSync(zipped.rawPayload).toString(), plain.text);
      assert.ok(zipped.rawPayload.length < 30 * 1024);
      const known = { ...headers, 'if-none-match': `W/${plain.headers.etag}` };
      assert.equal((await visit(`${slug}/${article(id)}`, { headers: known })).status, 304);
    });

    it('an article of 20,000 characters is a page of less than 30 KB', async () => {
      const { id } = await write({ text: 'A sentence, and another one.\n\n'.repeat(667) });
      const bytes = Buffer.byteLength(await page(article(id)));
      assert.ok(bytes < 30 * 1024, `${bytes}`);
    });

    it('translations name each other, and an article is under its own language', async () => {
      const { id } = await write({ title: 'Hours' });
      const { id: spanish } = await write({ title: 'Horario', language: 'es-MX', translationOf: id });
      const { id: german } = await write({ title: 'Zeiten', language: 'de', translationOf: id });
      const draft = await write({ title: 'Horas', language: 'pt', translationOf: id, state: 'draft' });
      const got = await page(article(id));
      const alternates = [
        ...got.matchAll(/<link rel="alternate" hreflang="(\w+)" href="[^"]*articles\/([^"]+)"/g),
      ];
      assert.deepEqual(
        alternates.map(([, language, of]) => [language, of]),
        [
          ['en', id],
          ['es', spanish],
        ],
      );
      assert.ok(!got.includes(german) && !got.includes(draft.id));
      assert.match(await page(article(spanish, 'es')), /hreflang="en"/);
      const elsewhere = await visit(`${slug}/${article(spanish)}`);
      assert.deepEqual(
        [elsewhere.status, elsewhere.headers.location],
        [302, `/help/${slug}/es/articles/${spanish}`],
      );
      assert.equal((await visit(`${slug}/${article(german)}`)).status, 404);
    });

    it('long lists have pages, none of more than 30 KB', async () => {
      const collection = await expect(201, 'POST', '/knowledge/collections', { name: 'Many' });
      for (let at = 0; at < 30; at++) {
        await write({
          title: `${String(at).padStart(2, '0')} ${'長い題名 & '.repeat(100)}`,
          collectionId: collection.id,
        });
      }
      await change({ homeText: '題'.repeat(5_000) });
      const path = `en/collections/${collection.id}`;
      const [home, first, second] = await Promise.all([page('en/'), page(path), page(`${path}?page=2`)]);
      await change({ homeText: '# Hello' });
      for (const text of [home, first, second])
        assert.ok(Buffer.byteLength(text) <= 30 * 1024, `${Buffer.byteLength(text)}`);
      const listed = (text: string) => text.match(/\/articles\//g)?.length;
      assert.deepEqual([listed(first), listed(second)], [25, 5]);
      assert.match(first, /page=2" rel="next"/);
      assert.match(second, /page=1" rel="prev"/);
      for (const wrong of ['0', '-1', 'x', '3000', '1e3']) {
        assert.equal((await visit(`${slug}/${path}?page=${wrong}`)).status, 404, wrong);
      }
    });

    it('have an ETag that holds until the article changes', async () => {
      const { id } = await write();
      const first = await visit(`${slug}/${article(id)}`);
      const { etag } = first.headers;
      assert.equal(first.headers['cache-control'], 'public, max-age=0, must-revalidate');
      const headers = { 'if-none-match': etag! };
      const again = await visit(`${slug}/${article(id)}`, { headers });
      assert.deepEqual([again.status, again.text], [304, '']);
      // As behind a proxy that compresses.
      const weak = await visit(`${slug}/${article(id)}`, { headers: { 'if-none-match': `W/${etag}` } });
      assert.equal(weak.status, 304);
      const body = { title: 'Returns', text: 'Sixty days.', expectedVersion: 1, state: 'published' };
      await expect(200, 'PUT', `/knowledge/documents/${id}`, body);
      assert.equal((await visit(`${slug}/${article(id)}`, { headers })).status, 200);
    });

    it('a published article stays while a new version is a draft', async () => {
      const { id } = await write({ title: 'First', text: 'One.' });
      const body = { title: 'Second', text: 'Two.', expectedVersion: 1 };
      await expect(200, 'PUT', `/knowledge/documents/${id}`, body);
      const got = await page(article(id));
      assert.match(got, /<h1>First<\/h1>\s*<p>One\./);
      assert.doesNotMatch(got, /Second|Two/);
      const { db } = service.context;
      await db.autocommit(
        sql`update knowledge_versions set created_at = 1 where document_id = ${id} and version = 1`,
      );
      const { text: map } = await visit(`${slug}/sitemap.xml`);
      assert.ok(map.includes(`${id}</loc><lastmod>1970-01-01T00:00:00.001Z<`), 'the time of what is shown');
    });

    it('the sitemap has the homes and the articles', async () => {
      const { id } = await write({ language: 'pt' });
      const { id: internal } = await write({ audience: 'internal' });
      const { headers, text } = await visit(`${slug}/sitemap.xml`);
      assert.equal(headers['content-type'], 'application/xml; charset=utf-8');
      assert.ok(text.includes(`<loc>http://localhost:80/help/${slug}/pt/</loc>`), text);
      assert.ok(text.includes(`/help/${slug}/pt/articles/${id}</loc><lastmod>`));
      assert.ok(!text.includes(internal));
      const known = { headers: { 'if-none-match': String(headers.etag) } };
      assert.equal((await visit(`${slug}/sitemap.xml`, known)).status, 304);
      await write({ language: 'pt' });
      assert.equal((await visit(`${slug}/sitemap.xml`, known)).status, 200, 'another article changes it');
    });

    it('the chat of the website channel is one button away', async () => {
      const { items } = await expect(200, 'GET', '/channels');
      const channel = items.find(({ type }: Json) => type === 'web');
      assert.ok((await page('en/')).includes(`<script src="/widget.js?channel=${channel.id}"`));
      await expect(200, 'PATCH', `/channels/${channel.id}`, { enabled: false });
      assert.doesNotMatch(await page('en/'), /widget\.js|id="contact"/);
      await expect(200, 'PATCH', `/channels/${channel.id}`, { enabled: true });
      const chosen = await expect(201, 'POST', '/channels', {
        name: 'Shop',
        type: 'web',
        identifier: 'shop',
        defaultAgentId: channel.defaultAgentId,
      });
      await change({ contactChannelId: chosen.id });
      assert.ok((await page('en/')).includes(`<script src="/widget.js?channel=${chosen.id}"`));
      await expect(200, 'DELETE', `/channels/${chosen.id}`);
      assert.equal((await expect(200, 'GET', '/help-center')).contactChannelId, null);
      assert.ok((await page('en/')).includes(`<script src="/widget.js?channel=${channel.id}"`));
    });

    it('is in the language of the reader: first page, collections, and a way to the other languages', async () => {
      const { id: collectionId } = await expect(201, 'POST', '/knowledge/collections', {
        name: 'Orders',
        names: { pt: 'Pedidos' },
      });
      const { id } = await write({ language: 'pt', title: 'Prazo', collectionId });
      await write({ collectionId });
      await change({ homeTexts: { pt: 'Bem-vindo ao porto.' } });
      const portuguese = await page('pt/');
      assert.match(portuguese, /Bem-vindo ao porto\./);
      assert.match(portuguese, />Pedidos<\/a>/);
      assert.match(await page(`pt/collections/${collectionId}`), /<h1>Pedidos<\/h1>/);
      assert.match(await page(`pt/articles/${id}`), />Pedidos<\/a><\/li>/);
      const english = await page('en/');
      assert.doesNotMatch(english, /Bem-vindo|Pedidos/);
      assert.match(english, />Orders<\/a>/);
      const switchTo = (text: string) =>
        [...text.matchAll(/<li><a href="([^"]+)" lang="(\w+)"/g)].map(([, path, language]) => [
          language,
          path,
        ]);
      // It has no translation: the first page of the language is the next best.
      assert.deepEqual(switchTo(await page(`pt/articles/${id}`)), [
        ['en', `/help/${slug}/en/`],
        ['pt', `/help/${slug}/pt/articles/${id}`],
        ['es', `/help/${slug}/es/`],
      ]);
      assert.deepEqual(switchTo(await page('search?q=prazo&language=pt'))[0], [
        'en',
        `/help/${slug}/search?q=prazo&amp;language=en`,
      ]);
      await change({ homeTexts: {} });
    });

    it('is written from the right where its language is, with its own words marked as English', async () => {
      const { languages } = await expect(200, 'GET', '/help-center');
      await change({ languages: [...languages, 'ar'] });
      const { id } = await write({ language: 'ar', title: 'الإرجاع', text: 'ثلاثون يوما' });
      const text = await page(article(id, 'ar'));
      assert.match(text, /<html lang="ar" dir="rtl">/);
      assert.match(text, /<p class="meta" lang="en" dir="ltr">Updated on/);
      assert.doesNotMatch(await page('en/'), /dir="rtl"|dir="ltr"/);
      await change({ languages });
    });

    it('style and script come from this origin alone', async () => {
      const { headers, text } = await visit(`${slug}/en/`);
      const policy = headers['content-security-policy']!;
      assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self' 'sha256-/);
      assert.doesNotMatch(policy, /unsafe|https?:|\*|data:/);
      assert.doesNotMatch(text, /<script(?![^>]* src="\/)|\son\w+=|\sstyle=/);
      for (const [, path] of text.matchAll(/(?:href|src)="(\/help\/_\/[^"]+)"/g)) {
        const asset = await service.call('GET', path!, { token: null });
        assert.deepEqual(
          [asset.status, asset.headers['cache-control']],
          [200, 'public, max-age=31536000, immutable'],
        );
      }
      assert.equal((await visit('_/constructor')).status, 404);
    });
  });

  describe('what is not public', () => {
    it('404 in the look of the site: drafts, internal, gone, other accounts, other kinds', async () => {
      const draft = await write({ state: 'draft' });
      const internal = await write({ audience: 'internal' });
      const withdrawn = await write();
      await update(withdrawn.id, { state: 'draft' });
      const gone = await write();
      await expect(200, 'DELETE', `/knowledge/documents/${gone.id}`);
      const other = await service.createAccount();
      const theirs = (await service.call('GET', '/knowledge/sources', { token: other.jwt })).body.items[0].id;
      const body = { sourceId: theirs, title: 'Theirs', text: 'x', state: 'published' };
      const foreign = (await service.call('POST', '/knowledge/documents', { token: other.jwt, body })).body;
      const filesSource = await expect(201, 'POST', '/knowledge/sources', { name: 'F', kind: 'files' });
      const file = await write();
      await service.context.db.autocommit(sql`
        update knowledge_documents set source_id = ${filesSource.id} where id = ${file.id}`);
      for (const { id } of [draft, internal, withdrawn, gone, foreign, file, { id: absentId }, { id: 'x' }]) {
        const { status, text } = await visit(`${slug}/${article(id)}`);
        assert.equal(status, 404);
        assert.match(text, /class="brand"[^>]*>Harbour<[\s\S]*<h1>Page not found<\/h1>/);
        const vote = await visit(`${slug}/articles/${id}/feedback`, { body: { helpful: true } }, 'POST');
        assert.equal(vote.status, 404);
      }
      const found = await page('search?q=returns&language=en');
      for (const { id } of [draft, internal, withdrawn, gone, foreign, file]) assert.ok(!found.includes(id));
      for (const path of ['de/', 'en/x', 'en/collections/x', 'en/articles/', 'files/x', 'x/y/z/a']) {
        assert.equal((await visit(`${slug}/${path}`)).status, 404, path);
      }
    });

    it('404 for a site that is off, unknown or of a suspended account', async () => {
      const { id } = await write();
      const paths = ['', '/', '/en/', `/${article(id)}`, '/search?q=returns', '/sitemap.xml', '/x/y/z'];
      const statuses = async (of: string) => {
        const answers = await Promise.all(paths.map((path) => visit(of + path)));
        for (const { text } of answers) assert.doesNotMatch(text, /Harbour|Returns/);
        return [...new Set(answers.map(({ status }) => status))];
      };
      await change({ enabled: false });
      assert.deepEqual(await statuses(slug), [404]);
      await change({ enabled: true });
      for (const unknown of ['unknown', 'a', 'A'.repeat(100), '%00', "a'b", '_']) {
        assert.deepEqual(await statuses(unknown), [404], unknown);
      }
      const { db } = service.context;
      const { accountId } = service.admin;
      await db.autocommit(sql`update accounts set suspended_at = 1 where id = ${accountId}`);
      assert.deepEqual(await statuses(slug), [404]);
      await db.autocommit(sql`update accounts set suspended_at = null where id = ${accountId}`);
      await page('en/');
    });
  });

  describe('its search', () => {
    it('finds articles of the language, with typos, and says so when there are none', async () => {
      const { id } = await write({ title: 'Gift vouchers', text: 'A voucher is valid for three years.' });
      const portuguese = await write({ title: 'Vouchers', text: 'Um voucher vale.', language: 'pt' });
      const found = await page('search?q=vouchrs&language=en');
      assert.match(found, /<meta name="robots" content="noindex">/);
      assert.ok(found.includes(`articles/${id}">Gift vouchers</a><p>A voucher is valid`), found);
      assert.ok(!found.includes(portuguese.id));
      const typed = await page('search?q=gift%20vou&language=en');
      assert.equal(typed.match(new RegExp(id, 'g'))?.length, 1, 'a word that is still being typed');
      assert.ok((await page('search?q=ift%20vo&language=en')).includes(id));
      assert.ok((await page('search?q=voucher&language=pt')).includes(portuguese.id));
      assert.match(await page('search?q=zzzzqqqq&language=es'), /No se encontró nada para «zzzzqqqq»/);
      for (const query of ['', '?q=', '?q=%20', '?q=a&q=b', '?language=xx', '?q=%F0%9F%98']) {
        const { status } = await visit(`${slug}/search${query}`);
        assert.ok(status === 200 || status === 400, `${query}: ${status}`);
      }
    });
  });

  it('its search finds an article beside a long one with the same word in every passage', async () => {
    const text = Array.from(
      { length: 80 },
      (_, at) => `# Part ${at}\n\nxylophone ${'xylophone '.repeat(60)}`,
    );
    const { id: long } = await write({ title: 'Xylophone', text: text.join('\n\n') });
    const { id: short } = await write({
      title: 'Music',
      text: `A page about music, in which one xylophone is. ${'Words about other instruments. '.repeat(20)}`,
    });
    const found = await page('search?q=xylophone&language=en');
    assert.ok(found.includes(`articles/${long}`) && found.includes(`articles/${short}`));
  });

  it('its search shows articles in `pt` beside many in `pt-BR` when the site has both', async () => {
    await change({ languages: ['en', 'pt', 'pt-BR', 'es'] });
    const many = Array.from({ length: 52 }, () =>
      write({ title: 'Berimbau berimbau', text: 'Berimbau.', language: 'pt-BR' }),
    );
    await Promise.all(many);
    const { id } = await write({ title: 'Instrumentos', text: 'Sobre um berimbau antigo.', language: 'pt' });
    const found = await page('search?q=berimbau&language=pt');
    assert.deepEqual([found.includes(id), found.match(/<li><a href="[^"]*articles/g)?.length], [true, 1]);
    await change({ languages: ['en', 'pt', 'es'] });
  });

  describe('hostile texts', () => {
    const attacks = [
      '<script>alert(1)</script>',
      '"><img src=x onerror=alert(1)>',
      "' onmouseover='alert(1)",
      '</title><script>alert(1)</script>',
      '</style><svg onload=alert(1)>',
      '[x](javascript:alert(1))',
      '[x](data:text/html,<script>alert(1)</script>)',
      '[x](tel:+1)',
      '![x](https://evil.example/x.png)',
      '![x" onerror="alert(1)](file:0199c5a0-0000-7000-8000-000000000001)',
      '[x](https://a.example/"onclick="alert(1))',
      '<https://a.example/"onclick=alert(1)>',
      '`<b onclick=x>`\n\n```\n</code></pre><script>x</script>\n```',
      '| <script>a</script> | b |\n|---|---|\n| <img src=x onerror=x> | [y](javascript:x) |',
      '&lt;script&gt;alert(1)&lt;/script&gt;',
      '{{alert(1)}}<!--',
    ];
    /** Elements and attributes that only an attack can have put there. */
    const traces = (text: string): string[] => {
      const tags = text.match(/<[a-z!/][^>]*>/gi) ?? [];
      return tags.filter(
        (tag) =>
          /\son\w+\s*=/i.test(tag.replace(/"[^"]*"/g, '""')) ||
          /(?:href|src|action)="(?:javascript|data|tel|vbscript):/i.test(tag) ||
          /^<(?:svg|iframe|object|embed|!--|b)\b/i.test(tag) ||
          (/^<script/i.test(tag) && !/ src="\/(?:help\/_\/|widget\.js)/.test(tag)) ||
          (/^<img/i.test(tag) && !/ src="\/help\//.test(tag)),
      );
    };

    it('stay text in articles, titles, names, collections and what is searched for', async () => {
      for (const attack of attacks) {
        const { id: collectionId } = await expect(201, 'POST', '/knowledge/collections', { name: attack });
        const { id } = await write({ title: attack, text: `${attack}\n\nA sentence.`, collectionId });
        await change({ name: attack, homeText: attack });
        const paths = ['en/', `en/collections/${collectionId}`, article(id), 'en/nothing/here'];
        const texts = [
          ...(await Promise.all(paths.map((path) => visit(`${slug}/${path}`)))).map(({ text }) => text),
          await page(`search?language=en&q=${encodeURIComponent(attack)}`),
        ];
        for (const text of texts) assert.deepEqual(traces(text), [], attack);
        const { text: map } = await visit(`${slug}/sitemap.xml`);
        assert.doesNotMatch(map, /script/);
        await expect(200, 'DELETE', `/knowledge/documents/${id}`);
        await expect(200, 'DELETE', `/knowledge/collections/${collectionId}`);
      }
      await change({ name: 'Harbour', homeText: '' });
    });

    it('cannot come in by the Host of the request', async () => {
      const { text } = await visit(`${slug}/en/`, { headers: { host: 'a"><script>x</script>' } });
      assert.deepEqual(traces(text), []);
    });
  });

  describe('its files', () => {
    it('are images of published public articles and the logo, and go with them', async () => {
      const { fileKey } = await files.upload('image/png', png(8, 8), 'plug.png');
      const { fileKey: logo } = await files.upload('image/png', png(9, 9), 'logo.png');
      const { fileKey: unused } = await files.upload('image/png', png(7, 7), 'other.png');
      const { fileKey: sound } = await files.upload('text/plain', Buffer.from('hello'), 'a.txt');
      const text = `Look:\n\n![A plug](file:${fileKey})\n\n![no image](file:${sound})`;
      const draft = await write({ text, state: 'draft' });
      const get = (key: string, options: CallOptions = {}) => visit(`${slug}/files/${key}`, options);
      assert.equal((await get(fileKey)).status, 404);
      const preview = await expect(200, 'GET', `/knowledge/images/${fileKey}`);
      assert.equal((await files.fetchFile(preview.downloadUrl)).status, 200);
      for (const key of [unused, sound, logo, absentId, 'x'])
        await expect(404, 'GET', `/knowledge/images/${key}`);
      await update(draft.id, { state: 'published' });
      const shown = await get(fileKey);
      assert.deepEqual([shown.status, shown.headers['content-type']], [200, 'image/png']);
      assert.match(shown.headers['content-security-policy']!, /^sandbox;/);
      const headers = { 'if-none-match': shown.headers.etag! };
      assert.equal((await get(fileKey, { headers })).status, 304);
      assert.ok(
        (await page(article(draft.id))).includes(`<img src="/help/${slug}/files/${fileKey}" alt="A plug"`),
      );

      await expect(404, 'GET', '/help-center/logo');
      await change({ logoFileKey: logo });
      assert.equal((await get(logo)).status, 200);
      const { downloadUrl, contentType } = await expect(200, 'GET', '/help-center/logo');
      const { pathname, search } = new URL(downloadUrl);
      const downloaded = await service.call('GET', `${pathname}${search}`, { token: null });
      assert.deepEqual([downloaded.status, contentType], [200, 'image/png']);
      assert.ok((await page('en/')).includes(`<img src="/help/${slug}/files/${logo}" alt="">`));
      await change({ logoFileKey: null });
      for (const key of [logo, unused, sound, absentId]) assert.equal((await get(key)).status, 404);
      await change({ logoFileKey: sound }, 400);
      await change({ logoFileKey: fileKey }, 400);

      await update(draft.id, { audience: 'internal' });
      assert.equal((await get(fileKey)).status, 404);
      await update(draft.id, { audience: 'public' });
      const body = { title: 'Returns', text: 'No image.', expectedVersion: 1, state: 'published' };
      await expect(200, 'PUT', `/knowledge/documents/${draft.id}`, body);
      assert.equal((await get(fileKey)).status, 404);

      const second = await write({ text });
      await expect(200, 'DELETE', `/knowledge/documents/${draft.id}`);
      assert.equal((await get(fileKey)).status, 200, 'another article has it');
      await expect(200, 'DELETE', `/knowledge/documents/${second.id}`);
      const rows = await service.context.db.query<{ state: string }>(
        sql`select state from attachments where file_key = ${fileKey}`,
      );
      assert.ok(rows.every(({ state }) => state === 'removing'));
    });

    it('an image of an article cannot be sent in a message', async () => {
      const { fileKey, ...file } = await files.upload('image/png', png(5, 5), 'x.png');
      await write({ text: `![x](file:${fileKey})` });
      const body = {
        content: 'Hi',
        fromChannelIdentifier: 'api',
        externalUserId: 'someone',
        attachments: [{ fileKey, ...file }],
      };
      assert.equal((await service.call('POST', '/messages', { body })).status, 400);
    });
  });

  describe('feedback', () => {
    const counts = async (id: string) =>
      service.context.db.query(sql`
        select version, helpful, not_helpful as "notHelpful" from help_feedback where document_id = ${id} order by version`);
    const vote = (id: string, helpful: boolean, address: string) =>
      visit(`${slug}/articles/${id}/feedback`, { address, body: { helpful } }, 'POST');

    it('counts per version, once for an address, an article and a day', async () => {
      const { id } = await write();
      const { id: other } = await write();
      assert.equal((await vote(id, true, '10.9.0.1')).status, 204);
      assert.equal((await vote(id, false, '10.9.0.1')).status, 204);
      await vote(id, false, '10.9.0.2');
      await vote(other, true, '10.9.0.1');
      await vote(id, true, '2001:db8::1');
      await vote(id, true, '2001:db8::2');
      assert.deepEqual(await counts(id), [{ version: 1, helpful: 2, notHelpful: 1 }]);
      assert.deepEqual(await counts(other), [{ version: 1, helpful: 1, notHelpful: 0 }]);
      const body = { title: 'Returns', text: 'Sixty.', expectedVersion: 1, state: 'published' };
      await expect(200, 'PUT', `/knowledge/documents/${id}`, body);
      await vote(id, true, '10.9.0.3');
      assert.deepEqual((await counts(id))[1], { version: 2, helpful: 1, notHelpful: 0 });
    });

    it('stores no address, and forgets who voted after a day', async () => {
      const { db, clock } = service.context;
      const { id } = await write();
      await vote(id, true, '10.9.1.1');
      const voters = () =>
        db.query<{ row: string }>(
          sql`select v::text as row from help_voters v where account_id = ${service.admin.accountId}`,
        );
      const before = await voters();
      assert.ok(before.length > 0 && before.every(({ row }) => !row.includes('10.9')));
      await pruneVoters(db, clock.now() + 86_400_000);
      assert.equal((await voters()).length, before.length);
      // In batches of two.
      assert.ok(before.length > 2);
      await pruneVoters(db, clock.now() + 2 * 86_400_000, 2);
      assert.deepEqual(await voters(), []);
    });

    it('works as a form, and refuses anything else', async () => {
      const { id } = await write();
      const path = `${slug}/articles/${id}/feedback`;
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const sent = await visit(path, { headers, body: 'helpful=false' }, 'POST');
      assert.deepEqual(
        [sent.status, sent.headers.location],
        [303, `/help/${slug}/en/articles/${id}?thanks=1`],
      );
      assert.match(await page(`${article(id)}?thanks=1`), /Thank you for your feedback/);
      assert.deepEqual(await counts(id), [{ version: 1, helpful: 0, notHelpful: 1 }]);
      for (const body of ['', 'helpful=', 'helpful=maybe', 'x=1']) {
        assert.equal((await visit(path, { headers, body }, 'POST')).status, 400, body);
      }
      for (const body of [{}, { helpful: 'yes' }, { helpful: null }, []]) {
        assert.equal((await visit(path, { body }, 'POST')).status, 400);
      }
    });
  });

  it('an address has 60 requests a minute, then 429 until it waits', async () => {
    const address = '10.8.0.1';
    const first = await Promise.all(
      Array.from({ length: 60 }, () => visit(`${slug}/sitemap.xml`, { address })),
    );
    assert.ok(first.every(({ status }) => status === 200));
    const { id } = await write();
    // Of all sites, also of those that are not there.
    const paths = [
      `${slug}/en/`,
      `${slug}/search?q=x`,
      `${slug}/files/${absentId}`,
      `${slug}/x/y/z`,
      'none/en/',
    ];
    for (const path of paths) {
      const { status, headers, text } = await visit(path, { address });
      assert.equal(status, 429, path);
      assert.ok(Number(headers['retry-after']) > 0);
      assert.match(text, /Too many requests/);
      assert.doesNotMatch(text, /Harbour/, 'the site was not even looked up');
    }
    const vote = await visit(`${slug}/articles/${id}/feedback`, { address, body: { helpful: true } }, 'POST');
    assert.equal(vote.status, 429);
    assert.equal((await visit(`${slug}/en/`, { address: '10.8.0.2' })).status, 200);
    const guesses = await Promise.all(
      Array.from({ length: 61 }, (_, at) => visit(`unknown-${at}/en/`, { address: '10.8.0.3' })),
    );
    assert.deepEqual([...new Set(guesses.map(({ status }) => status))], [404, 429]);
  });
});
