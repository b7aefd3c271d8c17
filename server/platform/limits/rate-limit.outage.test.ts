/** Without the database, no request waits longer for a permit than for a connection. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Db } from '../db/db.ts';
import { unavailable } from '../http/errors.ts';
import { createRateLimits } from './rate-limit.ts';

describe('rate limits without a database', () => {
  it('refuse those who came during an exchange together with those who began it', async () => {
    let exchanges = 0;
    let fail = (): void => undefined;
    const failed = new Promise<void>((resolve) => {
      fail = resolve;
    });
    const query = async () => {
      exchanges++;
      await failed;
      throw unavailable('the database is away');
    };
    const limits = createRateLimits({ query } as unknown as Db);
    const windows = [{ limit: 120, seconds: 60 }];
    const asked = Promise.allSettled(
      ['crm', 'crm', 'crm'].map((bucket) => limits.admit('account', bucket, windows)),
    );
    fail();
    const outcomes = await asked;
    assert.deepEqual(
      outcomes.map((one) => one.status === 'rejected' && one.reason.status),
      [503, 503, 503],
    );
    assert.equal(exchanges, 1);
    await limits.close();
  });
});
