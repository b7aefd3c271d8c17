/** The documents agree with themselves: links and anchors exist, decisions have unique numbers, cited ones exist. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, it } from 'node:test';
import { root } from '../support/program.ts';

const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
const files = execFileSync('git', list, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 })
  .split('\0')
  .filter((file) => file !== '' && existsSync(join(root, file)));
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const pages = files.filter((file) => file.endsWith('.md'));
const decisions = read('docs/decisions.md') + read('docs/history.md');
const numbers = [...decisions.matchAll(/^- \*\*(D-\d{3}) /gm)].map((match) => match[1]!);

describe('the documents', () => {
  it('link to files and headings that exist', () => {
    const broken = pages.flatMap((page) => linksOf(read(page)).flatMap((link) => problemOf(page, link)));
    assert.deepEqual(broken, []);
  });

  it('number every decision once', () => {
    const entries = decisions.match(/^- \*\*/gm) ?? [];
    assert.equal(numbers.length, entries.length, 'a decision has no number');
    const twice = numbers.filter((number, index) => numbers.indexOf(number) !== index);
    assert.deepEqual(twice, []);
  });

  it('cite only decisions that exist', () => {
    const known = new Set(numbers);
    const unknown = files
      .filter((file) => /\.(md|mjs|sql|tsx?)$/.test(file))
      .flatMap((file) =>
        [...read(file).matchAll(/\bD-\d{3}\b/g)].map((match) => ({ file, number: match[0] })),
      )
      .filter(({ number }) => !known.has(number));
    assert.deepEqual(unknown, []);
  });

  it('name only files that exist', () => {
    const names = new Set(files.map((file) => file.split('/').at(-1)));
    const exists = (path: string) =>
      path.startsWith('.') || !path.includes('/')
        ? names.has(path.split('/').at(-1))
        : files.some((file) => file === path || file.endsWith(`/${path}`));
    const named = pages
      .filter((page) => page !== 'CHANGELOG.md' && page !== 'docs/history.md')
      .flatMap((page) =>
        [...read(page).matchAll(/`([\w./-]+\.(?:tsx?|mjs|sql))`/g)].map((match) => ({
          page,
          path: match[1]!,
        })),
      );
    const gone = named.filter(({ path }) => !examples.test(path) && !exists(path));
    assert.deepEqual(gone, []);
  });
});

/** Of a connector, a test and a migration that a reader would write. */
const examples = /pigeon|^x\.test\.ts$/;

/** Relative links only; links in code are examples. */
function linksOf(text: string): string[] {
  const prose = text.replace(/```[\s\S]*?```/g, '').replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map((match) => match[1]!)
    .filter((link) => !/^[a-z]+:/.test(link));
}

function problemOf(page: string, link: string): string[] {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : normalize(join(dirname(page), path));
  if (!existsSync(join(root, target))) return [`${page}: ${link} does not exist`];
  if (!anchor || !target.endsWith('.md') || anchorsOf(read(target)).includes(anchor)) return [];
  return [`${page}: ${link} has no such heading`];
}

/** As GitHub makes them. */
function anchorsOf(text: string): string[] {
  const headings = text.replace(/```[\s\S]*?```/g, '').matchAll(/^#+ (.+)$/gm);
  return [...headings].map((match) =>
    match[1]!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-'),
  );
}
