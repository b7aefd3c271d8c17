import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { runsOf, seed } from '../../../../../test/support/sample.ts';
import { parseRuns } from './connectors.markdown.ts';
import { formatText } from './connectors.split.ts';

const formats = ['html', 'whatsapp', 'plain'] as const;
const one = (text: string, format: (typeof formats)[number]) => formatText(text, format, 4_096).join('|');
const withoutTags = (html: string) => html.replace(/<[^>]*>/g, '');
const unescaped = (text: string) =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
const visible = (text: string, format: string) => (format === 'html' ? unescaped(withoutTags(text)) : text);
const withoutNumber = (text: string) => text.replace(/^\(\d+\/\d+\) /, '');
const solid = (text: string) => text.replace(/\s/g, '');

describe('Markdown in the channel’s format', () => {
  const cases: [string, string, string, string][] = [
    ['**b** *i* _j_', '<b>b</b> <i>i</i> <i>j</i>', '*b* _i_ _j_', 'b i j'],
    ['***x*** ~~y~~', '<b><i>x</i></b> <s>y</s>', '*_x_* ~y~', 'x y'],
    ['`a<b` & c', '<code>a&lt;b</code> &amp; c', '`a<b` & c', 'a<b & c'],
    ['```\na\n b\n```', '<pre>a\n b</pre>', '```a\n b```', 'a\n b'],
    [
      '[us](https://a.example/x?a=1&b="2")',
      '<a href="https://a.example/x?a=1&amp;b=%222%22">us</a>',
      'us (https://a.example/x?a=1&b=%222%22)',
      'us (https://a.example/x?a=1&b=%222%22)',
    ],
    [
      'see https://a.example/b.',
      'see https://a.example/b.',
      'see https://a.example/b.',
      'see https://a.example/b.',
    ],
    ['[x](javascript:alert)', 'x', 'x', 'x'],
    [
      '# Title\n- one\n- **two**',
      '<b>Title</b>\n• one\n• <b>two</b>',
      '*Title*\n• one\n• *two*',
      'Title\n• one\n• two',
    ],
    ['> a\n> b\nc', '<blockquote>a\nb</blockquote>\nc', '> a\n> b\nc', '> a\n> b\nc'],
    ['2 * 3 * 4 and a_b_c', '2 * 3 * 4 and a_b_c', '2 * 3 * 4 and a_b_c', '2 * 3 * 4 and a_b_c'],
    ['<b>no</b>', '&lt;b&gt;no&lt;/b&gt;', '<b>no</b>', '<b>no</b>'],
  ];
  for (const [text, html, whatsapp, plain] of cases) {
    it(JSON.stringify(text), () => {
      assert.deepEqual(
        formats.map((format) => one(text, format)),
        [html, whatsapp, plain],
      );
    });
  }

  it('a hostile text takes time in proportion to it', () => {
    for (const sign of ['*', '_', '`', '[', '~~', '> ', '**a'])
      assert.ok(one(sign.repeat(20_000), 'html') !== '');
  });
});

describe('splitting', () => {
  it('at sentence and line ends, with numbers in front', () => {
    assert.deepEqual(formatText('One two. Three four! Five\nsix seven ok', 'plain', 20), [
      '(1/4) One two.',
      '(2/4) Three four!',
      '(3/4) Five',
      '(4/4) six seven ok',
    ]);
  });

  it('at a space where there is no end, and anywhere where there is no space', () => {
    assert.deepEqual(formatText('aaaa bbbb cccc', 'plain', 12), ['(1/3) aaaa', '(2/3) bbbb', '(3/3) cccc']);
    assert.deepEqual(formatText('abcdefghij', 'plain', 9), [
      '(1/4) abc',
      '(2/4) def',
      '(3/4) ghi',
      '(4/4) j',
    ]);
  });

  it('Telegram’s tags do not count, and are closed and opened again', () => {
    const [first, second, ...more] = formatText(`**${'a'.repeat(14)} ${'b'.repeat(10)}**`, 'html', 20);
    assert.deepEqual([first, second, more], ['(1/2) <b>aaaaaaaaaaaaaa</b>', '(2/2) <b>bbbbbbbbbb</b>', []]);
  });

  it('in bytes where the provider counts them', () => {
    const sentence = 'Olá! Você já recebeu o café e as maçãs de São João? ';
    for (const text of [sentence.repeat(40), 'ã'.repeat(1_200), '👩‍👩‍👧‍👦'.repeat(90), '語'.repeat(700)]) {
      const parts = formatText(text, 'plain', 1_000, true);
      const sizes = parts.map((part) => Buffer.byteLength(part));
      assert.ok(
        sizes.every((size) => size <= 1_000) && parts.every((part) => part.isWellFormed()),
        `${sizes}`,
      );
      assert.ok(
        sizes.slice(0, -1).every((size) => size > 900),
        `as few as can be: ${sizes}`,
      );
      const whole = parts.map((part) => part.replace(/^\(\d+\/\d+\) /, '')).join('');
      assert.equal(whole.replaceAll(' ', ''), text.replaceAll(' ', ''));
    }
    assert.equal(formatText('ã'.repeat(500), 'plain', 1_000, true).length, 1);
  });

  it('every part is within the limit, whole, and nothing is lost', () => {
    const word = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
      fc.constantFrom(
        '**bold words**',
        '_it_',
        '`code`',
        '[a](https://a.example)',
        '. ',
        '\n',
        '👩‍👩‍👧‍👦',
        'e\u0301',
        '```\nx y\n```',
      ),
    );
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 60 }).map((words) => words.join(' ')),
        fc.constantFrom(...formats),
        fc.integer({ min: 40, max: 200 }),
        (text, format, limit) => {
          const parts = formatText(text, format, limit);
          for (const part of parts) {
            assert.ok(part.isWellFormed() && visible(part, format).length <= limit && part.trim() !== '');
          }
          if (parts.length > 1) {
            const numbers = parts.map((part) => /^\((\d+)\/(\d+)\) /.exec(part)!.slice(1).map(Number));
            assert.deepEqual(
              numbers,
              parts.map((_, index) => [index + 1, parts.length]),
            );
          }
          if (format !== 'html') return;
          const sent = parts.map((part) => (parts.length > 1 ? withoutNumber(part) : part)).join('');
          const given = parseRuns(text.trim()).map((run) => run.text);
          assert.equal(solid(visible(sent, format)), solid(given.join('')));
          for (const part of parts) assertBalanced(part);
        },
      ),
      { seed, numRuns: runsOf(200) },
    );
  });

  it('no character that people see as one is cut', () => {
    const family = '👩‍👩‍👧‍👦';
    const parts = formatText(family.repeat(40), 'html', 60).map(withoutNumber);
    for (const part of parts) assert.equal(part.length % family.length, 0);
    assert.equal(parts.join(''), family.repeat(40));
  });
});

function assertBalanced(html: string): void {
  const open: string[] = [];
  for (const [, slash, name] of html.matchAll(/<(\/?)([a-z]+)[^>]*>/g)) {
    if (slash === '') open.push(name!);
    else assert.equal(open.pop(), name);
  }
  assert.deepEqual(open, []);
}
