import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SearchIndex } from './search.index.ts';
import { isMatchedBy } from './search.keeping.ts';
import { compileQuery } from './search.match.ts';
import { ASKING_A_RECORD, cheapestFirst } from './search.order.ts';

const RECORDS = 3_000;

/** Every record has an order number of one of ten years, one in a hundred also a name that is rare. */
function indexOfOrders(): SearchIndex {
  const index = new SearchIndex();
  for (let i = 0; i < RECORDS; i++) {
    const order = { text: `ORD-${2015 + (i % 10)}-${10_000 + i}`, isPhone: false };
    const name = { text: i % 100 === 7 ? 'Wojciechowski' : `customer ${i}`, isPhone: false };
    const id = `018f0000-0000-7000-8000-${String(i).padStart(12, '0')}`;
    index.upsert({ id, kanbanId: 'k', status: 's', createdAt: i, updatedAt: i, texts: [order, name] });
  }
  return index;
}

test('a term that is in few records is looked for first, however few tokens the common one seems to have', () => {
  const index = indexOfOrders();
  const searched = {
    size: index.records.slots,
    isMatch: isMatchedBy.bind(null, index),
    asking: ASKING_A_RECORD,
  };
  for (const q of ['2020 wojcewski', 'wojcewski 2020', 'ord-20 wojcewski 2020']) {
    const [first, ...others] = cheapestFirst(index.values, compileQuery(q), searched);
    assert.equal(first!.term.text, 'wojcewski', q);
    // Its thirty records are asked for the others.
    assert.ok(others.every(({ few }) => few > 30));
  }
  assert.deepEqual(
    cheapestFirst(index.values, compileQuery('ord-20'), searched).map(({ term }) => term.text),
    ['ord-20'],
  );
});
