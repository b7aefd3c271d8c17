import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HashTable, mixHash } from './hash-table.ts';

/** The ids at all places that a hash leads to. */
function idsOf(table: HashTable, hash: number): number[] {
  const ids: number[] = [];
  for (let place = table.seek(hash); place !== -1; place = table.seekOn(hash, place))
    ids.push(table.idAt(place));
  return ids;
}

/** Groups of ten keys have the same hash. */
const hashOf = (id: number) => mixHash(Math.floor(id / 10));

test('a hash table finds every id that was added and not deleted, however it grew', () => {
  const table = new HashTable(hashOf);
  const present = new Set<number>();
  const check = () => {
    for (const id of present) assert.ok(idsOf(table, hashOf(id)).includes(id), `${id} is there`);
  };
  for (let id = 0; id < 5_000; id++) {
    table.add(hashOf(id), id);
    present.add(id);
    // Some are gone for good, so that later ids are larger than the table.
    if (id % 3 !== 0) {
      const gone = id - (id % 7);
      if (present.delete(gone)) table.delete(hashOf(gone), gone);
    }
    if (id % 500 === 0) check();
  }
  check();
  for (let id = 0; id < 5_000; id++) {
    if (!present.has(id)) assert.ok(!idsOf(table, hashOf(id)).includes(id), `${id} is gone`);
  }
  assert.ok(table.byteLength <= (present.size / 0.75) * 1.5 * 4 + 256, `${table.byteLength}`);
});

test('a hash table holds few ids that are large', () => {
  const table = new HashTable(hashOf);
  for (const id of [1_000_000, 5, 16_777_215, 16_777_216]) {
    table.add(hashOf(id), id);
    assert.ok(idsOf(table, hashOf(id)).includes(id));
  }
  for (const id of [1_000_000, 5, 16_777_215]) assert.ok(idsOf(table, hashOf(id)).includes(id));
});
