import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compileQuery } from '../match/match.ts';
import { SearchIndex } from '../store/index.ts';
import { ASKING_A_RECORD, cheapestFirst } from './term-order.ts';

/** Two words about which tokens say nothing: each has one. */
function indexOfTwo(): SearchIndex {
  const index = new SearchIndex();
  const texts = ['anchor', 'basket'].map((text) => ({ text, isPhone: false }));
  index.upsert({
    id: '018f0000-0000-7000-8000-000000000001',
    kanbanId: 'k',
    status: 's',
    createdAt: 0,
    updatedAt: 0,
    texts,
  });
  return index;
}

/** Simulates this many records and this share of matches per term. */
function order(q: string, shares: Record<string, number>): string[] {
  const size = 100_000;
  const isMatch = ({ text }: { text: string }, id: number) => id < size * (shares[text] ?? 0);
  const terms = compileQuery(q);
  return cheapestFirst(indexOfTwo().values, terms, { size, isMatch, asking: ASKING_A_RECORD }).map(
    ({ term }) => term.text,
  );
}

describe('of several terms', () => {
  test('the one that few records match is looked for first, wherever it stands', () => {
    assert.deepEqual(order('anchor basket', { anchor: 0.9, basket: 0 }), ['basket', 'anchor']);
    assert.deepEqual(order('anchor basket', { anchor: 0, basket: 0.9 }), ['anchor', 'basket']);
  });

  test('those after it follow by how many match them', () => {
    const shares = { anchor: 0.9, basket: 0.5, candle: 0.2, dragon: 0 };
    const expected = ['dragon', 'candle', 'basket', 'anchor'];
    assert.deepEqual(order('anchor basket candle dragon', shares), expected);
    assert.deepEqual(order('basket dragon anchor candle', shares), expected);
  });

  test('one is not estimated, the same one twice stays twice, and very many are not sampled', () => {
    assert.deepEqual(order('anchor', { anchor: 1 }), ['anchor']);
    assert.deepEqual(order('anchor anchor', { anchor: 1 }), ['anchor', 'anchor']);
    const many = Array.from({ length: 32 }, (_, i) => `w${i}`);
    assert.deepEqual(order(many.join(' '), {}).toSorted(), many.toSorted());
    let asked = 0;
    const isMatch = () => asked++ > 0;
    cheapestFirst(indexOfTwo().values, compileQuery(many.join(' ')), {
      size: 100_000,
      isMatch,
      asking: ASKING_A_RECORD,
    });
    assert.equal(asked, 0);
  });

  test('nothing is there to be sampled in an empty index', () => {
    const searched = { size: 0, isMatch: () => true, asking: ASKING_A_RECORD };
    assert.equal(cheapestFirst(new SearchIndex().values, compileQuery('a b'), searched).length, 2);
  });
});
