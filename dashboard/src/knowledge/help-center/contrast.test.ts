import assert from 'node:assert/strict';
import { it } from 'node:test';
import { contrast } from './contrast.ts';

it('contrast is 21 of black on white, and 1 of a color on itself', () => {
  assert.equal(Math.round(contrast('#000000', '#ffffff')), 21);
  assert.equal(contrast('#5059d1', '#5059d1'), 1);
  assert.equal(contrast('#767676', '#ffffff').toFixed(2), '4.54');
});
