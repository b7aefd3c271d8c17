import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createBatcher } from './batcher.ts';

/** A run that waits until it is released. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
const fulfilled = (value: string) => ({ status: 'fulfilled' as const, value });

describe('a group', () => {
  it('takes all that came while the one before it ran; each gets its own outcome', async () => {
    const first = gate();
    const runs: string[][] = [];
    const group = createBatcher<string, string>({
      maxItems: 3,
      async run(_key, items) {
        runs.push([...items]);
        if (runs.length === 1) await first.opened;
        return items.map((item) =>
          item === 'bad' ? { status: 'rejected', reason: new Error('of its own') } : fulfilled(`did ${item}`),
        );
      },
    });
    const alone = group('key', 'a');
    await nextTurn();
    const others = Promise.allSettled(['b', 'bad', 'c', 'd'].map((item) => group('key', item)));
    await nextTurn();
    assert.deepEqual(runs, [['a']]);
    first.open();
    assert.equal(await alone, 'did a');
    const outcomes = await others;
    assert.deepEqual(runs, [['a'], ['b', 'bad', 'c'], ['d']]);
    assert.deepEqual(
      outcomes.map((one) => (one.status === 'fulfilled' ? one.value : one.reason.message)),
      ['did b', 'of its own', 'did c', 'did d'],
    );
    assert.equal(await group('key', 'later'), 'did later');
  });

  it('does not wait for one of another key', async () => {
    const held = gate();
    const group = createBatcher<string, string>({
      maxItems: 3,
      async run(key, items) {
        if (key === 'held') await held.opened;
        return items.map(fulfilled);
      },
    });
    const waiting = group('held', 'x');
    assert.equal(await group('free', 'y'), 'y');
    held.open();
    assert.equal(await waiting, 'x');
  });

  it('that fails as a whole fails for all waiting items, and the next starts over', async () => {
    const first = gate();
    let runs = 0;
    const group = createBatcher<string, string>({
      maxItems: 2,
      async run(_key, items) {
        if (++runs > 1) return items.map(fulfilled);
        await first.opened;
        throw new Error('the database is away');
      },
    });
    const sent = group('key', 'a');
    await nextTurn();
    const behind = ['b', 'c', 'd'].map((item) => group('key', item));
    first.open();
    const outcomes = await Promise.allSettled([sent, ...behind]);
    assert.deepEqual(
      outcomes.map((one) => one.status),
      Array(4).fill('rejected'),
    );
    assert.equal(runs, 1);
    assert.equal(await group('key', 'again'), 'again');
  });

  it('goes ahead of the answer to the one before it when enough wait, but there is never a third', async () => {
    const gates = [gate(), gate(), gate()];
    const runs: string[][] = [];
    const group = createBatcher<string, string>({
      maxItems: 10,
      pipelineFrom: 2,
      async run(_key, items) {
        runs.push([...items]);
        await gates[runs.length - 1]!.opened;
        return items.map(fulfilled);
      },
    });
    const all = [group('key', 'a')];
    await nextTurn();
    all.push(group('key', 'b'));
    await nextTurn();
    assert.deepEqual(runs, [['a']], 'one is not enough');
    all.push(group('key', 'c'));
    await nextTurn();
    assert.deepEqual(runs, [['a'], ['b', 'c']]);
    all.push(...['d', 'e', 'f'].map((item) => group('key', item)));
    await nextTurn();
    assert.equal(runs.length, 2);
    // They may end in any order.
    gates[1]!.open();
    assert.deepEqual(await Promise.all(all.slice(1, 3)), ['b', 'c']);
    assert.deepEqual(runs[2], ['d', 'e', 'f']);
    gates[0]!.open();
    gates[2]!.open();
    assert.deepEqual(await Promise.all(all), ['a', 'b', 'c', 'd', 'e', 'f']);
  });
});
