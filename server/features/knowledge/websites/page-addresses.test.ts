import assert from 'node:assert/strict';
import { it } from 'node:test';
import { looksLikeFile, pageAddress, placeOf, scopeOf } from './page-addresses.ts';

const site = 'https://example.com';
const scope = (include: string[] = [], exclude: string[] = []) => ({
  startUrls: [`${site}/help`, 'https://example.com:8443/', 'http://other.example/'],
  include,
  exclude,
});

it('an address has one spelling, without its fragment', () => {
  const cases: [string, string | undefined, string | null][] = [
    ['HTTPS://Example.com:443/a/../b#part', undefined, 'https://example.com/b'],
    ['../c?x=1#y', `${site}/a/b`, `${site}/c?x=1`],
    ['//other.example/a', site, 'https://other.example/a'],
    ['https://bücher.example/ä', undefined, 'https://xn--bcher-kva.example/%C3%A4'],
    ['mailto:a@example.com', site, null],
    ['javascript:alert(1)', site, null],
    ['file:///etc/passwd', site, null],
    ['https://user:secret@example.com/', site, null],
    ['https://', site, null],
    [`${site}/${'a'.repeat(2_048)}`, undefined, null],
  ];
  for (const [text, base, expected] of cases) assert.equal(pageAddress(text, base), expected, text);
});

it('a page is read only on the origins of the addresses to begin with', () => {
  for (const address of [`${site}/`, 'https://example.com:8443/x', 'http://other.example/y']) {
    assert.equal(scopeOf(scope())(address), null, address);
  }
  for (const address of [
    'http://example.com/',
    'https://www.example.com/',
    'https://example.com:444/',
    'https://example.com.evil.example/',
    'https://other.example/',
  ]) {
    assert.match(scopeOf(scope())(address)!, /^outside of https:\/\/example\.com, /, address);
  }
});

it('a page is read only below the included paths, however it is spelled', () => {
  const inside = ['/help', '/help/', '/help/a', '/help?x=/other', '/%68elp/a', '/docs/a'];
  const outside = [
    '/',
    '/helpdesk',
    '/help2/a',
    '/HELP/a',
    '/help/../admin',
    '/help/..%2fadmin',
    '/help/%2e%2e%2fadmin',
    '/help/%252e%252e%252fadmin',
    '/help/..%5cadmin',
    '/admin/..%2fhelp/a',
    '/other?x=/help/',
  ];
  for (const path of inside) assert.equal(scopeOf(scope(['/help', '/docs/']))(site + path), null, path);
  for (const path of outside) {
    assert.equal(scopeOf(scope(['/help', '/docs/']))(site + path), 'outside of /help, /docs/', path);
  }
});

it('an excluded path wins, however it is spelled', () => {
  for (const path of [
    '/help/private',
    '/help/private/a',
    '/help/%70rivate/a',
    '/help/x/..%2Fprivate/a',
    '/help//../private/a',
  ]) {
    const found = scopeOf(scope(['/help'], ['/help/private']))(site + path);
    assert.equal(found, 'inside of /help/private, which is excluded', path);
  }
  assert.equal(scopeOf(scope(['/help'], ['/help/private']))(`${site}/help/privately`), null);
});

it('people see the path of an address', () => {
  assert.equal(placeOf(`${site}/help/a?b=1`), '/help/a?b=1');
});

it('links to pictures, programs and archives are no pages; those to PDFs are', () => {
  for (const path of ['/a.png', '/a.JPG?x=1', '/b.css', '/c.zip', '/d.docx'])
    assert.ok(looksLikeFile(site + path));
  for (const path of ['/a', '/a.html', '/a.pdf', '/v1.2', '/a.php?x=b.png'])
    assert.ok(!looksLikeFile(site + path));
});
