import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { firstPlace, qualityOf } from './quality.ts';

describe('the quality of a search', () => {
  it('is 1 for the best order and 0 for none', () => {
    const perfect = { found: ['a', 'b', 'c'], answering: ['b', 'a'] };
    assert.deepEqual(qualityOf([perfect]), { 'hit@1': 1, 'hit@5': 1, 'nDCG@10': 1 });
    const none = { found: ['c'], answering: ['a'] };
    assert.deepEqual(qualityOf([none]), { 'hit@1': 0, 'hit@5': 0, 'nDCG@10': 0 });
    assert.deepEqual(qualityOf([perfect, none]), { 'hit@1': 0.5, 'hit@5': 0.5, 'nDCG@10': 0.5 });
    assert.deepEqual(qualityOf([]), { 'hit@1': 0, 'hit@5': 0, 'nDCG@10': 0 });
  });

  it('counts a document the less the lower it is, and not below the tenth place', () => {
    const at = (place: number) => ({
      found: Array.from({ length: 12 }, (_, i) => (i + 1 === place ? 'right' : `other ${i}`)),
      answering: ['right'],
    });
    // 1 / log2(place + 1)
    assert.deepEqual(qualityOf([at(3)]), { 'hit@1': 0, 'hit@5': 1, 'nDCG@10': 0.5 });
    assert.deepEqual(qualityOf([at(7)]), { 'hit@1': 0, 'hit@5': 0, 'nDCG@10': 0.3333 });
    assert.deepEqual(qualityOf([at(11)]), { 'hit@1': 0, 'hit@5': 0, 'nDCG@10': 0 });
    assert.deepEqual(
      [1, 10, 11].map((place) => firstPlace(at(place))),
      [1, 10, null],
    );
  });
});
