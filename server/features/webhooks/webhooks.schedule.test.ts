import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { seed } from '../../../test/support/sample.ts';
import { readRetryAfter } from '../../platform/outbound/retry-after.ts';
import { gapAfter, gaps } from './webhooks.schedule.ts';

const s = 1_000;
const specified = [0, 5, 30, 120, 600, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400, 100_800].map(
  (gap) => gap * s,
);
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

test('twelve attempts with the gaps of the contract, then none', () => {
  assert.deepEqual(gaps, specified);
  for (let attempts = 1; attempts < 12; attempts++)
    assert.equal(gapAfter(attempts, null, 0), specified[attempts]);
  for (const attempts of [12, 13, 100]) assert.equal(gapAfter(attempts, null), null);
});

test('each gap has 0 to 20 % on top, over its whole width', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 11 }), random, (attempts, r) => {
      const gap = gapAfter(attempts, null, r)!;
      const least = specified[attempts]!;
      return gap >= least && gap <= least * 1.2;
    }),
    { seed },
  );
  const drawn = Array.from({ length: 2_000 }, () => gapAfter(5, null)! / specified[5]!);
  assert.ok(Math.min(...drawn) < 1.02 && Math.max(...drawn) > 1.18, 'the jitter does not vary');
});

test('Retry-After lengthens a gap, never shortens it, and never beyond twice its length', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 11 }),
      fc.integer({ min: 0, max: 400_000_000 }),
      random,
      (attempts, asked, r) => {
        const gap = gapAfter(attempts, asked, r)!;
        const least = specified[attempts]!;
        return gap >= Math.max(least, Math.min(asked, 2 * least)) && gap <= 2 * least;
      },
    ),
    { seed },
  );
  assert.equal(gapAfter(1, 7 * s, 0), 7 * s);
  assert.equal(gapAfter(1, 3_600 * s, 0.9), 10 * s);
  assert.equal(gapAfter(12, 60 * s), null);
});

test('Retry-After is read as seconds or as a date; anything else says nothing', () => {
  const now = Date.UTC(2026, 10, 15, 12, 0, 0);
  const cases: [string | undefined, number | null][] = [
    [undefined, null],
    ['0', 0],
    ['120', 120 * s],
    [' 7 ', 7 * s],
    ['9'.repeat(400), Number.POSITIVE_INFINITY],
    ['Sun, 15 Nov 2026 12:02:00 GMT', 120 * s],
    ['Sunday, 15-Nov-26 12:02:00 GMT', 120 * s],
    ['Sun, 15 Nov 2026 11:00:00 GMT', 0],
    ['soon', null],
    ['', null],
  ];
  for (const [header, expected] of cases) assert.equal(readRetryAfter(header, now), expected, header);
  // An invalid number is no reason to wait longer, let alone forever.
  for (const header of ['-5', '1.5', '1e3']) assert.ok((readRetryAfter(header, now) ?? 0) <= 0, header);
});
