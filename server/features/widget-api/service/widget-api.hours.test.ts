/** Opening hours at fixed moments, also when the clocks change. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OpeningHours } from '../../../../contract/widget/opening-hours.ts';
import { checkHours, hoursAt, isOpenAt } from './widget-api.hours.ts';

const at = (iso: string) => Date.parse(iso);
const week = [1, 2, 3, 4, 5].flatMap((day) => [
  { day, from: '09:00', to: '12:00' },
  { day, from: '13:00', to: '17:30' },
]);
const lisbon: OpeningHours = { timeZone: 'Europe/Lisbon', week, closedDates: [] };
const iso = (times: number[]) => times.map((time) => new Date(time).toISOString().slice(0, 16));

describe('opening hours', () => {
  it('several intervals a day, the end exclusive, the weekend closed', () => {
    // Friday, 20 November 2026; Lisbon is on UTC.
    assert.deepEqual(iso(hoursAt(lisbon, at('2026-11-20T10:00Z')).changes.slice(0, 4)), [
      '2026-11-20T12:00',
      '2026-11-20T13:00',
      '2026-11-20T17:30',
      '2026-11-23T09:00',
    ]);
    assert.equal(hoursAt(lisbon, at('2026-11-20T09:00Z')).isOpen, true);
    assert.equal(hoursAt(lisbon, at('2026-11-20T12:00Z')).isOpen, false);
    assert.equal(hoursAt(lisbon, at('2026-11-21T10:00Z')).isOpen, false);
  });

  it('9:00 stays 9:00 when the clocks change', () => {
    // In Lisbon they went forward on Sunday, 29 March 2026, and back on 25 October.
    assert.equal(iso(hoursAt(lisbon, at('2026-03-28T12:00Z')).changes)[0], '2026-03-30T08:00');
    assert.equal(iso(hoursAt(lisbon, at('2026-10-24T12:00Z')).changes)[0], '2026-10-26T09:00');
    const night = {
      timeZone: 'Europe/Lisbon',
      week: [{ day: 7, from: '00:00', to: '06:00' }],
      closedDates: [],
    };
    const { changes } = hoursAt(night, at('2026-03-28T12:00Z'));
    assert.equal((changes[1]! - changes[0]!) / 3_600_000, 5);
  });

  it('closed dates, by the calendar of the zone', () => {
    const hours = { ...lisbon, timeZone: 'Pacific/Auckland', closedDates: ['2026-11-20'] };
    // 20 November in Auckland begins at 11:00 UTC on the 19th.
    assert.equal(hoursAt(hours, at('2026-11-19T22:00Z')).isOpen, false);
    assert.equal(hoursAt(hours, at('2026-11-18T22:00Z')).isOpen, true);
  });

  it('through midnight is one span, always open has no change, never open neither', () => {
    const both = [
      { day: 1, from: '20:00', to: '24:00' },
      { day: 2, from: '00:00', to: '02:00' },
    ];
    const over = hoursAt({ timeZone: 'UTC', week: both, closedDates: [] }, at('2026-11-16T12:00Z'));
    assert.deepEqual(iso(over.changes.slice(0, 2)), ['2026-11-16T20:00', '2026-11-17T02:00']);
    const days = [1, 2, 3, 4, 5, 6, 7].map((day) => ({ day, from: '00:00', to: '24:00' }));
    const always = hoursAt({ timeZone: 'UTC', week: days, closedDates: [] }, at('2026-11-16T12:00Z'));
    assert.deepEqual(always, { isOpen: true, changes: [] });
    for (const time of ['2026-11-16T19:59Z', '2026-11-16T20:00Z', '2026-11-17T01:59Z', '2026-11-17T02:00Z']) {
      const hours = { timeZone: 'UTC', week: both, closedDates: [] };
      assert.equal(isOpenAt(hours, at(time)), hoursAt(hours, at(time)).isOpen, time);
    }
    const never = hoursAt({ timeZone: 'UTC', week: [], closedDates: [] }, at('2026-11-16T12:00Z'));
    assert.deepEqual(never, { isOpen: false, changes: [] });
  });

  it('400 an unknown zone, a wrong order, an overlap or a day that does not exist, by name', () => {
    const wrong = (change: object, message: RegExp) =>
      assert.throws(() => checkHours({ ...lisbon, ...change }), { status: 400, message });
    wrong({ timeZone: 'Mars/Base' }, /hours\.timeZone/);
    wrong({ timeZone: '+03:00' }, /hours\.timeZone/);
    wrong({ week: [{ day: 1, from: '10:00', to: '09:00' }] }, /hours\.week\[0\]\.to must be after from/);
    wrong(
      {
        week: [
          { day: 1, from: '09:00', to: '12:00' },
          { day: 1, from: '11:59', to: '13:00' },
        ],
      },
      /hours\.week\[1\] overlaps/,
    );
    wrong({ closedDates: ['2026-02-30'] }, /hours\.closedDates\[0\] is not a date/);
    assert.equal(checkHours({ ...lisbon, timeZone: 'europe/lisbon' }).timeZone, 'Europe/Lisbon');
  });
});
