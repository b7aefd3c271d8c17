import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '../ids.ts';
import { hashOf, rankFor } from './rendezvous.ts';

const nodesOf = (count: number) =>
  Array.from({ length: count }, (_, i) => {
    const url = `http://10.0.0.${i + 1}:3000`;
    return { id: url, hash: hashOf(url) };
  });
const keys = Array.from({ length: 20_000 }, () => newId());
const ownerOf = (key: string, nodes: ReturnType<typeof nodesOf>) => rankFor(key, nodes)[0]!.id;

describe('rendezvous hashing', () => {
  for (const count of [2, 3, 10, 30]) {
    it(`spreads accounts evenly over ${count} nodes`, () => {
      const nodes = nodesOf(count);
      const owned = new Map(nodes.map(({ id }) => [id, 0]));
      for (const key of keys) owned.set(ownerOf(key, nodes), owned.get(ownerOf(key, nodes))! + 1);
      const fair = keys.length / count;
      // Five standard deviations of a fair draw.
      const tolerance = 5 * Math.sqrt(fair * (1 - 1 / count));
      for (const [id, number] of owned)
        assert.ok(Math.abs(number - fair) < tolerance, `${id}: ${number} of ${fair}`);
    });
  }

  it('moves only the accounts of a node that leaves, and spreads them over the rest', () => {
    const nodes = nodesOf(10);
    const gone = nodes[3]!;
    const rest = nodes.filter((node) => node !== gone);
    const heirs = new Map<string, number>();
    for (const key of keys) {
      const before = ownerOf(key, nodes);
      const after = ownerOf(key, rest);
      if (before === gone.id) heirs.set(after, (heirs.get(after) ?? 0) + 1);
      else assert.equal(after, before);
    }
    const moved = [...heirs.values()].reduce((sum, number) => sum + number, 0);
    assert.equal(heirs.size, rest.length);
    for (const number of heirs.values()) assert.ok(number < (2 * moved) / rest.length, String(number));
  });

  it('gives a node that joins its share, and moves nothing else', () => {
    const nodes = nodesOf(10);
    const joined = nodes[9]!;
    const before = nodes.slice(0, 9);
    const moved = keys.filter((key) => ownerOf(key, nodes) !== ownerOf(key, before));
    assert.ok(moved.every((key) => ownerOf(key, nodes) === joined.id));
    assert.ok(moved.length > keys.length / 20 && moved.length < keys.length / 5, String(moved.length));
  });

  it('does not depend on the order in which nodes are listed', () => {
    const nodes = nodesOf(7);
    for (const key of keys.slice(0, 500))
      assert.deepEqual(rankFor(key, nodes), rankFor(key, nodes.toReversed()));
    const twins = [
      { id: 'b', hash: 5 },
      { id: 'a', hash: 5 },
    ];
    assert.equal(rankFor('key', twins)[0]!.id, 'a');
    assert.equal(rankFor('key', twins.toReversed())[0]!.id, 'a');
  });
});
