import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { BoundedMap } from './bounded-map.ts';

describe('a bounded map', () => {
  it('drops the entry that was set longest ago when there are too many', () => {
    const map = new BoundedMap<number>({ max: 2 });
    map.set('a', 1);
    map.set('b', 2);
    map.set('a', 3);
    map.set('c', 4);
    assert.deepEqual(map.entries(), [
      ['a', 3],
      ['c', 4],
    ]);
    assert.equal(map.get('b'), undefined);
  });

  it('drops entries that are too old', () => {
    mock.timers.enable({ apis: ['Date'], now: 0 });
    const map = new BoundedMap<number>({ max: 10, maxAgeMs: 1_000 });
    map.set('a', 1);
    mock.timers.setTime(999);
    map.set('b', 2);
    assert.equal(map.get('a'), 1);
    mock.timers.setTime(1_000);
    assert.equal(map.get('a'), undefined);
    assert.deepEqual(map.entries(), [['b', 2]]);
    mock.timers.reset();
  });

  it('forgets what is deleted', () => {
    const map = new BoundedMap<number>({ max: 10 });
    map.set('a', 1);
    map.delete('a');
    assert.deepEqual(map.entries(), []);
  });
});
