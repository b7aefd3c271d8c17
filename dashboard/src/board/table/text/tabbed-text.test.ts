import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readTabbed, writeTabbed } from './tabbed-text.ts';

describe('tab-separated text', () => {
  it('is read as it was written', () => {
    for (const rows of [
      [
        ['a', 'b'],
        ['c', ''],
      ],
      [['one']],
      [['a'], ['']],
      [
        ['a', 'b'],
        ['', ''],
      ],
      [
        ['a "quoted" word', 'two\nlines'],
        ['a\ttab', '"'],
      ],
    ]) {
      assert.deepEqual(readTabbed(writeTabbed(rows)), rows);
    }
  });
  it('reads what other programs write', () => {
    assert.deepEqual(readTabbed('a\tb\r\nc\td\r\n'), [
      ['a', 'b'],
      ['c', 'd'],
    ]);
    assert.deepEqual(readTabbed('"5" pipe\t"open'), [['"5" pipe', '"open']]);
    assert.deepEqual(readTabbed(''), [['']]);
    assert.deepEqual(readTabbed('a\n\nb'), [['a'], [''], ['b']]);
  });
});
