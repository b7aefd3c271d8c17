import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Breaker } from './breaker.ts';

describe('the breaker', () => {
  it('skips a node that failed, then lets one caller try it', () => {
    let now = 0;
    const breaker = new Breaker(() => now);
    assert.ok(breaker.mayTry('a'));
    breaker.failed('a');
    assert.ok(!breaker.mayTry('a'));
    assert.ok(breaker.mayTry('b'));
    now = 1_000;
    assert.ok(breaker.mayTry('a'));
    assert.ok(!breaker.mayTry('a'), 'the others wait for the outcome');
    breaker.succeeded('a');
    assert.ok(breaker.mayTry('a') && breaker.mayTry('a'));
  });

  it('pauses twice as long after each failure, up to 30 s', () => {
    let now = 0;
    const breaker = new Breaker(() => now);
    const pauses: number[] = [];
    for (let i = 0; i < 7; i++) {
      breaker.failed('a');
      const since = now;
      while (!breaker.mayTry('a')) now += 500;
      pauses.push(now - since);
    }
    assert.deepEqual(pauses, [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });

  it('counts calls that fail together as one', () => {
    let now = 0;
    const breaker = new Breaker(() => now);
    assert.ok(breaker.failed('a'));
    for (let i = 0; i < 100; i++) assert.ok(!breaker.failed('a'));
    now = 1_000;
    assert.ok(breaker.mayTry('a'));
  });

  it('forgets nodes that left', () => {
    const breaker = new Breaker(() => 0);
    breaker.failed('a');
    breaker.failed('b');
    breaker.keepOnly(new Set(['b']));
    assert.ok(breaker.mayTry('a'));
    assert.ok(!breaker.mayTry('b'));
  });
});
