import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { eventually } from '../../../../test/support/eventually.ts';
import { startCanary } from '../../../../test/support/receivers.ts';
import type { Json } from '../../../../test/support/service.ts';
import { ssrfVectors } from '../../../../test/support/ssrf-vectors.ts';
import { article, linksTo, type Page, startWebsite, type Website } from '../../../../test/support/website.ts';
import { type Syncs, startSyncs } from '../../../../test/support/website-syncs.ts';

interface Attack {
  name: string;
  pages(site: () => Website): Record<string, Page>;
  settings?: object;
  /** By path, what a page has become. */
  expects?: Record<string, [string, string | null, RegExp?]>;
  check?(site: Website, pages: Json[], run: Json): void;
}

const html = { 'content-type': 'text/html' };
const megabytes = (count: number) => Buffer.alloc(count * 1024 * 1024, 'a ');

const attacks: Attack[] = [
  {
    name: 'a small answer that unpacks to a large one',
    pages: () => ({
      '/': article('Home', linksTo('/bomb', '/brotli-lie')),
      '/bomb': { body: gzipSync(megabytes(12)), headers: { ...html, 'content-encoding': 'gzip' } },
      '/brotli-lie': { body: 'plain', headers: { ...html, 'content-encoding': 'br' } },
    }),
    expects: {
      '/bomb': ['failed', 'too_large', /^larger than 10 MB$/],
      '/brotli-lie': ['failed', 'http_error', /compression/],
    },
  },
  {
    name: 'a page without an end',
    pages: () => ({
      '/': article('Home', linksTo('/large')),
      '/large': { body: megabytes(11), headers: html },
    }),
    expects: { '/large': ['failed', 'too_large'] },
  },
  {
    name: 'an answer that drips',
    pages: () => ({
      '/': article('Home', linksTo('/drips', '/silent')),
      '/drips': (_request, response) => {
        response.writeHead(200, html);
        const drip = setInterval(() => response.write('.'), 20);
        response.on('close', () => clearInterval(drip));
        return undefined;
      },
      '/silent': () => undefined,
    }),
    expects: { '/drips': ['failed', 'timeout'], '/silent': ['failed', 'timeout'] },
  },
  {
    name: 'a calendar without an end',
    settings: { maxPages: 20, maxDepth: 50 },
    pages: () => ({
      '/': article('Home', linksTo('/day?n=1')),
      '*': ({ url }) => {
        const n = Number(/n=(\d+)/.exec(url ?? '')?.[1]);
        if (!n) return { status: 404 };
        return article(
          `Day ${n}`,
          `What happens on day ${n}. ${linksTo(`/day?n=${n + 1}`, `/day?n=${n + 2}`)}`,
        );
      },
    }),
    check(site, pages, run) {
      assert.equal(site.asked.length, 20);
      assert.deepEqual([run.state, run.counts.added], ['published', 20]);
      assert.ok(pages.some(({ reason }) => reason === 'the limit of 20 pages was reached'));
    },
  },
  {
    name: 'thousands of links',
    settings: { maxPages: 3 },
    pages: () => ({
      '/': article('Home', linksTo(...Array.from({ length: 2_100 }, (_, n) => `/x${n}`))),
      '*': article('X', 'Always the same text.'),
    }),
    check(_site, pages, run) {
      assert.equal(run.state, 'published');
      assert.ok(pages.length <= 1_003, String(pages.length));
    },
  },
  {
    name: 'redirects without an end',
    pages: () => ({
      '/': article('Home', linksTo('/r?n=1', '/self', '/nowhere')),
      '/self': { status: 301, headers: { location: '/self' } },
      '/nowhere': { status: 301 },
      '*': ({ url }) => {
        const n = Number(/n=(\d+)/.exec(url ?? '')?.[1]);
        return n ? { status: 302, headers: { location: `/r?n=${n + 1}` } } : { status: 404 };
      },
    }),
    expects: {
      '/self': ['failed', 'http_error'],
      '/nowhere': ['failed', 'http_error'],
      '/r?n=5': ['skipped', 'duplicate'],
      '/r?n=6': ['failed', 'http_error', /^more than 5 redirects$/],
    },
    check: (site) => assert.ok(!site.asked.includes('/r?n=7')),
  },
  {
    name: 'a robots.txt of many megabytes',
    pages: () => ({
      '/robots.txt': {
        headers: { 'content-type': 'text/plain' },
        body: `User-agent: *\nDisallow: /secret\n${'# nothing\nDisallow: /*a*b*c\n'.repeat(200_000)}`,
      },
      '/': article('Home', linksTo('/secret', '/a')),
      '/a': article('A', 'A page.'),
    }),
    expects: { '/secret': ['skipped', 'robots'], '/a': ['added', null] },
  },
  {
    name: 'characters that are not what they say',
    pages: () => ({
      '/': article('Home', linksTo('/latin', '/wrong', '/unknown', '/utf16', '/nul')),
      '/latin': {
        body: Buffer.from(article('L', 'caf\u00e9 latin.'), 'latin1'),
        headers: { 'content-type': 'text/html; charset=ISO-8859-1' },
      },
      '/wrong': {
        body: Buffer.from(article('W', 'caf\u00e9 wrong.'), 'latin1'),
        headers: { 'content-type': 'text/html; charset=utf-8' },
      },
      '/unknown': {
        body: article('U', 'Some text.'),
        headers: { 'content-type': 'text/html; charset=klingon' },
      },
      '/utf16': {
        body: Buffer.from(article('16', 'café wide.'), 'utf16le'),
        headers: { 'content-type': 'text/html; charset=utf-16le' },
      },
      '/nul': { body: Buffer.from(article('N', 'before\0after \ud800.')), headers: html },
    }),
    expects: {
      '/latin': ['added', null],
      '/wrong': ['added', null],
      '/unknown': ['added', null],
      '/utf16': ['added', null],
      '/nul': ['skipped', 'no_text'],
    },
  },
  {
    name: 'sitemaps that name each other, or unpack to a large one',
    pages: (site) => ({
      '/robots.txt': () => ({
        body: ['a', 'bomb'].map((name) => `Sitemap: ${site().origin}/${name}.xml`).join('\n'),
        headers: { 'content-type': 'text/plain' },
      }),
      '/a.xml': () => `<sitemapindex><sitemap><loc>${site().origin}/b.xml</loc></sitemap></sitemapindex>`,
      '/b.xml': () =>
        `<sitemapindex><sitemap><loc>${site().origin}/a.xml</loc></sitemap><sitemap><loc>${site().origin}/b.xml?x</loc></sitemap></sitemapindex>`,
      '/bomb.xml': { body: gzipSync(megabytes(12)) },
      '/': article('Home', 'The only page.'),
    }),
    check(site, pages) {
      assert.deepEqual(
        site.asked,
        ['/a.xml', '/bomb.xml', '/b.xml', '/b.xml?x', '/'].filter((path) => site.asked.includes(path)),
      );
      assert.equal(pages.length, 1);
    },
  },
  {
    name: 'a page that speaks for other hosts',
    pages: () => ({
      '/': article(
        'Home',
        'The page itself.',
        '<base href="http://127.0.0.2/"><link rel="canonical" href="http://127.0.0.2/stolen">',
      ).replace(
        '</main>',
        `${linksTo('below', 'javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd')}</main>`,
      ),
    }),
    expects: { '/': ['added', null] },
    check: (site, pages) => assert.deepEqual([pages.length, site.asked], [1, ['/']]),
  },
  {
    name: 'documents that are not what they say',
    pages: () => ({
      '/': article('Home', linksTo('/broken.pdf', '/not.pdf', '/nested')),
      '/broken.pdf': { body: '%PDF-1.7\nxref broken', headers: { 'content-type': 'application/pdf' } },
      '/not.pdf': { body: 'MZ\0\0program', headers: { 'content-type': 'application/octet-stream' } },
      '/nested': { body: '<div>'.repeat(300), headers: html },
    }),
    check(_site, pages, run) {
      assert.equal(run.state, 'published');
      for (const path of ['/broken.pdf', '/not.pdf', '/nested']) {
        const page = pages.find(({ url }) => url.endsWith(path));
        assert.ok(['skipped', 'failed'].includes(page.verdict), `${path}: ${page.verdict}`);
        assert.ok(page.reason.length > 5);
      }
    },
  },
];

describe('a hostile website', () => {
  let syncs: Syncs;
  before(async () => {
    syncs = await startSyncs({ responseWithinMs: 1_500 });
  });
  after(() => syncs.close());

  const attack = async (pagesOf: Attack['pages'], settings: object = {}) => {
    let site!: Website;
    site = await startWebsite(pagesOf(() => site));
    const sourceId = await syncs.create({ startUrls: [`${site.origin}/`], ...settings });
    try {
      return { site, ...(await syncs.sync(sourceId)) };
    } catch (error) {
      await site.close();
      throw error;
    }
  };

  for (const { name, pages: pagesOf, settings, expects = {}, check } of attacks) {
    it(name, async () => {
      const { site, run, pages } = await attack(pagesOf, settings);
      try {
        for (const [path, [verdict, code, reason]] of Object.entries(expects)) {
          const page = pages.find(({ url }) => url === site.origin + path);
          assert.deepEqual([page?.verdict, page?.reasonCode], [verdict, code], `${path}: ${page?.reason}`);
          if (reason) assert.match(page.reason, reason);
        }
        check?.(site, pages, run);
      } finally {
        await site.close();
      }
    });
  }

  it('redirects to private addresses, however they are spelled, are not followed', async () => {
    const canary = await startCanary();
    const targets = ssrfVectors.map((vector) => vector.url(canary.port));
    const { site, pages, run } = await attack(
      () => ({
        '/': article('Home', linksTo(...targets.map((_, n) => `/to/${n}`), ...targets)),
        ...Object.fromEntries(
          targets.map((location, n) => [
            `/to/${n}`,
            { status: 302, headers: { location: encodeURI(location) } },
          ]),
        ),
      }),
      { maxPages: 200 },
    );
    try {
      assert.equal(run.state, 'published');
      const followed = pages.filter(({ url }) => /\/to\/\d+$/.test(url));
      assert.equal(followed.length, targets.length);
      // Some spellings are relative once they are encoded for a header: they lead to the site itself.
      const leadsAway = ({ url }: Json) => {
        const location = encodeURI(targets[Number(url.split('/').at(-1))]!);
        return URL.parse(location, site.origin)?.origin !== site.origin;
      };
      assert.ok(followed.filter(leadsAway).length > targets.length / 2);
      for (const page of followed.filter(leadsAway)) {
        assert.ok(
          ['private_address', 'outside', 'http_error', 'duplicate'].includes(page.reasonCode),
          `${page.url}: ${page.reasonCode}`,
        );
      }
      assert.ok(followed.some(({ reasonCode }) => reasonCode === 'private_address'));
      assert.equal(await canary.hits(), 0);
    } finally {
      await canary.close();
      await site.close();
    }
  });

  it('addresses of other hosts, wherever a site names them, are not requested', async () => {
    const canary = await startCanary();
    // Allowed by OUTBOUND_ALLOW: only the scope of the source keeps the crawler from it.
    const at = (path: string) => `http://127.0.0.1:${canary.port}/${path}`;
    const head: Record<string, string> = {
      base: `<base href="${at('')}">`,
      canonical: `<link rel="canonical" href="${at('canonical')}">`,
      'canonical twice': `<link rel="canonical" href="/"><link rel="canonical" href="${at('second')}">`,
      next: `<link rel="next" href="${at('next')}"><link rel="prefetch" href="${at('prefetch')}">`,
      alternate: `<link rel="alternate" hreflang="pt" href="${at('pt')}">`,
      stylesheet: `<link rel="stylesheet" href="${at('a.css')}"><style>@import url(${at('b.css')});</style>`,
      refresh: `<meta http-equiv="refresh" content="0; url=${at('refresh')}">`,
      'open graph': `<meta property="og:url" content="${at('og')}"><meta property="og:image" content="${at('og.png')}">`,
      script: `<script src="${at('a.js')}"></script><script>location = '${at('js')}'; fetch('${at('fetch')}')</script>`,
      manifest: `<link rel="manifest" href="${at('manifest')}"><link rel="icon" href="${at('icon')}">`,
      'content security policy': `<meta http-equiv="Content-Security-Policy" content="default-src *; report-uri ${at('csp')}">`,
    };
    const body: Record<string, string> = {
      link: `<a href="${at('a')}">a</a><a href="//127.0.0.1:${canary.port}/b">b</a>`,
      'link with a user name': `<a href="http://x@127.0.0.1:${canary.port}/">a</a>`,
      'link with backslashes': `<a href="\\\\127.0.0.1:${canary.port}\\c">a</a>`,
      'link with a newline': `<a href="http://127.0.\n0.1:${canary.port}/d">a</a>`,
      'link that leaves by dots': `<a href="/..//127.0.0.1:${canary.port}/e">a</a>`,
      'link with entities': `<a href="http&#58;//127.0.0.1&#x3a;${canary.port}/f">a</a>`,
      area: `<map><area href="${at('area')}"></map><a ping="${at('ping')}" href="/">ping</a>`,
      picture: `<img src="${at('a.png')}" srcset="${at('b.png')} 2x"><picture><source srcset="${at('c.png')}"></picture>`,
      frame: `<iframe src="${at('frame')}" srcdoc="<img src=${at('srcdoc')}>"></iframe><object data="${at('object')}"></object>`,
      form: `<form action="${at('form')}" method="post"><button formaction="${at('button')}">x</button></form>`,
      media: `<video src="${at('a.mp4')}" poster="${at('p.png')}"><track src="${at('t.vtt')}"></video><embed src="${at('embed')}">`,
      drawing: `<svg><use href="${at('use')}"/><image href="${at('image')}"/></svg><math><mi xlink:href="${at('m')}">x</mi></math>`,
      template: `<template><a href="${at('template')}">t</a></template><noscript><a href="${at('noscript')}">n</a></noscript>`,
      comment: `<!-- <a href="${at('comment')}">c</a> --><plaintext><a href="${at('plain')}">p</a>`,
    };
    const redirects: Record<string, Page> = {
      '/redirect': { status: 301, headers: { location: at('redirect') } },
      '/refresh-header': { headers: { refresh: `0; url=${at('header')}` }, body: article('R', 'By header.') },
      '/link-header': {
        headers: { link: `<${at('link')}>; rel="canonical"` },
        body: article('L', 'A link.'),
      },
      '/content-location': { headers: { 'content-location': at('cl') }, body: article('C', 'A location.') },
      '/as-text': {
        headers: { 'content-type': 'text/plain' },
        body: `See ${at('text')} for more of this text.`,
      },
      '/as-markdown': {
        headers: { 'content-type': 'text/markdown' },
        body: `# M\n\n[a](${at('md')}) ![b](${at('md.png')}) <${at('auto')}>`,
      },
      '/as-xml': {
        headers: { 'content-type': 'application/xhtml+xml' },
        body: `<!DOCTYPE html [<!ENTITY x SYSTEM "${at('entity')}">]><html><body><p>&x; is not read.</p></body></html>`,
      },
    };
    const named = Object.entries({ ...head, ...body }).map(([name, part], n): [string, Page] => [
      `/place-${n}`,
      name in head
        ? article(name, `A page with ${name}.`, part)
        : article(name, `A page with ${name}. ${part}`),
    ]);
    const pages = Object.fromEntries([...named, ...Object.entries(redirects)]);
    const { site, run } = await attack((running) => ({
      ...pages,
      '/': article('Home', linksTo(...Object.keys(pages))),
      '/robots.txt': () => ({
        body: [at('sitemap.xml'), `${running().origin}/own.xml`, `${running().origin}/away.xml`]
          .map((address) => `Sitemap: ${address}`)
          .join('\n'),
      }),
      '/away.xml': { status: 302, headers: { location: at('away.xml') } },
      '/own.xml': `<!DOCTYPE x [<!ENTITY x SYSTEM "${at('dtd')}">]><?xml-stylesheet href="${at('xsl')}"?><urlset>
        <url><loc>${at('loc')}</loc></url><sitemap><loc>${at('index.xml')}</loc></sitemap></urlset>`,
    }));
    try {
      assert.equal(run.state, 'published');
      for (const path of Object.keys(pages)) assert.ok(site.asked.includes(path), path);
      assert.equal(await canary.hits(), 0);
    } finally {
      await canary.close();
      await site.close();
    }
  });

  it('a host that sends no page any more ends the run', async () => {
    const site = await startWebsite({
      '/': article('Home', linksTo('/a', '/b', '/c')),
      '*': { status: 503 },
    });
    site.pages.set('/robots.txt', { status: 404 });
    site.pages.set('/sitemap.xml', { status: 404 });
    const worker = await syncs.worker.stop().then(() => syncs.startWorker({ hostSilenceMs: 1 }));
    try {
      const { run } = await syncs.sync(await syncs.create({ startUrls: [`${site.origin}/`] }));
      assert.equal(run.state, 'failed');
      assert.match(run.reason, /^127\.0\.0\.1:\d+ has sent no page for 0 minutes$/);
    } finally {
      await worker.stop();
      await site.close();
    }
  });

  it('a third website of an account waits until another one has been read', async () => {
    const held: (() => void)[] = [];
    const sites = await Promise.all(
      ['A', 'B', 'C'].map((name) =>
        startWebsite({
          '/': (_request, response) => {
            const answer = () => response.writeHead(200, html).end(article(name, `The page of ${name}.`));
            if (name === 'C') answer();
            else held.push(answer);
            return undefined;
          },
        }),
      ),
    );
    await syncs.worker.stop();
    const postponed = Promise.withResolvers<void>();
    const options = { othersMs: 1, responseWithinMs: 20_000 };
    const worker = syncs.startWorker(options, (_kind, result) => {
      if (result === 'retry') postponed.resolve();
    });
    try {
      const [a, b, c] = await Promise.all(
        sites.map(({ origin }) => syncs.create({ startUrls: [`${origin}/`] })),
      );
      const first = [await syncs.begin(a!), await syncs.begin(b!)];
      await eventually(() => held.length === 2);
      const third = await syncs.begin(c!);
      await postponed.promise;
      assert.deepEqual(sites[2]!.requests, []);
      for (const answer of held) answer();
      for (const id of [...first, third]) assert.equal((await syncs.ended(id)).run.state, 'published');
    } finally {
      await worker.stop();
      await Promise.all(sites.map((site) => site.close()));
    }
  });
});
