import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RowMap } from './row-map.ts';

describe('the rows of a table', () => {
  it('without groups they are numbered', () => {
    const map = new RowMap([{ count: 3, isFolded: false }], false);
    assert.equal(map.length, 3);
    assert.deepEqual(map.at(2), { kind: 'row', group: 0, position: 2 });
    assert.deepEqual([map.at(3), map.at(-1)], [null, null]);
  });

  it('groups have a header, and folded ones only that', () => {
    const map = new RowMap(
      [
        { count: 2, isFolded: false },
        { count: 100_000, isFolded: true },
        { count: 1, isFolded: false },
      ],
      true,
    );
    assert.equal(map.length, 6);
    const all = Array.from({ length: 6 }, (_, index) => map.at(index)!);
    assert.deepEqual(
      all.map((place) =>
        place.kind === 'group' ? `group ${place.group}` : `${place.group}.${place.position}`,
      ),
      ['group 0', '0.0', '0.1', 'group 1', 'group 2', '2.0'],
    );
    for (const [index, place] of all.entries()) {
      if (place.kind === 'row') assert.equal(map.indexOf(place.group, place.position), index);
    }
    assert.deepEqual([map.indexOf(1, 0), map.indexOf(0, 2)], [-1, -1]);
  });
});
