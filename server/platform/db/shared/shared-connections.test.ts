import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type pg from 'pg';
import { createSharedConnections } from './shared-connections.ts';

/** A pool that records what happens to its connections. */
function fakePool() {
  const taken: { name: string; released: boolean | null }[] = [];
  return {
    taken,
    async take() {
      const connection = { name: `c${taken.length}`, released: null as boolean | null };
      taken.push(connection);
      return {
        name: connection.name,
        release: (broken: boolean) => {
          assert.equal(connection.released, null, 'released twice');
          connection.released = broken;
        },
      } as unknown as pg.PoolClient;
    },
  };
}
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
const lost = new Error('lost');
const nameOf = (client: pg.PoolClient) => (client as unknown as { name: string }).name;

describe('shared connections', () => {
  it('are one for all that overlap under a key, and are given back after the last', async () => {
    const { taken, take } = fakePool();
    const on = createSharedConnections(take, (error) => error === lost);
    const ends: (() => void)[] = [];
    const ask = (client: pg.PoolClient) =>
      new Promise<string>((resolve) => {
        ends.push(() => resolve(nameOf(client)));
      });
    const [first, second, other] = [on('a', ask), on('a', ask), on('b', ask)];
    await nextTurn();
    ends[0]!();
    assert.equal(await first, 'c0');
    await nextTurn();
    assert.equal(taken[0]!.released, null, 'the second still uses it');
    ends[1]!();
    ends[2]!();
    assert.deepEqual(await Promise.all([second, other]), ['c0', 'c1']);
    await nextTurn();
    assert.deepEqual(
      taken.map(({ released }) => released),
      [false, false],
    );
    assert.equal(await on('a', async (client) => nameOf(client)), 'c2');
  });

  it('that are lost go to nobody else and are thrown away once', async () => {
    const { taken, take } = fakePool();
    const on = createSharedConnections(take, (error) => error === lost);
    const fails: (() => void)[] = [];
    const ask = () =>
      new Promise<never>((_resolve, reject) => {
        fails.push(() => reject(lost));
      });
    const sent = [on('a', ask), on('a', ask)];
    await nextTurn();
    fails[0]!();
    await assert.rejects(sent[0]!, lost);
    assert.equal(await on('a', async (client) => nameOf(client)), 'c1');
    fails[1]!();
    await assert.rejects(sent[1]!, lost);
    await nextTurn();
    assert.deepEqual(
      taken.map(({ released }) => released),
      [true, false],
    );
  });

  it('survive what the database refuses, and a pool that has none', async () => {
    const { taken, take } = fakePool();
    let isAway = true;
    const on = createSharedConnections(
      () => (isAway ? Promise.reject(lost) : take()),
      (error) => error === lost,
    );
    await assert.rejects(
      on('a', async () => 1),
      lost,
    );
    isAway = false;
    await assert.rejects(
      on('a', async () => {
        throw new Error('refused');
      }),
      /refused/,
    );
    await nextTurn();
    assert.equal(taken[0]!.released, false);
  });
});
