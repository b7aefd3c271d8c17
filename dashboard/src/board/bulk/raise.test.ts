import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { raised } from './raise.ts';

describe('raising numbers', () => {
  it('adds or takes away without the noise of binary fractions', () => {
    assert.equal(raised('number', 'add', 0.1, 0.2), 0.3);
    assert.equal(raised('currency', 'add', 100, -0.01), 99.99);
  });

  it('raises by a percentage, money to the cent', () => {
    assert.equal(raised('currency', 'percent', 19.99, 10), 21.99);
    assert.equal(raised('number', 'percent', 3, 33.3), 3.999);
    assert.equal(raised('number', 'percent', 200, -50), 100);
  });
});
