import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Block, parseMarkdown, toPlainText } from './markdown.ts';
import { type Inline, parseInlines } from './markdown-inlines.ts';

/** A short form to compare by: `ol3[one][two]`. */
const shown = (blocks: readonly Block[]): string => blocks.map(shownBlock).join(' ');
function shownBlock(block: Block): string {
  if (block.kind === 'code') return `code(${block.text})`;
  if (block.kind !== 'list') return `${block.kind === 'heading' ? 'h' : 'p'}(${shownInlines(block.inlines)})`;
  const items = block.items.map(
    ({ inlines, lists }) => `[${shownInlines(inlines)}${lists.length > 0 ? ` ${shown(lists)}` : ''}]`,
  );
  return `${block.start === null ? 'ul' : `ol${block.start}`}${items.join('')}`;
}
const shownInlines = (inlines: readonly Inline[]): string =>
  inlines
    .map((one) => {
      if (one.kind === 'text') return one.text;
      if (one.kind === 'link') return `<${one.text}|${one.href}>`;
      if (one.kind === 'code') return `\`${one.text}\``;
      return `${one.kind}(${shownInlines(one.inlines)})`;
    })
    .join('');
const parsed = (text: string) => shown(parseMarkdown(text));

describe('Markdown of messages', () => {
  it('paragraphs keep their line breaks, headings and code are blocks', () => {
    assert.equal(parsed('one\n  two\n\nthree'), 'p(one\n  two) p(three)');
    assert.equal(parsed('# Title\ntext\n## **Second**'), 'h(Title) p(text) h(strong(Second))');
    assert.equal(parsed('#1 in sales'), 'p(#1 in sales)');
    assert.equal(parsed('so:\n```js\na = `b`;\n  c\n```\nend'), 'p(so:) code(a = `b`;\n  c) p(end)');
    assert.equal(parsed('```\nnever closed\n\n- x'), 'code(never closed\n\n- x)');
    assert.equal(parsed('one\r\ntwo\rthree'), 'p(one\ntwo\nthree)');
    assert.equal(parsed(' \n\n '), '');
  });

  it('numbered lists go on counting: over empty lines, over text, from any number', () => {
    assert.equal(parsed('1. one\n2. two\n3) three'), 'ol1[one][two][three]');
    assert.equal(parsed('1. one\n\n2. two\n\n\n3. three'), 'ol1[one][two][three]');
    assert.equal(parsed('1. one\nbetween\n2. two'), 'ol1[one] p(between) ol2[two]');
    assert.equal(parsed('1. one\n- a\n- b\n2. two'), 'ol1[one] ul[a][b] ol2[two]');
    assert.equal(parsed('7. seven'), 'ol7[seven]');
    assert.equal(parsed('10:30 is fine. 2. no list'), 'p(10:30 is fine. 2. no list)');
  });

  it('lists nest by their indent, and hold lines that are indented', () => {
    assert.equal(parsed('1. one\n   - a\n   - b\n2. two'), 'ol1[one ul[a][b]][two]');
    assert.equal(parsed('- a\n  more\n  1. x\n    - deep\n- b'), 'ul[a\nmore ol1[x ul[deep]]][b]');
    assert.equal(parsed('• a\n* b\n+ c\n-no'), 'ul[a][b][c] p(-no)');
    const deep = Array.from({ length: 50 }, (_, at) => `${' '.repeat(at * 2)}- x`).join('\n');
    assert.match(parsed(deep), /^ul\[x ul\[x ul\[x ul\[x\]\[x\]/, 'four levels at most');
  });

  it('code, emphasis and links are found in a line', () => {
    assert.equal(
      parsed('a `b` **c** *d* _e_ __f__ ***g*** [h](https://i.j) https://k.l/m.'),
      'p(a `b` strong(c) emphasis(d) emphasis(e) strong(f) strong(emphasis(g)) <h|https://i.j/> <https://k.l/m|https://k.l/m>.)',
    );
    assert.equal(parsed('**a _b_ `c` [d](mailto:e@f.g)**'), 'p(strong(a emphasis(b) `c` <d|mailto:e@f.g>))');
    for (const literal of ['2*3*4', '2 * 3 * 4', 'snake_case_name', '** a **', 'a*', '__init', '`', '*\n*']) {
      assert.equal(parsed(literal), `p(${literal})`);
    }
  });

  it('an address that leads to no page, mailbox or telephone stays text', () => {
    for (const address of [
      'javascript:alert(1)',
      'data:text/html,x',
      'vbscript:x',
      '//evil',
      'x',
      'file:///etc',
    ]) {
      assert.doesNotMatch(parsed(`[label](${address})`), /<.*\|/, address);
    }
    assert.equal(parsed('HTTPS://A.B/C'), 'p(<HTTPS://A.B/C|https://a.b/C>)');
  });

  it('without labels the address itself is shown, so that no label can lie about it', () => {
    assert.equal(
      shownInlines(parseInlines('see [https://bank.example](https://evil.example)', { labels: false })),
      'see [https://bank.example](<https://evil.example|https://evil.example/>)',
    );
  });

  it('as plain text it is one line without signs', () => {
    assert.equal(toPlainText('**a** `b` [c](https://d.e) _f_'), 'a b c f');
    assert.equal(
      toPlainText('# Title\n\n1. one\n2. **two**\n   - x\n\n```\ncode\n```'),
      'Title 1. one 2. two • x code',
    );
    assert.equal(toPlainText('**cut off in the mid'), 'cut off in the mid');
    assert.equal(toPlainText('see `cut off'), 'see cut off');
    assert.equal(toPlainText('2 * 3 and snake_case'), '2 * 3 and snake_case');
  });

  it('the longest hostile text is parsed at once', () => {
    const length = 65_536;
    const pieces = [
      ...['[', '[a](', '[a]', '`', '`a`', '*', '**', '***', '**a**', '*a* ', '_', '__', '_a_ ', '__a__ '],
      ...[
        'https://!',
        '!',
        '- ',
        '- a\n',
        '1. a\n',
        '  - a\n',
        '\n',
        ' \n',
        '```',
        '```\n',
        '# a\n',
        '\t',
        ' ',
        '** ',
      ],
      ...['*a ', '_a ', '**a ', '`a ', '1. ', '1.\t', '(', ')', '](', '\r'],
    ];
    for (const piece of pieces) {
      for (const start of ['', 'https://a', '[', '`', '- ', '**a']) {
        const text = `${start}${piece.repeat(length)}`.slice(0, length - 1).concat('x');
        const begin = process.cpuUsage();
        const blocks = parseMarkdown(text);
        toPlainText(text);
        // What takes time in proportion to the square takes seconds.
        assert.ok(process.cpuUsage(begin).user < 1_000_000, JSON.stringify(`${start}${piece}…`));
        assert.ok(blocks.length > 0);
      }
    }
    const staircase = Array.from({ length: 350 }, (_, at) => `${' '.repeat(at)}- x`).join('\n');
    assert.ok(parseMarkdown(staircase).length > 0);
    assert.equal(parseInlines('`a`'.repeat(20_000)).length, 20_000);
  });
});
