import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chooseRemoved, parseKeep } from './rotation.ts';
import { lastDue, lateSince, nextDue, parseSchedule } from './schedule.ts';

describe('BACKUP_SCHEDULE and BACKUP_KEEP', () => {
  const at = (text: string) => Date.parse(text);

  it('a time of each day or week, or every few hours, in UTC', () => {
    const daily = parseSchedule('03:15');
    assert.equal(lastDue(daily, at('2026-11-17T03:14:59Z')), at('2026-11-16T03:15:00Z'));
    assert.equal(lastDue(daily, at('2026-11-17T03:15:00Z')), at('2026-11-17T03:15:00Z'));
    assert.equal(nextDue(daily, at('2026-11-17T03:15:00Z')), at('2026-11-18T03:15:00Z'));
    const weekly = parseSchedule('sun 23:30');
    assert.equal(lastDue(weekly, at('2026-11-17T00:00:00Z')), at('2026-11-15T23:30:00Z'));
    assert.equal(nextDue(parseSchedule('6h'), at('2026-11-17T06:00:00Z')), at('2026-11-17T12:00:00Z'));
    for (const wrong of ['', '25:00', '3:15', 'xyz 03:15', '5h', '0h', '* * * * *']) {
      assert.throws(() => parseSchedule(wrong), /must be a time in UTC/, wrong);
    }
  });

  it('one is late since it was due after the last good one; the first one since the start', () => {
    const daily = parseSchedule('03:15');
    const now = at('2026-11-17T05:00:00Z');
    const startedAt = at('2026-11-17T04:00:00Z');
    const since = (goodAt: string | null) =>
      lateSince(daily, { goodAt: goodAt === null ? null : at(goodAt), startedAt, now });
    assert.equal(since('2026-11-17T03:15:00Z'), null);
    assert.equal(since('2026-11-17T03:14:00Z'), at('2026-11-17T03:15:00Z'));
    assert.equal(since('2026-11-14T03:16:00Z'), at('2026-11-15T03:15:00Z'));
    assert.equal(since(null), startedAt);
  });

  it('keeps the last ones, or the newest of days, weeks and months; the newest always', () => {
    const day = 86_400_000;
    const made = Array.from({ length: 100 }, (_, index) => ({
      createdAt: at('2026-11-17T03:15:00Z') - index * day,
    }));
    const kept = (keep: string) => {
      const removed = new Set(chooseRemoved(made, parseKeep(keep)));
      return made
        .filter((one) => !removed.has(one))
        .map(({ createdAt }) => new Date(createdAt).toISOString().slice(5, 10));
    };
    assert.deepEqual(kept('2'), ['11-17', '11-16']);
    assert.deepEqual(kept('3d2w3m'), ['11-17', '11-16', '11-15', '10-31', '09-30']);
    assert.deepEqual(kept('1m'), ['11-17']);
    assert.deepEqual(chooseRemoved([], parseKeep('1')), []);
    for (const wrong of ['0', 'x', '7x', 'd', '-1', '0d0w'])
      assert.throws(() => parseKeep(wrong), /must be a number/, wrong);
  });
});
