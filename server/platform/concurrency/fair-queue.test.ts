import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFairQueue } from './fair-queue.ts';

describe('a fair queue', () => {
  it('runs one at a time, and keys take turns', async () => {
    const queue = createFairQueue();
    const order: string[] = [];
    let running = 0;
    const add = (key: string, name: string) =>
      queue(key, async () => {
        assert.equal(++running, 1);
        await Promise.resolve();
        order.push(name);
        running--;
        return name;
      });
    const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map((name) => add(name[0]!, name));
    assert.deepEqual(await Promise.all(all), ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']);
    assert.deepEqual(order, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
    assert.equal(await add('a', 'later'), 'later');
  });

  it('goes on after an entry that failed', async () => {
    const queue = createFairQueue();
    const failed = queue('a', () => Promise.reject(new Error('it failed')));
    const next = queue('a', async () => 'next');
    await assert.rejects(failed, /it failed/);
    assert.equal(await next, 'next');
  });
});
