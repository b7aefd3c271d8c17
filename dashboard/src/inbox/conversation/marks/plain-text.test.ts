import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plainText } from './plain-text.ts';

describe('a message in one line', () => {
  it('has no signs of Markdown', () => {
    const text = '# Prices\n\nThe **large** one is `12`, *not* [more](https://example.com).\n\n- one\n- two';
    assert.equal(plainText(text), 'Prices The large one is 12, not more. one two');
  });

  it('keeps what only looks like it', () => {
    assert.equal(plainText('2 * 3 * 4 and snake_case_name'), '2 * 3 * 4 and snake_case_name');
  });
});
