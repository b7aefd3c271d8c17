import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readRobots } from './robots.ts';

const site = 'https://example.com';
const read = (text: string) => readRobots(`${site}/robots.txt`, text);
const allowed = (text: string, path: string) => read(text).isAllowed(site + path);

it('the rules of our own name count, else those of all', () => {
  const text = 'User-agent: *\nDisallow: /\n\nUser-agent: TalkBoard/1.0 # ours\nDisallow: /private\n';
  assert.deepEqual(
    ['/a', '/private/b', '/Private'].map((path) => allowed(text, path)),
    [true, false, true],
  );
  assert.equal(allowed('User-agent: otherbot\nDisallow: /\n', '/a'), true);
  assert.equal(allowed('User-agent: otherbot\nUser-agent: *\nDisallow: /a\n', '/a'), false);
  assert.equal(
    allowed('User-agent: *\nDisallow: /a\nUser-agent: b\nUser-agent: c\nDisallow: /\n', '/x'),
    true,
  );
  assert.equal(allowed('', '/a'), true);
});

it('the longest rule wins, with wildcards and ends', () => {
  const text = 'user-agent: *\r\ndisallow: /\r\nallow: /help\r\ndisallow: /help/*.pdf$\r\n';
  assert.deepEqual(
    ['/a', '/help/a', '/help/a.pdf', '/help/a.pdf?x'].map((path) => allowed(text, path)),
    [false, true, false, true],
  );
});

it('Crawl-delay is at most ten seconds', () => {
  const delay = (value: string) => read(`User-agent: *\nCrawl-delay: ${value}\nDisallow:\n`).delayMs;
  assert.deepEqual(
    ['2', '0.5', '3600', 'soon', '-1', '1e999'].map(delay),
    [2_000, 500, 10_000, 0, 0, 10_000],
  );
});

it('sitemaps are named anywhere', () => {
  const text = `Sitemap: ${site}/a.xml\nUser-agent: *\nDisallow: /\nSitemap: ${site}/b.xml\n`;
  assert.deepEqual(read(text).sitemaps, [`${site}/a.xml`, `${site}/b.xml`]);
});

it('names and rules by the thousand are read at once', () => {
  const names = 'User-agent: x\n'.repeat(20_000);
  const wildcards = `Disallow: /${'*a'.repeat(9)}b\n`.repeat(10_000);
  const began = process.cpuUsage();
  const robots = read(`${names}User-agent: *\n${wildcards}Disallow: /private\n`);
  assert.equal(robots.isAllowed(`${site}/private`), false);
  assert.equal(robots.isAllowed(`${site}/${'a'.repeat(2_000)}`), true);
  const { user, system } = process.cpuUsage(began);
  assert.ok(user + system < 3_000_000, `${user + system} µs`);
});

it('rules beyond the limits are ignored, and those of other robots do not count', () => {
  const others = `User-agent: otherbot\n${'Disallow: /*other\nDisallow: /x\n'.repeat(3_000)}`;
  const ours = (lines: string[]) => `${others}User-agent: *\n${lines.join('\n')}\n`;
  const numbered = (count: number, rule: (n: number) => string) =>
    Array.from({ length: count }, (_, n) => `Disallow: ${rule(n + 1)}`);
  const plain = ours(numbered(2_001, (n) => `/p${n}/`));
  assert.deepEqual([allowed(plain, '/p2000/'), allowed(plain, '/p2001/')], [false, true]);
  const wild = ours([...numbered(101, (n) => `/*w${n}/`), 'Disallow: /plain']);
  assert.deepEqual(
    ['/a/w100/', '/a/w101/', '/plain'].map((path) => allowed(wild, path)),
    [false, true, false],
  );
  const [long, tooLong] = [`/${'a'.repeat(199)}`, `/${'b'.repeat(200)}`];
  const lengths = ours([`Disallow: ${long}`, `Disallow: ${tooLong}`]);
  assert.deepEqual([allowed(lengths, long), allowed(lengths, tooLong)], [false, true]);
  const costly = ours(numbered(21, (n) => `/*${String(n).padStart(198, 'a')}`));
  assert.deepEqual(
    [20, 21].map((n) => allowed(costly, `/${String(n).padStart(198, 'a')}`)),
    [false, true],
  );
});

it('an ignored line ends the names of a group', () => {
  const text = `User-agent: *\nDisallow: /${'a'.repeat(300)}\nUser-agent: otherbot\nUser-agent: Talkboard\nNoindex: /\nUser-agent: b\nDisallow: /\n`;
  assert.equal(allowed(text, '/x'), true);
});

it('bytes of any kind are no error', () => {
  for (const text of ['\ufeffUser-agent: *\nDisallow: /a', 'User-agent: *\rDisallow: /a']) {
    assert.equal(allowed(text, '/a'), false);
  }
  for (const text of ['\0\0\0', '<html>not found</html>', 'Disallow: /', 'User-agent\nDisallow']) {
    assert.equal(allowed(text, '/a'), true);
  }
});
