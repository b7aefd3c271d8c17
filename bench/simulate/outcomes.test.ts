import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countFailures, explain, type Failure, longestRefusal, type Window } from './outcomes.ts';

const failure = (part: Partial<Failure>): Failure => ({
  kind: 'create',
  isWrite: true,
  node: 'api 1',
  cell: 'c2',
  accountId: 'a',
  from: 100,
  to: 110,
  status: 503,
  hasRetryAfter: true,
  text: 'UNAVAILABLE',
  ...part,
});
const cell: Window = { fault: 'cell', cell: 'c2', from: 50, to: 200 };
const move: Window = { fault: 'move', accountId: 'a', from: 50, to: 200 };
const node: Window = { fault: 'node', node: 'api 1', from: 105, to: 200 };

describe('the failures of a simulation', () => {
  it('a broken connection is explained by the death of its own process only', () => {
    assert.equal(explain(failure({ status: null }), [node]), 'process killed');
    assert.equal(explain(failure({ status: null, node: 'api 2' }), [node, cell]), null);
    assert.equal(explain(failure({ status: null, from: 201, to: 202 }), [node]), null);
  });

  it('a 503 is explained by its own cell, with Retry-After, in its time', () => {
    assert.equal(explain(failure({}), [cell]), 'cell stopped');
    assert.equal(explain(failure({ cell: 'home' }), [cell, node]), null);
    assert.equal(explain(failure({ hasRetryAfter: false }), [cell]), null);
    assert.equal(explain(failure({ status: 500 }), [cell]), null);
    assert.equal(explain(failure({ text: 'BUSY' }), []), 'overloaded');
    assert.equal(explain(failure({ text: 'BUSY', status: 500 }), []), null);
    assert.equal(explain(failure({ from: 300, to: 301 }), [cell]), null);
  });

  it('a move refuses writes of its account, never reads', () => {
    assert.equal(explain(failure({}), [move]), 'account moved');
    assert.equal(explain(failure({ isWrite: false }), [move]), null);
    assert.equal(explain(failure({ accountId: 'b' }), [move]), null);
    assert.equal(longestRefusal([failure({}), failure({ from: 120, to: 150 })], [move]), 50);
  });

  it('counts those that nothing explains apart', () => {
    const counts = countFailures(
      [failure({}), failure({}), failure({ status: 500, text: 'INTERNAL' })],
      [cell],
    );
    assert.deepEqual(counts, [
      { what: '503, cell stopped', expected: true, count: 2 },
      { what: 'create: 500 INTERNAL', expected: false, count: 1 },
    ]);
  });
});
