import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { matchesPeople, peopleTerms, peopleText } from './people-search.ts';

const text = peopleText(['João Pereira-Müller', '+49 (0)170 555-1234', 'chat-17']);
const international = peopleText(['Ana', '491705551234@c.us', 'wa-1']);
const finds = (q: string, where = text) => matchesPeople(where, peopleTerms(q));

describe('a search for people', () => {
  it('takes words in any order, in part, with or without accents and capitals', () => {
    for (const q of ['pereira joão', 'JOAO', 'mull', 'chat-17 perei', 'müller', ' joao  17 '])
      assert.ok(finds(q), q);
    for (const q of ['joão silva', 'chat-18']) assert.ok(!finds(q), q);
  });

  it('takes a bounded number of words, after normalising', () => {
    for (const unit of ['Ａ', 'ﷺ', 'ﬃ ', '😀', 'x😀', 'a ']) {
      const words = peopleTerms(unit.repeat(300)).flatMap((term) => term.words);
      assert.ok(words.length >= 1 && words.length <= 32, unit);
      assert.ok(words.join(' ').length <= 256 && words.every((word) => word.isWellFormed()), unit);
    }
  });

  it('takes phone numbers in any notation, also beside a name', () => {
    const notations = [
      '+49 170 555',
      '0049170555',
      '(0170) 555',
      '0170/555-12',
      '170 5551234',
      '+49(0)170 5551234',
    ];
    for (const q of [...notations, 'ana +49 170']) assert.ok(finds(q, international), q);
    for (const q of ['(0170) 555', '170 555 1234', '0170.555']) assert.ok(finds(q), q);
    for (const q of ['+49 171 555', '0049 170 556', 'bob 170 555']) assert.ok(!finds(q, international), q);
  });

  it('does not take two digits for a phone number', () => {
    assert.deepEqual(peopleTerms('ana 00 17'), [
      { words: ['ana'], digits: null },
      { words: ['00', '17'], digits: null },
    ]);
  });
});
