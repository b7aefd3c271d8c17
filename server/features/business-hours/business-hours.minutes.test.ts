/** Opening hours at fixed moments, also when the clocks change. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OpeningHours } from '../../../contract/widget/opening-hours.ts';
import { isFull, seed } from '../../../test/support/sample.ts';
import { clockSegments, findTimeZone } from '../../platform/time-zone.ts';
import { addMinutes, hoursAt, isOpen, minutesBetween, nextOpening } from './business-hours.minutes.ts';
import { checkHours } from './business-hours.ts';

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
      assert.equal(isOpen(hours, at(time)), hoursAt(hours, at(time)).isOpen, time);
    }
    const never = hoursAt({ timeZone: 'UTC', week: [], closedDates: [] }, at('2026-11-16T12:00Z'));
    assert.deepEqual(never, { isOpen: false, changes: [] });
  });

  it('400 an unknown zone, a wrong order, an overlap or a day that does not exist, by name', () => {
    const wrong = (change: object, message: RegExp) =>
      assert.throws(() => checkHours({ ...lisbon, ...change }, 'hours.'), { status: 400, message });
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

  it('minutes end at closing time, not at the next opening, and go on after a closed date', () => {
    const hours = { ...lisbon, closedDates: ['2026-11-23'] };
    // From Friday at 16:30: an hour until 17:30, then Tuesday.
    assert.equal(addMinutes(hours, at('2026-11-20T16:30Z'), 60), at('2026-11-20T17:30Z'));
    assert.equal(addMinutes(hours, at('2026-11-20T16:30Z'), 61), at('2026-11-24T09:01Z'));
    assert.equal(addMinutes(hours, at('2026-11-21T16:30Z'), 0), at('2026-11-21T16:30Z'));
    assert.equal(minutesBetween(hours, at('2026-11-20T16:30Z'), at('2026-11-24T09:01Z')), 61);
    assert.equal(minutesBetween(hours, at('2026-11-24T09:01Z'), at('2026-11-20T16:30Z')), -61);
    assert.equal(nextOpening(hours, at('2026-11-20T17:30Z')), at('2026-11-24T09:00Z'));
    assert.equal(nextOpening(hours, at('2026-11-20T10:00Z')), at('2026-11-20T10:00Z'));
    const never = { timeZone: 'UTC', week: [], closedDates: [] };
    assert.deepEqual(
      [addMinutes(never, 0, 1), nextOpening(never, 0), minutesBetween(never, 0, 1e12)],
      [null, null, 0],
    );
  });

  it('differ from an oracle that goes minute by minute in no case', () => {
    const random = randomFrom(seed);
    for (let window = 0; window < (isFull ? 1_000 : 60); window++) {
      const hours = anyHours(random);
      const start = anyStart(random, hours.timeZone);
      const open = openMinutes(hours, start);
      for (let one = 0; one < 100; one++) {
        const [a, b] = [random(open.length), random(open.length)].sort((x, y) => x - y) as [number, number];
        const from = start + a * 60_000;
        const told = JSON.stringify({ hours, from: new Date(from), minutes: b - a });
        const wanted = open.slice(a, b).filter(Boolean).length;
        assert.equal(minutesBetween(hours, from, start + b * 60_000), wanted, told);
        assert.equal(isOpen(hours, from), open[a], told);
        const opening = open.indexOf(true, a);
        if (opening >= 0) assert.equal(nextOpening(hours, from), start + opening * 60_000, told);
        if (wanted === 0) continue;
        // The minute after which `wanted` were open.
        const last = open.lastIndexOf(true, b - 1);
        assert.equal(addMinutes(hours, from, wanted), start + (last + 1) * 60_000, told);
      }
    }
  });
});

const zones = [
  'UTC',
  'Europe/Lisbon',
  'America/New_York',
  'America/Sao_Paulo',
  'America/Havana',
  'America/St_Johns',
  'Africa/Cairo',
  'Africa/Casablanca',
  'Asia/Beirut',
  'Asia/Kathmandu',
  'Asia/Tehran',
  'Australia/Lord_Howe',
  'Pacific/Auckland',
  'Pacific/Chatham',
];

/** Whole numbers below `limit`. */
function randomFrom(first: number): (limit: number) => number {
  let state = first;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

const days = 4;
const dayMs = 86_400_000;

/** Every other one within days of a change of the clocks. */
function anyStart(random: (limit: number) => number, timeZone: string): number {
  const year = Date.UTC(2021 + random(8), 0, 1);
  const changes = clockSegments(findTimeZone(timeZone)!, year, year + 365 * dayMs).slice(1);
  const near = random(2) === 0 && changes.length > 0;
  const around = near ? changes[random(changes.length)]!.from - 2 * dayMs : year + random(365) * dayMs;
  return Math.floor(around / 60_000) * 60_000 + random(1_440) * 60_000 * (near ? 1 : 0);
}

function anyHours(random: (limit: number) => number): OpeningHours {
  const text = (minutes: number) =>
    `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
  const any = [1, 2, 3, 4, 5, 6, 7].flatMap((day) => {
    if (random(4) === 0) return [{ day, from: '00:00', to: '24:00' }];
    const times = [...new Set(Array.from({ length: 2 * random(4) }, () => random(1_441)))];
    times.sort((a, b) => a - b);
    return times.flatMap((time, index) =>
      index % 2 === 0 && times[index + 1] !== undefined
        ? [{ day, from: text(time), to: text(times[index + 1]!) }]
        : [],
    );
  });
  const closedDates = Array.from({ length: random(60) }, () =>
    new Date(Date.UTC(2021 + random(8), 0, 1 + random(365))).toISOString().slice(0, 10),
  );
  return { timeZone: zones[random(zones.length)]!, week: any, closedDates };
}

/** Whether each minute is open, by what the clock shows in it. */
function openMinutes({ timeZone, week: intervals, closedDates }: OpeningHours, start: number): boolean[] {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  return Array.from({ length: days * 1_440 }, (_, index) => {
    const [date, time] = format.format(start + index * 60_000).split(' ') as [string, string];
    if (closedDates.includes(date)) return false;
    const weekday = new Date(`${date}T00:00:00Z`).getUTCDay() || 7;
    return intervals.some(({ day, from, to }) => day === weekday && from <= time && time < to);
  });
}
