import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { spanOf } from './report-period.ts';
import { readReportSearch } from './report-search.ts';

const at = (text: string) => new Date(text).getTime();
const shown = (moment: number) => new Date(moment).toString().slice(0, 24);

describe('periods of the reports', () => {
  const zone = process.env.TZ;
  before(() => {
    process.env.TZ = 'Europe/Lisbon';
  });
  after(() => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });
  const now = at('2026-11-15T10:17:30');

  it('days begin at midnight and the last one ends with the running minute', () => {
    const { period } = spanOf({ period: '7d' }, now);
    assert.equal(shown(period.from), 'Mon Nov 09 2026 00:00:00');
    assert.equal(shown(period.to), 'Sun Nov 15 2026 10:18:00');
    assert.equal(period.bucket, 'day');
    assert.equal(period.timeZone, 'Europe/Lisbon');
  });

  it('the time before ends at the same hour, across a change of the clocks', () => {
    const { before: past } = spanOf({}, now);
    assert.equal(shown(past.from), 'Thu Sep 17 2026 00:00:00');
    assert.equal(shown(past.to), 'Fri Oct 16 2026 10:18:00');
  });

  it('twelve months are whole months, and the 29th of February has a year before', () => {
    const { period, before: past } = spanOf({ period: '12m' }, at('2028-02-29T09:00:00'));
    assert.equal(shown(period.from), 'Mon Mar 01 2027 00:00:00');
    assert.equal(shown(past.to), 'Sun Feb 28 2027 09:01:00');
    assert.equal(period.bucket, 'month');
  });

  it('own dates include both days and never reach into the future', () => {
    const { period } = spanOf({ period: 'custom', from: '2026-10-25', to: '2026-10-25' }, now);
    assert.equal((period.to - period.from) / 3_600_000, 25);
    assert.equal(period.bucket, 'hour');
    const open = spanOf({ period: 'custom', from: '2026-11-01', to: '2026-11-30' }, now).period;
    assert.equal(shown(open.to), 'Sun Nov 15 2026 10:18:00');
  });

  it('a bucket that would make too many or only one is not offered', () => {
    assert.deepEqual(spanOf({ period: 'today' }, now).buckets, ['hour']);
    assert.deepEqual(spanOf({ period: '12m', bucket: 'hour' }, now).buckets, ['day', 'week', 'month']);
    assert.equal(spanOf({ period: '12m', bucket: 'hour' }, now).period.bucket, 'month');
    assert.equal(spanOf({ period: '12m', bucket: 'week' }, now).period.bucket, 'week');
  });

  it('an address that makes no sense is the usual period', () => {
    assert.equal(
      readReportSearch({ period: 'custom', from: '2026-11-02', to: '2026-11-01' }).period,
      undefined,
    );
    assert.equal(readReportSearch({ period: 'century', bucket: 'second' }).bucket, undefined);
  });
});
