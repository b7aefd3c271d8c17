import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { placeCollections, possibleParents, reordered } from './collection-tree.ts';

const collection = (id: string, parent: string | null, order: number) => ({
  id,
  name: id,
  parent,
  order,
  names: {},
  createdAt: 0,
  updatedAt: 0,
});
/** As the service lists them: by order, whatever their parents are. */
const all = [
  collection('a', null, 0),
  collection('b1', 'b', 0),
  collection('b1x', 'b1', 0),
  collection('b', null, 1),
  collection('b2', 'b', 1),
  collection('c', null, 2),
];

describe('collections as a tree', () => {
  it('shows each before what is in it', () => {
    const shown = placeCollections(all).map(({ collection: { id }, level }) => `${level} ${id}`);
    assert.deepEqual(shown, ['0 a', '0 b', '1 b1', '2 b1x', '1 b2', '0 c']);
  });

  it('puts none into itself, below itself, or deeper than three levels', () => {
    const parents = (id: string | null) => possibleParents(all, id).map((one) => one.collection.id);
    assert.deepEqual(parents(null), ['a', 'b', 'b1', 'b2', 'c']);
    assert.deepEqual(parents('b1x'), ['a', 'b', 'b1', 'b2', 'c']);
    assert.deepEqual(parents('b1'), ['a', 'b', 'c']);
    assert.deepEqual(parents('b'), []);
  });

  it('moves one by a place, and numbers those whose place changes', () => {
    const equal = ['x', 'y', 'z'].map((id) => collection(id, null, 5));
    assert.deepEqual(reordered(equal, 'z', -1), [
      { id: 'x', order: 0 },
      { id: 'z', order: 1 },
      { id: 'y', order: 2 },
    ]);
    const siblings = all.filter(({ parent }) => parent === null);
    assert.deepEqual(reordered(siblings, 'a', 1), [
      { id: 'b', order: 0 },
      { id: 'a', order: 1 },
    ]);
    assert.deepEqual(reordered(siblings, 'a', -1), []);
    assert.deepEqual(reordered(siblings, 'c', 1), []);
  });
});
