import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { runsOf, seed } from '../../../test/support/sample.ts';
import { decodeCell, defuse, undoDefuse } from './csv.ts';

describe('cells', () => {
  it('400 for a cell that cannot be stored as it is', () => {
    assert.throws(() => decodeCell('\xff\xfe', 'Name'), { status: 400, message: 'Name is not valid UTF-8' });
    assert.throws(() => decodeCell('a\0b', 'Name'), {
      status: 400,
      message: 'Name contains a NUL character',
    });
    assert.throws(() => decodeCell('\xed\xa0\x80', 'Name'), { message: 'Name is not valid UTF-8' });
  });
});

describe('defusing', () => {
  const dangerous = [
    '=1+1',
    '+55 11',
    '-5',
    '@sum',
    '\tx',
    '\rx',
    '\nx',
    ' =1',
    '\u00a0=1',
    '\u200b=1',
    '\u0001=1',
  ];
  const wide = ['＝1', '＋1', '－1', '＠a', '﹦1', '−1'];
  for (const text of [...dangerous, ...wide]) {
    it(`shows ${JSON.stringify(text)} instead of running it`, () => assert.equal(defuse(text), `'${text}`));
  }

  it('leaves harmless text alone', () => {
    for (const text of ['a', 'a=b', ' a', "it's", "'tis", '5-3', '(1)', 'ada@example.com']) {
      assert.equal(defuse(text), text);
      assert.equal(undoDefuse(text), text);
    }
  });

  it('is undone for every text, and never leaves a formula', () => {
    const unit = fc.constantFrom("'", '=', '-', '@', '＝', ' ', '\t', '\r', '\u200b', 'a', '1');
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit, maxLength: 6 }));
    fc.assert(
      fc.property(text, (value) => {
        const cell = defuse(value);
        assert.equal(undoDefuse(cell), value);
        assert.notEqual(cell, '');
        assert.doesNotMatch(cell.trim(), /^[=+\-@＝＋－＠]/);
        assert.doesNotMatch(cell, /^[\t\r\n]/);
      }),
      { numRuns: runsOf(2_000), seed },
    );
  });
});
