import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { guessDateForm, guessNumberForm, looksOf } from '../imports.column-types.ts';
import { readDate, readDateTime } from './imports.times.ts';
import { readNumber } from './imports.values.ts';

describe('values as spreadsheets write them', () => {
  for (const [text, form, value] of [
    ['1.234,56', 'comma', 1234.56],
    ['1.234.567', 'comma', 1234567],
    ['R$ 1.234,56', 'comma', 1234.56],
    ['1.234,56 €', 'comma', 1234.56],
    ['-5,5', 'comma', -5.5],
    ['7', 'comma', 7],
    ['1,234.56', 'point', 1234.56],
    ['$1,234', 'point', 1234],
    ['(12.50)', 'point', -12.5],
    ['-$3.50', 'point', -3.5],
    ['1e3', 'point', 1000],
    ["1'234.5", 'point', 1234.5],
    ['1 234,5', 'comma', 1234.5],
    ['1,2,3', 'point', null],
    ['12,34', 'point', null],
    ['abc', 'point', null],
    ['', 'point', null],
  ] as const) {
    it(`${text || 'nothing'} (${form}) is ${value}`, () => assert.equal(readNumber(text, form), value));
  }

  it('dates in either order, with two digits for the year, and none that no calendar has', () => {
    assert.equal(readDate('31/05/2024', 'dmy'), '2024-05-31');
    assert.equal(readDate('5/31/2024', 'mdy'), '2024-05-31');
    assert.equal(readDate('1.2.24', 'dmy'), '2024-02-01');
    assert.equal(readDate('01-02-75', 'dmy'), '1975-02-01');
    assert.equal(readDate('31/05/2024 00:00', 'dmy'), '2024-05-31');
    assert.equal(readDate('2024-05-31', 'dmy'), '2024-05-31');
    assert.equal(readDate('31/02/2024', 'dmy'), '31/02/2024');
    assert.equal(readDate('05/31/2024', 'dmy'), '05/31/2024');
    assert.equal(readDate('31/05/2024', 'iso'), '31/05/2024');
  });

  it('times by the clocks of their zone, also on the days when these change', () => {
    const at = (text: string, zone: string) => readDateTime(text, 'dmy', zone);
    assert.equal(at('31/05/2024 14:30', 'America/Sao_Paulo'), Date.parse('2024-05-31T17:30:00Z'));
    assert.equal(at('31/05/2024 2:30 pm', 'UTC'), Date.parse('2024-05-31T14:30:00Z'));
    assert.equal(at('31/03/2024 01:59', 'Europe/Madrid'), Date.parse('2024-03-31T00:59:00Z'));
    assert.equal(at('31/03/2024 03:00', 'Europe/Madrid'), Date.parse('2024-03-31T01:00:00Z'));
    assert.equal(at('27/10/2024 12:00', 'Europe/Madrid'), Date.parse('2024-10-27T11:00:00Z'));
    assert.equal(at('2024-05-31T12:00:00Z', 'Europe/Madrid'), '2024-05-31T12:00:00Z');
    assert.equal(at('31/05/2024', 'UTC'), Date.parse('2024-05-31T00:00:00Z'));
    assert.equal(at('31/05/2024 25:00', 'UTC'), '31/05/2024 25:00');
    assert.equal(at('1717156800000', 'UTC'), 1717156800000);
  });

  it('the form of a column is guessed from its values', () => {
    assert.equal(guessDateForm(['01/02/2024', '31/01/2024'], 'UTC'), 'dmy');
    assert.equal(guessDateForm(['01/02/2024', '1/31/2024'], 'UTC'), 'mdy');
    assert.equal(guessDateForm(['01/02/2024'], 'America/New_York'), 'mdy');
    assert.equal(guessDateForm(['01/02/2024'], 'America/Sao_Paulo'), 'dmy');
    assert.equal(guessDateForm(['2024-02-01'], 'UTC'), 'iso');
    assert.equal(guessNumberForm(['1.234,56'], ','), 'comma');
    assert.equal(guessNumberForm(['1,234.56'], ';'), 'point');
    assert.equal(guessNumberForm(['12,5'], ','), 'comma');
    assert.equal(guessNumberForm(['1.234.567'], ','), 'comma');
    assert.equal(guessNumberForm(['1.234'], ';'), 'comma');
    assert.equal(guessNumberForm(['1,234'], ','), 'point');
  });

  it('the look of a column is that of nearly all its values', () => {
    assert.equal(looksOf(['ada@example.com', '', 'x@y.org']), 'email');
    assert.equal(looksOf(['+55 11 99999-8888', '(11) 4002-8922', '030/1234567 ', '11999998888']), 'phone');
    assert.equal(looksOf(['https://example.com', 'www.example.com']), 'url');
    assert.equal(looksOf(['1.234,56', '7', '-3', 'R$ 5,00']), 'number');
    assert.equal(looksOf(['31/05/2024', '1/2/24']), 'date');
    assert.equal(looksOf(['31/05/2024 10:00', '2024-05-01T10:00Z']), 'datetime');
    assert.equal(looksOf(['sim', 'não']), 'boolean');
    assert.equal(looksOf(['Ada', 'x@y.org', '5']), 'text');
    assert.equal(looksOf(['', ' ']), 'empty');
  });
});
