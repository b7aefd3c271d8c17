import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { runsOf, seed } from '../../../test/support/sample.ts';
import { encodeUtf8 } from '../store/utf8.ts';
import { WordBreakMatcher } from './word-break-matcher.ts';
import { WordBreakIndex } from './word-breaks.ts';

const codePointsOf = (text: string) => Array.from(text, (character) => character.codePointAt(0)!);

describe('word breaks', () => {
  test('the quick choice of signatures is the same as asking for each', () => {
    const term = fc.string({ unit: fc.constantFrom(...'abc12.-é'), minLength: 6, maxLength: 31 });
    const codes = fc.uint32Array({ max: 2 ** 30 - 1, minLength: 1, maxLength: 200 });
    // Letters of the term, so that some are possible: a, b and c are the classes 1, 2 and 3.
    const near = fc.array(
      fc.tuple(...Array.from({ length: 5 }, () => fc.constantFrom(0, 1, 2, 3, 27, 28, 37, 39))),
      {
        minLength: 1,
        maxLength: 200,
      },
    );
    const nearCodes = near.map((list) =>
      Uint32Array.from(list, (five) => five.reduce<number>((code, one) => code * 64 + one, 0)),
    );
    let possible = 0;
    fc.assert(
      fc.property(term, fc.oneof(codes, nearCodes), (text, all) => {
        const matcher = new WordBreakMatcher(codePointsOf(text));
        const found = new Uint32Array(all.length);
        const count = matcher.select(all, 0, all.length, found);
        const expected = [...all.keys()].filter((at) => matcher.isPossible(all[at]!));
        possible += expected.length;
        assert.deepEqual([...found.subarray(0, count)], expected);
      }),
      { seed, numRuns: runsOf(300) },
    );
    assert.ok(possible > 0);
  });

  test('tokens are found whatever their number', () => {
    const index = new WordBreakIndex();
    const tokens = [0, 1, 524_287, 524_288, 600_000, 5_000_000];
    for (const token of tokens) {
      for (const text of ['north-east', `other.${token}`]) {
        const bytes = encodeUtf8(text);
        index.addToken(token, bytes, 0, bytes.length);
      }
    }
    const visited = new Set<number>();
    index.visitTokens(codePointsOf('northeast'), (token) => visited.add(token));
    assert.deepEqual(
      [...visited].sort((a, b) => a - b),
      tokens,
    );
    visited.clear();
    index.visitTokens(codePointsOf('southwest'), (token) => visited.add(token));
    assert.deepEqual([...visited], []);
  });
});
