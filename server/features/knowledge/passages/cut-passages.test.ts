import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { runsOf, seed } from '../../../../test/support/sample.ts';
import { cutPassages, passageLength } from './cut-passages.ts';

const excerpts = (text: string) => cutPassages(text).map(({ start, end }) => text.slice(start, end));
const headings = (text: string) => cutPassages(text).map(({ heading }) => heading);
const words = (count: number, word = 'word') =>
  Array.from({ length: count }, (_, i) => `${word}${i}`).join(' ');

describe('cutting a text into passages', () => {
  it('begins one at each heading, with the path of headings', () => {
    const text =
      'Intro.\n\n# Returns\n\nWithin 30 days.\n\n## **Refunds** to [cards](https://x.example)\n\nIn 5 days.\n\n# Shipping #\n\nFree.';
    assert.deepEqual(headings(text), [null, 'Returns', 'Returns > Refunds to cards', 'Shipping']);
    assert.equal(excerpts(text)[2], '## **Refunds** to [cards](https://x.example)\n\nIn 5 days.');
  });

  it('puts a heading without a text before the part below it, and keeps one that has nothing below it', () => {
    const text = '# Returns\n## Refunds\nIn 5 days.\n## Closed\n# End';
    assert.deepEqual(excerpts(text), ['# Returns\n## Refunds\nIn 5 days.', '## Closed', '# End']);
    assert.deepEqual(headings(text), ['Returns > Refunds', 'Returns > Closed', 'End']);
  });

  it('knows underlined headings, and takes no line of code for one', () => {
    const text = 'Title\n=====\n\nText.\n\nPart\n----\n\n```sh\n# not a heading\n```\n';
    assert.deepEqual(headings(text), ['Title', 'Title > Part']);
  });

  it('cuts a long paragraph after a sentence, or after a word', () => {
    const sentence = `${words(60)}.`;
    const [first] = excerpts([sentence, sentence, sentence, sentence, sentence].join(' '));
    assert.ok(first!.endsWith('.') && first!.length <= passageLength, String(first!.length));
    for (const one of excerpts(words(1_000))) {
      assert.match(one, /^word\d+ .* word\d+$/);
      assert.ok(one.length <= passageLength);
    }
  });

  it('never cuts inside of a row of a table or an item of a list', () => {
    const long = words(300);
    const rows = Array.from({ length: 40 }, (_, i) => `| ${i} | ${i === 7 ? long : words(9)} |`);
    const items = Array.from({ length: 40 }, (_, i) => `- item ${i}\n  ${i === 7 ? long : words(9)}`);
    for (const list of [rows, items]) {
      const found = excerpts(`# List\n\n${list.join('\n')}`);
      assert.ok(found.length > 3);
      for (const row of list)
        assert.equal(found.filter((one) => one.includes(row)).length, 1, row.slice(0, 40));
      assert.ok(found.filter((one) => one.length > passageLength).length <= 1);
    }
  });

  it('takes no longer for a line that is made to be slow', () => {
    for (const line of [
      `# ${' '.repeat(400_000)}x`,
      `# ${'#'.repeat(400_000)}x`,
      `# ${'['.repeat(400_000)}`,
      '- '.repeat(200_000),
    ]) {
      const began = performance.now();
      cutPassages(line);
      assert.ok(performance.now() - began < 5_000);
    }
  });

  it('has each character in one passage, within its length, whatever the text is', () => {
    const line = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.constantFrom(
        '',
        '# A',
        '## B',
        '### C ###',
        '```',
        '~~~~',
        '- item',
        '  more',
        '| a | b |',
        '===',
        '---',
        '\r',
        '\t',
      ),
      fc.integer({ min: 1, max: 500 }).map((count) => words(count, '𝒲örd ')),
      fc.integer({ min: 1, max: 4_000 }).map((count) => '😀'.repeat(count)),
    );
    const texts = fc.array(line, { maxLength: 30 }).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(texts, (text) => {
        const cuts = cutPassages(text);
        let before = 0;
        for (const { start, end } of cuts) {
          assert.ok(start >= before && end > start);
          assert.equal(text.slice(before, start).trim(), '');
          assert.ok(/^\S[\s\S]*\S$|^\S$/.test(text.slice(start, end)));
          assert.ok(end - start <= 12_000, 'bounded');
          before = end;
        }
        assert.equal(text.slice(before).trim(), '');
        if (text.isWellFormed()) for (const one of excerpts(text)) assert.ok(one.isWellFormed());
      }),
      { numRuns: runsOf(300), seed },
    );
  });
});
