import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { quoted } from './quote.ts';

describe('a quoted message', () => {
  it('has a sign before each line and a line for the answer', () => {
    assert.equal(quoted(' One\n\nTwo\r\nThree '), '> One\n>\n> Two\n> Three\n\n');
  });

  it('is shortened by characters, not in the middle of one', () => {
    assert.equal(quoted('👍'.repeat(281)), `> ${'👍'.repeat(280)}…\n\n`);
  });
});
