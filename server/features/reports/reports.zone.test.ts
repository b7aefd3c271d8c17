import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkPeriod, isoTime } from './reports.period.ts';

const startsOf = (timeZone: string, bucket: 'hour' | 'day' | 'week' | 'month', from: string, to: string) => {
  const period = checkPeriod({ from: Date.parse(from), to: Date.parse(to), bucket, timeZone }, 0);
  return period.starts.map((start) => isoTime(period, start));
};

describe('the clock of a time zone', () => {
  it('a day begins when its date is first shown: at one, where midnight is skipped, and once, where it comes twice', () => {
    assert.deepEqual(startsOf('America/Sao_Paulo', 'day', '2018-11-03T12:00Z', '2018-11-05T12:00Z'), [
      '2018-11-03T09:00:00-03:00',
      '2018-11-04T01:00:00-02:00',
      '2018-11-05T00:00:00-02:00',
    ]);
    assert.deepEqual(startsOf('Atlantic/Azores', 'day', '2026-10-24T12:00Z', '2026-10-26T12:00Z'), [
      '2026-10-24T12:00:00+00:00',
      '2026-10-25T00:00:00+00:00',
      '2026-10-26T00:00:00-01:00',
    ]);
  });

  it('a day that a zone left out is no bucket', () => {
    assert.deepEqual(startsOf('Pacific/Apia', 'day', '2011-12-29T12:00Z', '2012-01-01T00:00Z'), [
      '2011-12-29T02:00:00-10:00',
      '2011-12-31T00:00:00+14:00',
      '2012-01-01T00:00:00+14:00',
    ]);
  });

  it('an hour that is shown twice is two buckets, one that is skipped is none', () => {
    assert.deepEqual(startsOf('Europe/Berlin', 'hour', '2026-10-24T23:30Z', '2026-10-25T02:30Z'), [
      '2026-10-25T01:30:00+02:00',
      '2026-10-25T02:00:00+02:00',
      '2026-10-25T02:00:00+01:00',
      '2026-10-25T03:00:00+01:00',
    ]);
    assert.deepEqual(startsOf('America/New_York', 'hour', '2026-03-08T06:00Z', '2026-03-08T08:00Z'), [
      '2026-03-08T01:00:00-05:00',
      '2026-03-08T03:00:00-04:00',
    ]);
  });

  it('weeks begin on Monday, months on the first, the first bucket where the period does', () => {
    assert.deepEqual(startsOf('Asia/Kolkata', 'week', '2026-11-11T00:00Z', '2026-11-20T00:00Z'), [
      '2026-11-11T05:30:00+05:30',
      '2026-11-16T00:00:00+05:30',
    ]);
    assert.deepEqual(startsOf('Asia/Kathmandu', 'month', '2026-11-11T00:00Z', '2027-01-01T00:00Z'), [
      '2026-11-11T05:45:00+05:45',
      '2026-12-01T00:00:00+05:45',
      '2027-01-01T00:00:00+05:45',
    ]);
  });
});
