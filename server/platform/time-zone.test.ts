import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findTimeZone, minutesOfDay, momentOf } from './time-zone.ts';

const at = (text: string) => Date.parse(text);
const zone = (name: string) => findTimeZone(name)!;

describe('a time zone', () => {
  it('is found in any letters, by its own name, and not where there is none', () => {
    assert.equal(zone('aMERICA/sAO_pAULO').name, 'America/Sao_Paulo');
    assert.equal(findTimeZone('Mars/Olympus'), null);
    assert.equal(findTimeZone(''), null);
    assert.equal(findTimeZone('A'.repeat(65)), null);
  });

  it('is so far from UTC as its clocks are at that moment', () => {
    const hours = (name: string, text: string) => zone(name).offsetAt(at(text)) / 3_600_000;
    assert.equal(hours('UTC', '2026-07-01T12:00Z'), 0);
    assert.equal(hours('Europe/Lisbon', '2026-07-01T12:00Z'), 1);
    assert.equal(hours('Europe/Lisbon', '2026-01-01T12:00Z'), 0);
    assert.equal(hours('Asia/Kathmandu', '2026-01-01T12:00Z'), 5.75);
    assert.equal(hours('America/Sao_Paulo', '1969-07-20T20:17:40.500Z'), -3);
  });

  it('tells when its clocks show a time, on both sides of a change too', () => {
    const berlin = (shown: string) => new Date(momentOf(zone('Europe/Berlin'), at(shown))).toISOString();
    assert.equal(berlin('2026-03-29T01:59:00Z'), '2026-03-29T00:59:00.000Z');
    assert.equal(berlin('2026-03-29T03:00:00Z'), '2026-03-29T01:00:00.000Z');
    assert.equal(berlin('2026-10-25T03:00:00Z'), '2026-10-25T02:00:00.000Z');
  });

  it('counts the minutes of its own day, also before 1970', () => {
    assert.equal(minutesOfDay(zone('America/Sao_Paulo'), at('2026-07-01T02:30:59Z')), 23 * 60 + 30);
    assert.equal(minutesOfDay(zone('UTC'), at('1969-12-31T23:59:30Z')), 23 * 60 + 59);
  });
});
