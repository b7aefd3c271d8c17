import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ranked } from './rerank.ts';
import { similarity, toBytes } from './vectors.ts';

const found = (...scores: number[]) =>
  scores.map((score, number) => ({ documentId: 'd', version: 1, number, score, matched: [] }));
const order = (scores: number[], similarities: (number | null)[]) =>
  ranked(found(...scores), similarities).map(({ number, score }) => [number, score]);

describe('ranked', () => {
  it('adds half of the words and half of the meaning', () => {
    assert.deepEqual(order([10, 8, 2], [0.1, 0.3, 0.2]), [
      [1, 9],
      [0, 5],
      [2, 3.5],
    ]);
  });

  it('keeps scores without a similarity, and all of them if none differs', () => {
    assert.deepEqual(order([10, 8, 6], [null, 0.1, 0.9]), [
      [0, 10],
      [2, 8],
      [1, 4],
    ]);
    const asFound = [
      [0, 10],
      [1, 8],
    ];
    for (const one of [null, 0.5]) assert.deepEqual(order([10, 8], [one, one]), asFound);
    assert.deepEqual(order([10, 8], []), asFound);
  });

  it('keeps the order of passages that are equally good', () => {
    assert.deepEqual(order([10, 5, 10, 5], [0, 1, 0, 1]), [
      [1, 7.5],
      [3, 7.5],
      [0, 5],
      [2, 5],
    ]);
  });
});

describe('similarity', () => {
  const near = (one: number, other: number) => assert.ok(Math.abs(one - other) < 0.01, `${one}`);

  it('of stored vectors is about their cosine, whatever their lengths', () => {
    near(similarity([3, 4], toBytes([0.03, 0.04]))!, 1);
    near(similarity([3, 4], toBytes([-300, -400]))!, -1);
    near(similarity([1, 0, 0], toBytes([0, 7, 0]))!, 0);
    near(similarity([1, 1], toBytes([0, 1]))!, Math.SQRT1_2);
  });

  it('is none between vectors of different lengths', () => {
    assert.equal(similarity([1, 2, 3], toBytes([1, 2])), null);
  });
});
