import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dayAt, daysUntil, endOfDay, fromInputs, groupOf, inputsOf, isOverdue, nextMonday } from './due.ts';

const at = (day: number, hours: number, minutes = 0) => new Date(2026, 10, day, hours, minutes).getTime();
/** A Wednesday. */
const now = at(18, 14);

describe('the days of tasks', () => {
  it('a whole day is due until it ends, a time until it has passed', () => {
    assert.equal(isOverdue(endOfDay(now), now), false);
    assert.equal(isOverdue(endOfDay(now), at(19, 0)), true);
    assert.equal(isOverdue(at(18, 13, 59), now), true);
    assert.equal(isOverdue(at(18, 15), now), false);
  });

  it('groups: overdue, today, this week until Sunday, later, none', () => {
    assert.equal(groupOf(null, now), 'none');
    assert.equal(groupOf(endOfDay(now, -1), now), 'overdue');
    assert.equal(groupOf(at(18, 13), now), 'overdue');
    assert.equal(groupOf(endOfDay(now), now), 'today');
    assert.equal(groupOf(endOfDay(now, 1), now), 'week');
    assert.equal(groupOf(at(22, 23, 59), now), 'week');
    assert.equal(groupOf(at(23, 0), now), 'later');
    // On a Sunday the week ends today.
    assert.equal(groupOf(at(23, 9), at(22, 9)), 'later');
  });

  it('next week begins on the Monday after today', () => {
    assert.equal(nextMonday(now), 5);
    assert.equal(nextMonday(at(22, 9)), 1);
    assert.equal(nextMonday(at(23, 9)), 7);
  });

  it('counts days by the calendar, and reads back what an input shows', () => {
    assert.equal(daysUntil(at(19, 0, 1), at(18, 23, 59)), 1);
    assert.equal(dayAt(at(30, 12), 1, 9, 0), new Date(2026, 11, 1, 9).getTime());
    const { date, time } = inputsOf(now);
    assert.deepEqual([date, time], ['2026-11-18', '14:00']);
    assert.equal(fromInputs(date, time), now);
    assert.equal(fromInputs('2026-13-40', '09:00'), null);
  });
});
