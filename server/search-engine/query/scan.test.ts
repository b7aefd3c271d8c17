import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isFull, runsOf, seed } from '../../../test/support/sample.ts';
import { compileTerm, matchText, NO_MATCH, prepareText } from '../match/match.ts';
import { foldText } from '../store/text.ts';
import { Values } from '../store/values.ts';
import { cheaperScan, rankOfValue, rankValues } from './scan.ts';
import { selectRange } from './select.ts';
import { Workspace } from './workspace.ts';

const never = () => undefined;

/** Few letters, so that texts rejected by masks and signatures are often near matches. */
const LETTERS = ['ab', 'abc', 'abcdef12', 'aж山', '12', 'abcdefghijklmnop'];
const BETWEEN = ['.', '-', '@', '/', '_', '+', '--', '://', '’'];

/** Texts up to some length are compared several at once. */
const padding = fc.oneof(
  { weight: 9, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.integer({ min: 40, max: 70 }) },
);

const wordOf = (letters: string) =>
  fc.array(fc.constantFrom(...letters), { minLength: 0, maxLength: 7 }).map((list) => list.join(''));
const tokenOf = (letters: string) =>
  fc
    .array(fc.tuple(wordOf(letters), fc.constantFrom(...BETWEEN, '')), { minLength: 1, maxLength: 6 })
    .map((parts) => parts.flat().join('') || 'a')
    .chain((token) => padding.map((length) => token + 'z'.repeat(length)));
const edit = fc.tuple(fc.nat(), fc.constantFrom('insert', 'delete', 'replace', 'swap'), fc.nat());

function misspelt(
  token: string,
  alphabet: string,
  [start, length]: [number, number],
  edits: [number, string, number][],
): string {
  const all = [...token];
  const from = start % all.length;
  const list = all.slice(from, from + 1 + length);
  for (const [place, kind, pick] of edits) {
    const at = place % (list.length + 1);
    const character = [...alphabet][pick % [...alphabet].length]!;
    if (kind === 'insert') list.splice(at, 0, character);
    else if (kind === 'delete') list.splice(at, 1);
    else if (kind === 'replace') list.splice(at, 1, character);
    else list.splice(at, 2, ...list.slice(at, at + 2).reverse());
  }
  return list.join('');
}

const anyCase = fc.constantFrom(...LETTERS).chain((letters) =>
  fc.record({
    tokens: fc.array(fc.tuple(tokenOf(letters), fc.boolean()), { minLength: 1, maxLength: 12 }),
    terms: fc.array(
      fc.tuple(fc.nat(), fc.tuple(fc.nat(), fc.nat({ max: 40 })), fc.array(edit, { maxLength: 3 })),
      { minLength: 1, maxLength: 8 },
    ),
    alphabet: fc.constant(`${letters}.-@`),
  }),
);

describe('ranking values by a term', () => {
  test('equals comparing the term with every value, by either scan, also where a match runs across words', async () => {
    const work = new Workspace();
    let matches = 0;
    const runs = runsOf(1000);
    await fc.assert(
      fc.asyncProperty(anyCase, async ({ tokens, terms, alphabet }) => {
        const values = new Values();
        const texts = new Map(
          tokens.map(([text, isPhone]) => [values.intern(text, isPhone), { text, isPhone }]),
        );
        texts.delete(-1);
        for (const [pick, range, edits] of terms) {
          const text = foldText(misspelt(tokens[pick % tokens.length]![0], alphabet, range, edits));
          if (text === '') continue;
          const term = compileTerm(text);
          for (const scan of ['words', 'tokens', undefined] as const) {
            await rankValues(values, term, work, never, scan);
            for (const [id, value] of texts) {
              const expected = matchText(term, prepareText(value.text, value.isPhone));
              if (expected !== NO_MATCH) matches++;
              assert.equal(rankOfValue(values, term, id), expected, `${text} asked of ${value.text}`);
              assert.equal(
                work.values.best[id],
                expected,
                `${text} in ${value.text}${value.isPhone ? ' (phone)' : ''}, by ${scan ?? 'the cheaper scan'}`,
              );
            }
          }
        }
      }),
      { seed, numRuns: runs },
    );
    assert.ok(
      matches > (isFull ? 3000 : 100),
      `only ${matches} matches: the generator no longer tests anything`,
    );
  });
});

describe('the scan of a long term', () => {
  const values = new Values();
  for (let i = 0; i < 5_000; i++) {
    values.intern(`person${i}@example.com`, false);
    values.intern(`XX-${10_000 + i * 17}/J${i % 50}`, false);
  }
  const chosen = (text: string) => cheaperScan(values, compileTerm(foldText(text)));

  test('is one of words where many tokens share a word', () => {
    assert.deepEqual(['example', 'exmaple', 'person'].map(chosen), ['words', 'words', 'words']);
  });

  test('is one of tokens where the filters leave few, as for an article number', () => {
    assert.deepEqual(['XX-80629/J', 'x-80629/J1', 'XX-8O629/J12'].map(chosen), [
      'tokens',
      'tokens',
      'tokens',
    ]);
  });
});

describe('selecting a range', () => {
  test('equals sorting everything, near the top and far below, with many equal keys', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 20 }), { maxLength: 3000, size: 'max' }),
        fc.nat({ max: 3000 }),
        fc.nat({ max: 100 }),
        (keys, from, count) => {
          const elements = Uint32Array.from(keys.keys());
          const breakTie = (a: number, b: number) => b - a;
          const sorted = [...elements].sort((a, b) => keys[b]! - keys[a]! || breakTie(a, b));
          const found = selectRange(
            { elements, keys: Float64Array.from(keys), breakTie },
            from,
            from + count,
          );
          assert.deepEqual(found, sorted.slice(from, from + count));
        },
      ),
      { seed, numRuns: runsOf(200) },
    );
  });
});
