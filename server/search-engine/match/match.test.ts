import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { runsOf, seed } from '../../../test/support/sample.ts';
import { oracleFold, oracleMatch } from '../../../test/support/search-oracle.ts';
import { foldText, isWhiteSpace, lookupForm, MAX_QUERY_LENGTH, MAX_TERMS, termsOf } from '../store/text.ts';
import { compileTerm, matchText, NO_MATCH, prepareText, startsWord, typosOfRank } from './match.ts';

const RUNS = runsOf(4000);

/** Small alphabets make near misses likely; each mixes letters, digits and separators. */
const ALPHABETS = [
  'abc1.',
  'aábç -@',
  'жшя0-',
  'αβς.',
  '山川田々、',
  '한글가',
  'اب٣ ',
  '👍🏽🎉x ',
  '0123456789+-(). ',
  'ßsæeł',
  'हिन्दी',
];
const alphabet = fc.constantFrom(...ALPHABETS);
const textOf = (characters: string, maxLength: number) =>
  fc.array(fc.constantFrom(...characters), { maxLength }).map((list) => list.join(''));

function found(term: string, value: string, isPhone: boolean) {
  const rank = matchText(compileTerm(term), prepareText(value, isPhone));
  return rank === NO_MATCH ? null : { typos: typosOfRank(rank), atWordStart: startsWord(rank) };
}

describe('folding', () => {
  test('is the written rule on any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 20 }), (text) => {
        assert.equal(foldText(text), oracleFold(text));
      }),
      { seed, numRuns: RUNS },
    );
  });

  test('makes João, STRAẞE, Łódź, ΟΔΟΣ and İstanbul findable by plain letters', () => {
    assert.equal(foldText('João STRAẞE Łódź ΟΔΟΣ İstanbul Ærø'), 'joao strasse lodz οδοσ istanbul aero');
    assert.deepEqual(termsOf(' Ana\u00a0 d’Ávila '), ['ana', 'd’avila']);
  });

  test('knows the same white space as the regular expression', () => {
    for (let unit = 0; unit < 0x10000; unit++) {
      assert.equal(isWhiteSpace(unit), /\s/.test(String.fromCharCode(unit)), unit.toString(16));
    }
  });

  test('of a looked-up value keeps diacritics and drops case', () => {
    assert.equal(lookupForm('ÉCOLE'), 'école');
    assert.notEqual(lookupForm('ÉCOLE'), 'ecole');
    assert.equal(lookupForm('ΟΔΟΣ'), lookupForm('οδοσ'));
  });
});

describe('one term against one value', () => {
  const cases: [string, string, boolean, number | null, boolean?][] = [
    ['joao', 'João Silva', false, 0, true],
    ['ilv', 'João Silva', false, 0, false],
    ['jaoo', 'João Silva', false, 1, true],
    ['slva', 'João Silva', false, 1, true],
    ['ilav', 'João Silva', false, null], // short terms meet typos at beginnings of words only
    ['reihcle', 'Andrea Reichel', false, 2, true],
    ['xeichel', 'Andreichel', false, 1, false], // longer ones anywhere
    ['jo', 'Ja', false, null], // two letters allow no typo
    ['anasilva', 'ana.silva@example.com', false, 1, true],
    ['@exampel', 'ana.silva@example.com', false, 1, false],
    ['99999-8888', '+55 (11) 999998888', true, 0, false],
    ['+5511', '+55 (11) 99999-8888', true, 0, true],
    ['5511999998888', '+55 (11) 99999-8888', true, 0, true],
    ['5511999998888', '+55 (11) 99999-8888', false, null], // digits alone are a phone's privilege
    ['551', '+44 5', true, null],
  ];
  for (const [term, value, isPhone, typos, atWordStart] of cases) {
    test(`${term} in ${value}${isPhone ? ' (phone)' : ''}: ${typos === null ? 'none' : `${typos} typos`}`, () => {
      assert.deepEqual(found(term, value, isPhone), typos === null ? null : { typos, atWordStart });
    });
  }

  test('equals the oracle on random terms and values of several scripts', () => {
    let matched = 0;
    fc.assert(
      fc.property(
        alphabet.chain((characters) => fc.tuple(textOf(characters, 9), textOf(characters, 16))),
        fc.boolean(),
        ([q, value], isPhone) => {
          for (const term of termsOf(q)) {
            const expected = oracleMatch(term, value, isPhone);
            if (expected !== null) matched++;
            assert.deepEqual(found(term, value, isPhone), expected, `${term} in ${value}`);
          }
        },
      ),
      { seed, numRuns: RUNS },
    );
    assert.ok(matched > RUNS / 10, `only ${matched} matches: the generator no longer tests anything`);
  });

  test('equals the oracle on values that are a term with up to three edits', () => {
    const edit = fc.tuple(fc.nat(), fc.constantFrom('insert', 'delete', 'replace', 'swap'), fc.nat());
    const editedTerm = alphabet.chain((characters) =>
      fc
        .tuple(
          textOf(characters, 45),
          fc.array(edit, { maxLength: 3 }),
          textOf(characters, 4),
          textOf(characters, 4),
        )
        .map(([term, edits, before, after]) => {
          const list = [...term];
          for (const [place, kind, pick] of edits) {
            const at = place % (list.length + 1);
            const character = [...characters][pick % [...characters].length]!;
            if (kind === 'insert') list.splice(at, 0, character);
            else if (kind === 'delete') list.splice(at, 1);
            else if (kind === 'replace') list.splice(at, 1, character);
            else list.splice(at, 2, ...list.slice(at, at + 2).reverse());
          }
          return { term, value: before + list.join('') + after };
        }),
    );
    fc.assert(
      fc.property(editedTerm, fc.boolean(), ({ term, value }, isPhone) => {
        for (const each of termsOf(term)) {
          assert.deepEqual(
            found(each, value, isPhone),
            oracleMatch(each, value, isPhone),
            `${each} in ${value}`,
          );
        }
      }),
      { seed, numRuns: RUNS },
    );
  });
});

describe('a long query', () => {
  const wide = ['Ａ', 'ﬃ', 'ﷺ', '㍿', '㌖', '⅓', '😀', '👨‍👩‍👧', 'a ', 'İ', 'x😀'];

  test('is bounded after folding, which may make 18 characters of one', () => {
    for (const unit of wide) {
      const terms = termsOf(unit.repeat(300));
      assert.ok(terms.length >= 1 && terms.length <= MAX_TERMS, unit);
      assert.ok(terms.join(' ').length <= MAX_QUERY_LENGTH, unit);
      assert.ok(
        terms.every((term) => term.isWellFormed()),
        unit,
      );
    }
    assert.deepEqual(termsOf(`${'word '.repeat(31)}last beyond`).at(-1), 'last');
  });
});
