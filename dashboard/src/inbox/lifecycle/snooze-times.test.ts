import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { localMinute, snoozeTimes } from './snooze-times.ts';

const at = (text: string) =>
  snoozeTimes(new Date(text)).map(({ name, until }) => [name, until && localMinute(new Date(until))]);

describe('the times that snoozing offers', () => {
  it('later today in half hours, tomorrow and Monday in the morning, or until the customer writes', () => {
    assert.deepEqual(at('2026-11-18T10:12'), [
      ['later', '2026-11-18T13:30'],
      ['tomorrow', '2026-11-19T09:00'],
      ['nextWeek', '2026-11-23T09:00'],
      ['customer', null],
    ]);
    assert.deepEqual(at('2026-11-18T10:40')[0], ['later', '2026-11-18T14:00']);
    assert.deepEqual(at('2026-11-18T10:00')[0], ['later', '2026-11-18T13:00']);
  });

  it('no later today in the evening; on a Sunday tomorrow is next week; on a Monday it is in seven days', () => {
    assert.deepEqual(
      at('2026-11-22T19:00').map(([name]) => name),
      ['tomorrow', 'customer'],
    );
    assert.equal(at('2026-11-16T22:30')[0]![0], 'tomorrow');
    assert.deepEqual(at('2026-11-16T08:00')[2], ['nextWeek', '2026-11-23T09:00']);
  });
});
