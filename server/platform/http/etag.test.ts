import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hasVersion } from './etag.ts';

describe('If-None-Match', () => {
  it('names the version alone, in a list, weak, or any', () => {
    for (const known of ['"a"', 'W/"a"', '"x", "a"', '"x",W/"a" , "y"', '*']) {
      assert.equal(hasVersion(known, '"a"'), true, known);
    }
    for (const other of [undefined, '', 'a', '"b"', 'W/"b", "aa"']) {
      assert.equal(hasVersion(other, '"a"'), false, other);
    }
  });
});
