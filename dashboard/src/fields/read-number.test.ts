import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readNumber } from './read-number.ts';

describe('numbers as people type them', () => {
  const cases: [text: string, value: number | undefined][] = [
    ['1234.5', 1234.5],
    ['1,234.50', 1234.5],
    ['1.234,50', 1234.5],
    ['1 234,5', 1234.5],
    ["1'234.5", 1234.5],
    ['12,5', 12.5],
    ['1,234', 1234],
    ['1,234,567', 1_234_567],
    ['1.234.567', 1_234_567],
    ['-3', -3],
    ['.5', 0.5],
    ['twelve', undefined],
    ['1e9', undefined],
    ['', undefined],
  ];
  it('where the decimal sign is a comma, a dot before three digits separates thousands', () => {
    for (const [text, value] of [
      ['1.234', 1234],
      ['1,234', 1.234],
      ['12.5', 12.5],
      ['1.234,50', 1234.5],
      ['1,234.50', 1234.5],
    ] as const)
      assert.equal(readNumber(text, ','), value, text);
  });
  for (const [text, value] of cases) {
    it(`"${text}" is ${value ?? 'none'}`, () => assert.equal(readNumber(text), value));
  }
});
