import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Random } from '../corpus/random.ts';
import { ratioInterval, showsLoss } from './statistics.ts';

const allowed = 0.1;
const runs = 40;

/** Ratios of a version with `share` of the other's rate, on a machine whose rate varies by `noise` up and down. */
function ratiosOf(share: number, noise: number, pairs: number, seed: number): number[] {
  const random = new Random(seed);
  const rate = () => 1 + noise * (2 * random.next() - 1);
  return Array.from({ length: pairs }, () => (share * rate()) / rate());
}

function found(share: number, noise: number, pairs: number): number {
  const all = Array.from({ length: runs }, (_, seed) => ratioInterval(ratiosOf(share, noise, pairs, seed)));
  return all.filter((interval) => showsLoss(interval, allowed)).length / runs;
}

describe('the statistics of the regression scenario', () => {
  it('finds a loss of a quarter in nearly every run', () => {
    assert.ok(found(0.75, 0.1, 10) > 0.95);
  });

  it('does not call noise a loss', () => {
    assert.equal(found(1, 0.1, 10), 0);
    assert.ok(found(1, 0.3, 5) < 0.01);
  });

  it('does not fail for a loss within the limit', () => {
    assert.ok(found(0.95, 0.15, 10) < 0.01);
  });

  it('fails a loss at the limit in few runs only', () => {
    assert.ok(found(0.9, 0.1, 10) < 0.05);
  });

  it('contains the true ratio in most runs', () => {
    const intervals = Array.from({ length: runs }, (_, seed) =>
      ratioInterval(ratiosOf(0.85, 0.15, 11, seed)),
    );
    const right = intervals.filter(({ low, high }) => low <= 0.85 && 0.85 <= high).length;
    assert.ok(right >= 0.9 * runs, `${right} of ${runs}`);
  });

  it('gives the same interval for the same ratios, whatever their order', () => {
    const ratios = ratiosOf(0.9, 0.2, 9, 7);
    assert.deepEqual(ratioInterval(ratios), ratioInterval(ratios));
    assert.equal(ratioInterval(ratios).median, ratioInterval(ratios.toReversed()).median);
  });

  it('is a point when all pairs agree', () => {
    assert.deepEqual(ratioInterval([0.8, 0.8, 0.8]), { median: 0.8, low: 0.8, high: 0.8 });
  });

  it('is not misled by one bad pair', () => {
    const interval = ratioInterval([1, 0.99, 1.01, 1.02, 0.98, 0.3, 1]);
    assert.ok(interval.median > 0.98);
    assert.equal(showsLoss(interval, allowed), false);
  });
});
