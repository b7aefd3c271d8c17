import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { looksOf } from './imports.column-types.ts';
import { readNumber } from './rows/imports.values.ts';

describe('what the values of a column look like', () => {
  for (const [look, ...values] of [
    ['email', 'ada@example.com', 'a.b+c@mail.example.co.uk'],
    ['number', 'R$ 1.234,56', '-12.5', '(1,234.56)', '+ 5', '- US$ 7', '12%', '9 EUR'],
    ['text', 'ada@example', '@example.com', 'ada@example.', 'ada@.com', 'R$'],
    ['phone', '+44 20 7946 0000'],
  ] as const) {
    it(`${look}: ${values.join(' | ')}`, () => {
      for (const value of values) assert.equal(looksOf([value]), look, value);
    });
  }

  it('cells that are long and nearly something are looked at at once', () => {
    const long = 500_000;
    const before = process.cpuUsage();
    for (const hostile of [
      `a@${'.'.repeat(long)}@`,
      `a@${'a.'.repeat(long / 2)}`,
      `-${' '.repeat(long)}x`,
      `${'1'.repeat(long)}x`,
      `${'1 '.repeat(long / 2)}x`,
    ]) {
      assert.equal(looksOf([hostile]), 'text');
    }
    assert.equal(readNumber(`${'1'.repeat(long)},`, 'point'), null);
    // Quadratic patterns took minutes; this takes a few milliseconds. Of the processor: other work on the machine does not count.
    assert.ok(process.cpuUsage(before).user < 2_000_000);
  });
});
