import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { runsOf, seed } from '../../../test/support/sample.ts';
import { encodeUtf8 } from '../store/utf8.ts';
import { lanesFor, matchFour, matchTwo } from './parallel-match.ts';
import { Pattern } from './pattern.ts';

const ALPHABETS = ['ab', 'abcdefgh.-@', '0123456789-'];

/** A pattern and four texts of one length, made of the same few letters so that many are similar. */
const patternAndTexts = (longest: number) =>
  fc.constantFrom(...ALPHABETS).chain((letters) => {
    const textOf = (minLength: number, maxLength: number) =>
      fc.array(fc.constantFrom(...letters), { minLength, maxLength }).map((all) => all.join(''));
    const texts = fc.nat({ max: 20 }).chain((length) => fc.tuple(...Array(4).fill(textOf(length, length))));
    return fc.tuple(textOf(1, longest), texts as fc.Arbitrary<string[]>);
  });

/** The texts concatenated, as in a dictionary, and where each begins. */
function layOut(texts: string[]): { bytes: Uint8Array; places: number[] } {
  const length = texts[0]!.length;
  return { bytes: encodeUtf8(texts.join('')), places: texts.map((_, i) => i * length) };
}

describe('texts of one length compared at once', () => {
  for (const [lanes, longest] of [
    [4, 7],
    [2, 15],
  ] as const) {
    test(`${lanes} lanes equal comparing each, for patterns of up to ${longest} characters`, () => {
      const seen = [0, 0, 0, 0];
      fc.assert(
        fc.property(patternAndTexts(longest), ([wanted, texts]) => {
          const pattern = new Pattern(wanted);
          const { bytes, places } = layOut(texts);
          const length = texts[0]!.length;
          const [a, b, c, d] = places as [number, number, number, number];
          const reached =
            lanes === 4
              ? matchFour(pattern, bytes, a, b, c, d, length)
              : matchTwo(pattern, bytes, a, b, length);
          for (let lane = 0; lane < lanes; lane++) {
            const expected = pattern.typosUpToTwo(bytes, places[lane]!, places[lane]! + length);
            assert.equal(
              3 - ((reached >>> (lane * (32 / lanes))) & 3),
              expected,
              `${wanted} in ${texts[lane]}`,
            );
            seen[expected]!++;
          }
        }),
        { seed, numRuns: runsOf(3000) },
      );
      assert.ok(
        seen.every((count) => count > 100),
        `too few of some distance: ${seen}`,
      );
    });
  }

  test('there are lanes for the patterns that fit', () => {
    const lanes = [7, 8, 15, 16].map((length) => lanesFor(new Pattern('x'.repeat(length))));
    assert.deepEqual(lanes, [4, 2, 2, 1]);
  });
});
