import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  addDays,
  addMonths,
  dayAt,
  dayOfValue,
  firstWeekday,
  valueOn,
  weekOf,
  weeksOfMonth,
} from './calendar-days.ts';

describe('the days of a calendar', () => {
  const zone = process.env.TZ;
  before(() => {
    process.env.TZ = 'America/New_York';
  });
  after(() => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });

  it('weeks begin as the locale says, and a month has all its days once', () => {
    assert.deepEqual([firstWeekday('en-US'), firstWeekday('en-GB'), firstWeekday('pt-BR')], [0, 1, 0]);
    assert.deepEqual(weekOf('2026-11-16', 1).slice(0, 2), ['2026-11-16', '2026-11-17']);
    assert.equal(weekOf('2026-11-16', 0)[0], '2026-11-15');
    for (let month = 0; month < 48; month++) {
      for (const first of [0, 1, 6]) {
        const begin = addMonths('2024-01-01', month);
        const days = weeksOfMonth(addDays(begin, 20), first).flat();
        const own = days.filter((day) => day.slice(0, 7) === begin.slice(0, 7));
        assert.equal(own.length, new Date(Date.UTC(2024, month + 1, 0)).getUTCDate());
        assert.equal(new Set(days).size, days.length);
        assert.ok(days.indexOf(own[0]!) < 7 && days.length - days.indexOf(own.at(-1)!) <= 7);
      }
    }
  });

  it('a day of another month is its last one where it is shorter', () => {
    assert.deepEqual([addMonths('2026-01-31', 1), addMonths('2024-03-31', -1)], ['2026-02-28', '2024-02-29']);
  });

  it('a time is on the reader\u2019s day, and keeps its time of day when the clocks change', () => {
    const late = Date.parse('2026-03-07T22:30:15-05:00');
    assert.equal(dayAt(late), '2026-03-07');
    assert.equal(dayOfValue('datetime', late), '2026-03-07');
    assert.equal(valueOn('datetime', '2026-03-08', late), Date.parse('2026-03-08T22:30:15-04:00'));
    assert.equal(valueOn('datetime', '2026-07-01'), Date.parse('2026-07-01T09:00:00-04:00'));
    assert.equal(valueOn('date', '2026-03-08', '2026-03-01'), '2026-03-08');
    assert.deepEqual([dayOfValue('date', ''), dayOfValue('datetime', undefined)], [null, null]);
  });
});
