import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ArticleBlock, imagesOf, parseArticle } from './article.ts';
import type { Inline } from './markdown-inlines.ts';

const key = '0199c5a0-0000-7000-8000-000000000001';
const inlines = (parts: readonly Inline[]): string =>
  parts.map((one) => ('inlines' in one ? `*${inlines(one.inlines)}*` : one.text)).join('');
const shown = (block: ArticleBlock): string => {
  if (block.kind === 'image') return `image(${block.alt})`;
  if (block.kind !== 'table') return block.kind;
  return `table[${[block.head, ...block.rows].map((row) => row.map(inlines).join(',')).join(' / ')}]`;
};
const parsed = (text: string) => parseArticle(text).map(shown).join(' ');

describe('Markdown of articles', () => {
  it('has tables with a row for each line, no wider than their head', () => {
    assert.equal(
      parsed('Prices:\n| Plan | Price |\n|---|:-:|\n| **A** | 1 \\| 2 |\n| B |\n| C | 3 | 4 |\nend'),
      'paragraph table[Plan,Price / *A*,1 | 2 / B / C,3] paragraph',
    );
    assert.equal(parsed('| no | table |\n| a | b |'), 'paragraph');
    assert.equal(parsed('|---|---|'), 'paragraph');
    assert.equal(parsed('| a |\n| : |'), 'paragraph');
  });

  it('has images of uploaded files on lines of their own, and no others', () => {
    assert.equal(parsed(`a\n![A plug](file:${key})\nb`), 'paragraph image(A plug) paragraph');
    for (const text of [
      `see ![x](file:${key})`,
      '![x](https://example.com/x.png)',
      '![x](file:../etc)',
      '![x](data:image/png;base64,AA)',
    ]) {
      assert.equal(parsed(text), 'paragraph', text);
    }
    assert.deepEqual(imagesOf(`![a](file:${key})\n\n![b](file:${key})`), [key]);
  });

  it('shows in code what it would be elsewhere', () => {
    const code = `\`\`\`\n| a | b |\n|---|---|\n![x](file:${key})\n\`\`\``;
    assert.equal(parsed(code), 'code');
    assert.deepEqual(imagesOf(code), []);
  });

  it('parses the longest hostile text at once', () => {
    const wide = `${'|'.repeat(60_000)}\n|${'-|'.repeat(30_000)}\n${'||\n'.repeat(25_000)}`;
    const almostRule = `|a|\n|${'-'.repeat(199_990)}x|`;
    for (const piece of [
      wide,
      almostRule,
      '|',
      '| ',
      '|-',
      '\\|',
      '|\n',
      '|-|\n',
      '![',
      '![a](file:',
      ' -',
      '```\n|',
    ]) {
      const text = piece.repeat(Math.ceil(200_000 / piece.length));
      const begin = process.cpuUsage();
      assert.ok(parseArticle(text).length > 0);
      assert.ok(process.cpuUsage(begin).user < 1_000_000, JSON.stringify(piece.slice(0, 20)));
    }
  });
});
