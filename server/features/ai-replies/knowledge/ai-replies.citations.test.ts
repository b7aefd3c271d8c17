import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { runsOf, seed } from '../../../../test/support/sample.ts';
import { resolveCitations } from './ai-replies.citations.ts';
import { citationOf, relevantKnowledge } from './ai-replies.passages.ts';

const numbered = ['One', 'Two', 'Three'].map((title) => citationOf({ title, text: `text of ${title}` }));
const resolve = (text: string, otherTexts: string[] = []) => {
  const resolved = resolveCitations(text, numbered, otherTexts);
  return [resolved.text, resolved.citations.map(({ title }) => title).join()];
};

describe('marks of citations', () => {
  for (const [text, content, titles] of [
    ['30 days [2].', '30 days.', 'Two'],
    ['30 days[2]. Free [1].', '30 days. Free.', 'Two,One'],
    ['Free [1][2], always [1].', 'Free, always.', 'One,Two'],
    ['Free [1, 3] and fast [2;1].', 'Free and fast.', 'One,Three,Two'],
    ['Free [2](https://evil.example/x).', 'Free.', 'Two'],
    ['Free 【3】 and 【1†source】.', 'Free and.', 'Three,One'],
    ['No mark (1) here.', 'No mark (1) here.', ''],
    ['A [link](https://example.com).', 'A [link](https://example.com).', ''],
    ['[1]', '', 'One'],
  ] as const) {
    test(`${text} cites ${titles || 'nothing'}`, () => assert.deepEqual(resolve(text), [content, titles]));
  }

  test('an unknown number cites nothing and is taken out, also beside a known one', () => {
    assert.deepEqual(resolve('So [4], or [0], or [2, 9], or [9999].'), ['So, or, or, or.', 'Two']);
  });

  test('an unknown number that the customer wrote stays', () => {
    assert.deepEqual(resolve('Error [42] is known [1].', ['I get error [42]']), [
      'Error [42] is known.',
      'One',
    ]);
    assert.deepEqual(resolve('Error [1] is known.', ['I get error [1]']), ['Error is known.', 'One']);
  });

  test('code keeps its brackets, and cites nothing', () => {
    const text = 'Write `list[1]` or\n```\nlist[2]\n```';
    assert.deepEqual(resolve(`${text}\nas told [3].`), [`${text}\nas told.`, 'Three']);
    assert.deepEqual(resolve('```\nlist[2]'), ['```\nlist[2]', '']);
  });

  test('a long run of spaces is read once', () => {
    const text = `a${' '.repeat(1_000_000)}b`;
    assert.deepEqual(resolve(`${text} [1]`), [text, 'One']);
  });

  test('without numbered knowledge a reply is left as it is', () => {
    assert.deepEqual(resolveCitations('See [1].', [], []), { text: 'See [1].', citations: [] });
  });
});

describe("passages of an agent's own knowledge", () => {
  test('a short entry is one passage', () => {
    const { passages } = relevantKnowledge(
      { id: 'a', knowledge: [{ title: 'Hours', text: ' Nine. ' }] },
      '',
      100,
    );
    assert.deepEqual(passages, [citationOf({ title: 'Hours', text: ' Nine. ' })]);
  });

  test('for any text: an excerpt is exactly its part, in order, and nothing but white space is left out', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'é', '😀', ' ', '\n', 'word '), maxLength: 6_000 });
    fc.assert(
      fc.property(text, (given) => {
        const { passages } = relevantKnowledge(
          { id: 'a', knowledge: [{ title: 'T', text: given }] },
          '',
          1e6,
        );
        let at = 0;
        for (const { start, end, excerpt } of passages) {
          assert.equal(excerpt, given.slice(start, end));
          assert.equal(given.slice(at, start).trim(), '');
          assert.ok(excerpt.length <= 1_501 || given.length <= 1_500);
          at = end;
        }
        assert.equal(given.slice(at).trim(), '');
      }),
      { numRuns: runsOf(200), seed },
    );
  });
});
