import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isFull, runsOf, seed } from '../../../test/support/sample.ts';
import { Pattern } from '../match/pattern.ts';
import { encodeUtf8 } from '../store/utf8.ts';
import { BigramColumns, selectTexts } from './bigram-columns.ts';
import { bigramCoverOf } from './bigram-cover.ts';
import { bigramColumnsOf } from './bigram-pieces.ts';

const BLOCK = 1024;

const ALPHABETS = ['ab', 'abcdefgh.-@', 'aжя山👍1', '0123456789-'];
const textOf = (letters: string) =>
  fc
    .array(fc.constantFrom(...letters), { minLength: 1, maxLength: 15 })
    .map((characters) => characters.join(''));
const text = fc.constantFrom(...ALPHABETS).chain(textOf);
const textsAlike = fc
  .constantFrom(...ALPHABETS)
  .chain((letters) => fc.array(textOf(letters), { minLength: 3, maxLength: 8 }));
const columnsOfText = (string: string) =>
  bigramColumnsOf(Array.from(string, (character) => character.codePointAt(0)!));

describe('columns of pairs', () => {
  test('give the texts that have all pairs of one string, over several blocks, and among some of them', () => {
    fc.assert(
      fc.property(
        fc.array(text, { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 1, max: 3 * BLOCK }),
        fc.array(text, { minLength: 1, maxLength: 4 }),
        fc.constantFrom(0, BLOCK, 2 * BLOCK),
        fc.option(fc.nat({ max: 6 })),
        (texts, size, wanted, from, every) => {
          const bigrams = new BigramColumns();
          const all = Array.from({ length: size }, (_, id) => texts[(id * 7) % texts.length]!);
          for (const each of all) {
            const bytes = encodeUtf8(each);
            bigrams.add(bytes, 0, bytes.length);
          }
          const sets = wanted.map(columnsOfText);
          const isAmong = (id: number) => every === null || id % (every + 1) === 0;
          const among = new Uint32Array((size + 31) >>> 5);
          all.forEach((_, id) => {
            if (isAmong(id)) among[id >>> 5]! |= 1 << (id & 31);
          });
          const found = new Uint32Array(size);
          const to = Math.max(from, size - 3);
          const count = selectTexts(bigrams.bits, sets, null, from, to, found, every === null ? null : among);
          const expected = [...all.keys()].filter((id) => {
            const own = new Set(columnsOfText(all[id]!));
            return (
              id >= from &&
              id < to &&
              isAmong(id) &&
              sets.some((set) => set.every((column) => own.has(column)))
            );
          });
          assert.deepEqual([...found.subarray(0, count)], expected);
        },
      ),
      { seed, numRuns: runsOf(100) },
    );
  });
});

describe('covering missing pairs', () => {
  test('refuses no text within two typos, and many that are further away', () => {
    let refused = 0;
    const runs = runsOf(2000);
    fc.assert(
      fc.property(textsAlike, ([wanted, ...texts]) => {
        const pattern = new Pattern(wanted!);
        const bigrams = new BigramColumns();
        const lists = texts.map(encodeUtf8);
        for (const list of lists) bigrams.add(list, 0, list.length);
        const found = new Uint32Array(texts.length);
        const cover = bigramCoverOf(pattern.codePoints);
        const count = selectTexts(bigrams.bits, [[]], cover, 0, texts.length, found, null);
        const kept = new Set(found.subarray(0, count));
        for (const [id, list] of lists.entries()) {
          if (pattern.typosUpToTwo(list, 0, list.length) <= 2) assert.ok(kept.has(id), texts[id]);
          else if (!kept.has(id)) refused++;
        }
      }),
      { seed, numRuns: runs },
    );
    assert.ok(refused > (isFull ? 500 : 20), `only ${refused} were refused`);
  });
});
