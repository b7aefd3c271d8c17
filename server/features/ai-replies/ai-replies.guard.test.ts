import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { note, noteLeaks } from '../../../test/support/note-leaks.ts';
import { runsOf, seed } from '../../../test/support/sample.ts';
import { repeatsNote } from './ai-replies.guard.ts';

describe('a reply that repeats a note', () => {
  for (const [what, reply] of noteLeaks) {
    test(`${what} is found`, () => assert.equal(repeatsNote(reply, [note], []), true));
  }

  test('what the chat or the knowledge already said is not a disclosure', () => {
    assert.equal(repeatsNote('We can pay 12500.', [note], ['You promised me 12.500!']), false);
    assert.equal(repeatsNote('Ask law@harsh.example.', [note], ['write to law@harsh.example']), false);
    assert.equal(repeatsNote('See harsh.example', [note], ['https://harsh.example/home']), false);
    const said = 'yes I threatened to sue us last spring and the spring before';
    assert.equal(repeatsNote('You threatened to sue us last spring.', [note], [said]), false);
  });

  test('but only what was said: the rest of the note stays secret', () => {
    assert.equal(repeatsNote('Pay 12500 to law@harsh.example', [note], ['12500']), true);
  });

  test('a phone number without its country code, or with other signs, is found', () => {
    const phone = ['Private mobile: +55 (11) 98765-4321'];
    for (const reply of ['98765-4321', '11 98765 4321', '+5511987654321']) {
      assert.equal(repeatsNote(`Is ${reply} yours?`, phone, []), true, reply);
    }
    assert.equal(repeatsNote('Call 98765-4322.', phone, []), false);
  });

  test('a short note, or a short sentence of one, counts as a whole', () => {
    assert.equal(repeatsNote('Our file says: likely a fraudster.', ['Likely a fraudster'], []), true);
    const sentences = ['VIP. Never give her credit! Likes tea.'];
    assert.equal(repeatsNote('Sorry, I must never give her credit.', sentences, []), true);
    assert.equal(repeatsNote('Here is your tea.', sentences, []), false);
  });

  test('scripts without blanks are compared by character', () => {
    assert.equal(repeatsNote('您好，这位客户上周投诉了两次。', ['这位客户上周投诉了两次，请小心'], []), true);
    assert.equal(repeatsNote('您好，有什么可以帮您？', ['这位客户上周投诉了两次，请小心'], []), false);
  });

  test('the year of a date and short numbers are not secrets', () => {
    assert.equal(repeatsNote('It arrives on 2026-08-02.', ['Moved house on 2026-01-15, flat 12'], []), false);
    assert.equal(repeatsNote('There are 12 left.', ['Moved house on 2026-01-15, flat 12'], []), false);
  });

  test('no notes, nothing to repeat', () => {
    assert.equal(repeatsNote('anything', [], []), false);
    assert.equal(repeatsNote('anything', ['', '  '], []), false);
  });
});

const word = (letters: string) =>
  fc.array(fc.constantFrom(...letters), { minLength: 2, maxLength: 8 }).map((chosen) => chosen.join(''));
const noteWords = fc.array(word('abcdefghij'), { minLength: 6, maxLength: 30 });
const otherWords = fc.array(word('klmnopqrst'), { maxLength: 20 });
const sign = fc.constantFrom(' ', ', ', '. ', ' - ', '\n', '!  ');

describe('for any note', () => {
  test('six consecutive words of it are found in any context', () => {
    fc.assert(
      fc.property(noteWords, otherWords, otherWords, fc.nat(), sign, (noted, ahead, behind, at, between) => {
        const start = at % (noted.length - 5);
        const run = noted.slice(start, start + 6).map((one) => one.toUpperCase());
        const reply = [...ahead, ...run, ...behind].join(between);
        assert.equal(repeatsNote(reply, [noted.join(' ')], []), true);
        assert.equal(repeatsNote(reply, [noted.join(' ')], [noted.join('; ')]), false);
      }),
      { seed },
    );
  });

  test('a reply of other words is never held, whatever the length', () => {
    fc.assert(
      fc.property(noteWords, otherWords, (noted, reply) => {
        assert.equal(repeatsNote(reply.join(' '), [noted.join(' ')], []), false);
      }),
      { seed },
    );
  });

  test('runs agree with a plain comparison of every six words', () => {
    // Few words, so that repeated runs occur by chance.
    const few = fc.array(fc.constantFrom('a', 'b'), { minLength: 6, maxLength: 14 });
    fc.assert(
      fc.property(few, few, few, (reply, noted, other) => {
        const runs = (words: string[]) => words.slice(5).map((_, i) => words.slice(i, i + 6).join(' '));
        const expected = runs(reply).some((run) => runs(noted).includes(run) && !runs(other).includes(run));
        assert.equal(repeatsNote(reply.join(' '), [noted.join(' ')], [other.join(' ')]), expected);
      }),
      { numRuns: runsOf(2_000), seed },
    );
  });

  test('a number of four digits or more is found however it is grouped, and only that number', () => {
    const number = fc.integer({ min: 1_000, max: 999_999_999 });
    fc.assert(
      fc.property(number, number, fc.constantFrom('.', ',', ' ', ''), (secret, other, group) => {
        const written = String(secret).replace(/\B(?=(?:\d{3})+$)/g, group);
        assert.equal(repeatsNote(`it is ${written}.`, [`code ${secret} please`], []), true);
        assert.equal(repeatsNote(`it is ${written}.`, [`code ${secret} please`], [`(${secret})`]), false);
        fc.pre(
          !`${secret}`.includes(`${other}`.slice(0, 6)) && !`${other}`.includes(`${secret}`.slice(0, 6)),
        );
        assert.equal(repeatsNote(`it is ${other}.`, [`code ${secret} please`], []), false);
      }),
      { seed },
    );
  });

  test('an address is found in any reply', () => {
    const host = word('klmnopqrst');
    fc.assert(
      fc.property(fc.emailAddress({ size: 'small' }), host, otherWords, (email, name, words) => {
        const url = `https://${name}.example/${name}`;
        const reply = (address: string) => `${words.join(' ')} (${address}) ${words.join(' ')}`;
        assert.equal(repeatsNote(reply(url), [`see ${url}`], []), true);
        assert.equal(repeatsNote(reply(url), [`see ${url}`], [url]), false);
        if (/^[\w.+-]+@/.test(email)) {
          assert.equal(repeatsNote(reply(email), [`mail ${email}`], []), true);
          assert.equal(repeatsNote(reply(email), [`mail ${email}`], [email.toUpperCase()]), false);
        }
      }),
      { seed },
    );
  });
});

test('long texts without blanks take no time squared', () => {
  const begun = process.cpuUsage();
  const long = 'a'.repeat(65_536);
  repeatsNote(long, [long, `${long}.`], ['1.'.repeat(30_000), 'a.'.repeat(30_000)]);
  repeatsNote(`a.bc/${'/'.repeat(65_000)}x`, ['a.bc'], []);
  repeatsNote('1 '.repeat(30_000), ['1-'.repeat(30_000)], []);
  const { user } = process.cpuUsage(begun);
  assert.ok(user < 5_000_000, `${user} µs`);
});
