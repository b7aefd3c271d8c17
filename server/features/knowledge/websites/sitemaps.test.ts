import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readSitemap } from './sitemaps.ts';

const site = 'https://example.com';

it('has the addresses of its pages', async () => {
  const text = `<?xml version="1.0" encoding="UTF-8"?>
    <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="x">
      <url><loc> ${site}/a?x=1&amp;y=2 </loc><lastmod>2026-01-01</lastmod>
        <image:image><image:loc>${site}/a.png</image:loc></image:image></url>
      <url><loc><![CDATA[${site}/b?x=1&y=2]]></loc></url>
      <url><loc></loc></url>
    </urlset>`;
  const { pages, sitemaps } = await readSitemap(text, 10);
  assert.deepEqual([pages, sitemaps], [[`${site}/a?x=1&y=2`, `${site}/b?x=1&y=2`], []]);
});

it('an index has those of sitemaps', async () => {
  const text = `<sitemapindex><sitemap><loc>${site}/1.xml</loc></sitemap><sitemap><loc>${site}/2.xml.gz</loc></sitemap></sitemapindex>`;
  const { pages, sitemaps } = await readSitemap(text, 10);
  assert.deepEqual([pages, sitemaps], [[], [`${site}/1.xml`, `${site}/2.xml.gz`]]);
});

it('a plain list is one too', async () => {
  assert.deepEqual((await readSitemap(`${site}/a\r\n\nnothing\n${site}/b`, 10)).pages, [
    `${site}/a`,
    `${site}/b`,
  ]);
});

it('entities of its own are not expanded', async () => {
  const text = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>
    <urlset><url><loc>${site}/&b;&f;</loc></url></urlset>`;
  const { pages } = await readSitemap(text, 10);
  assert.deepEqual(pages, [`${site}/&b;&f;`]);
});

it('reads no more than it is asked for, and lets others run meanwhile', async () => {
  const text = `<urlset>${`<url><loc>${site}/a</loc></url>`.repeat(100_000)}</urlset>`;
  let turns = 0;
  const count = setInterval(() => turns++, 1);
  const { pages } = await readSitemap(text, 50_000);
  clearInterval(count);
  assert.equal(pages.length, 50_000);
  assert.ok(turns > 0);
});

it('what is no sitemap has no addresses', async () => {
  for (const text of ['', '<html><body>Not found', '<urlset><url><loc>', '{}', '<'.repeat(10_000)]) {
    assert.deepEqual(await readSitemap(text, 10), { pages: [], sitemaps: [] });
  }
});
