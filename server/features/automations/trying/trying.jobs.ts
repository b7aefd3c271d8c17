/** Works on backtests. Nothing is stored before the end, so another worker begins anew. */
import type { Clock } from '../../../platform/db/clock.ts';
import type { Db } from '../../../platform/db/db.ts';
import type { JobHandler } from '../../../platform/jobs/jobs.ts';
import type { AccountConfigCache } from '../../channels/channels.ts';
import { type BacktestResult, endBacktest, findBacktest } from './trying.backtest.sql.ts';
import { runBacktest } from './trying.backtest.ts';

interface Deps {
  db: Db;
  clock: Clock;
  accountConfig: AccountConfigCache;
}

const maxAttempts = 3;
const failed: BacktestResult = {
  state: 'failed',
  reason: 'The backtest could not be finished.',
  coveredFrom: null,
  approximateFields: [],
  perDay: [],
  items: [],
};

export function backtestHandler({ db, clock, accountConfig }: Deps): JobHandler {
  return async (job) => {
    const { accountId, signal } = job;
    const id = String(job.payload.id);
    const backtest = await findBacktest(db, accountId, id);
    if (backtest?.state !== 'running') return;
    const config = await accountConfig.fresh(accountId);
    const result =
      job.attempt > maxAttempts ? failed : await runBacktest({ db, accountId, config, signal }, backtest);
    await db.transaction(async (tx) => {
      await endBacktest(tx, accountId, id, result, clock.now());
      await job.complete(tx);
    });
  };
}
