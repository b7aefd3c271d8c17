import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isFull, runsOf, seed } from '../../../test/support/sample.ts';
import { compileTerm, matchText, NO_MATCH, prepareText, type Term } from '../match/match.ts';
import { SearchIndex, type SearchText } from '../store/index.ts';
import { rankRecords } from './rank-records.ts';
import { intersectTerm, seemsToMatch } from './refine.ts';
import { Workspace } from './workspace.ts';

const never = () => undefined;
const work = new Workspace();

/** A word that nearly all records have, one that few have, a number, and noise: lists of all lengths. */
const anyText = fc.oneof(
  { weight: 6, arbitrary: fc.constant('Reichel GmbH') },
  { weight: 2, arbitrary: fc.constantFrom('Ana Silva', 'ana.silva@example.com', 'ORD-2021-77', 'São Paulo') },
  { weight: 1, arbitrary: fc.string({ unit: fc.constantFrom(...'abr.-é1'), minLength: 1, maxLength: 9 }) },
);
const anyTexts = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: anyText.map((text) => ({ text, isPhone: false })) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('+55 11 2021-7', '2021').map((text) => ({ text, isPhone: true })),
    },
  ),
  { maxLength: 4 },
);
const anyTerm = fc
  .constantFrom(
    'reichel',
    'riechel',
    'gmb',
    'ana',
    'silva',
    'd-2021',
    '2021',
    '(2021)',
    'a',
    'paulo',
    'example.c',
    'br',
  )
  .map(compileTerm);

const idOf = (number: number) => `018f0000-0000-7000-8000-${String(number).padStart(12, '0')}`;

function rankOfTexts(term: Term, texts: SearchText[]): number {
  return Math.min(NO_MATCH, ...texts.map(({ text, isPhone }) => matchText(term, prepareText(text, isPhone))));
}

/** Starting from the parts that the last term matched: their number decides how records are checked. */
function stepsToValues({ values }: SearchIndex): number {
  let steps = work.phones.count;
  for (const token of work.tokens.touched.subarray(0, work.tokens.count))
    steps += values.valuesOfToken.count(token);
  return steps;
}

/** By record: twice the typos of both terms, plus one unless one of them matches at a word start. */
function expectedOf(records: Map<string, SearchText[]>, terms: Term[]): [string, number][] {
  return [...records].flatMap(([id, texts]): [string, number][] => {
    const ranks = terms.map((term) => rankOfTexts(term, texts));
    if (ranks.includes(NO_MATCH)) return [];
    const typos = ranks.reduce((sum, rank) => sum + (rank >> 1), 0);
    return [[id, typos * 2 + (ranks.some((rank) => rank % 2 === 0) ? 0 : 1)]];
  });
}

describe('one more term, asked of the records that matched the first', () => {
  test('keeps the same ones in every way there is', async () => {
    const runs = runsOf(60);
    const kept = { none: 0, some: 0 };
    const ways = { spread: 0, asked: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyTexts, { minLength: 100, maxLength: 140 }),
        fc.array(fc.tuple(fc.nat({ max: 99 }), anyTexts), { maxLength: 40 }),
        fc.array(fc.tuple(anyTerm, anyTerm), { minLength: 4, maxLength: 4 }),
        async (first, changes, pairs) => {
          const index = new SearchIndex();
          const records = new Map<string, SearchText[]>();
          const all = [...first.entries(), ...changes];
          for (const [number, chosen] of all) {
            const id = idOf(number);
            // Values of their own, so that many steps lead from a common token to the records.
            const texts = [{ text: `ORD-2021-${number}`, isPhone: false }, ...chosen];
            index.upsert({ id, kanbanId: 'k', status: 's', createdAt: 0, updatedAt: 0, texts });
            records.set(id, texts);
          }
          for (const terms of pairs) {
            const expected = expectedOf(records, terms);
            kept[expected.length === 0 ? 'none' : 'some']++;
            // None are few: all texts are looked through. All are: only those of the records that are left.
            for (const few of [0, Number.POSITIVE_INFINITY]) {
              await rankRecords(index, terms[0], work, never);
              work.matches.takeFirst(work.records);
              const before = work.matches.count;
              await intersectTerm(index, terms[1], few, work, never);
              if (few === 0 && terms[1].pattern.length > 1)
                ways[before * 3 > stepsToValues(index) ? 'spread' : 'asked']++;
              const { count, ids, classes } = work.matches;
              const found = Array.from({ length: count }, (_, i) => [
                index.records.idOf(ids[i]!),
                classes[i],
              ]);
              assert.deepEqual(found, expected, `${terms.map(({ text }) => text)} with ${few}`);
            }
            for (const [id, texts] of records) {
              const isMatch = rankOfTexts(terms[1], texts) !== NO_MATCH;
              assert.equal(seemsToMatch(index, terms[1], index.records.find(id)!), isMatch);
            }
          }
        },
      ),
      { seed, numRuns: runs },
    );
    // That the generator still tests something. A short run may draw hardly any of the rare ones.
    const least = isFull
      ? { none: 2, some: 51, spread: 21, asked: 21 }
      : { none: 0, some: 4, spread: 2, asked: 0 };
    assert.ok(kept.none >= least.none && kept.some >= least.some, JSON.stringify(kept));
    assert.ok(ways.spread >= least.spread && ways.asked >= least.asked, JSON.stringify(ways));
  });
});
