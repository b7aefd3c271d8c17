import { readFileSync } from 'node:fs';
import type { Scenario } from '../../scenario.ts';
import type { Stage } from '../../stage.ts';
import { connectPhones } from './linked-phones.ts';

const channels = 1_000;
const settleMs = 10_000;
const countMs = 10_000;

export const connectorIdle: Scenario = {
  name: 'connector-idle',
  about: `${channels} connected channels without traffic: memory of the service, transactions at the database`,
  onRequest: true,
  fillsItself: true,
  async measure(stage) {
    // The code and the pools of connectors are no cost of a channel.
    const first = await connectPhones(stage, 10, null);
    stage.onClose(() => first.close());
    const before = await figures(stage);
    const phones = await connectPhones(stage, channels, null);
    try {
      const after = await figures(stage);
      return [
        { name: 'memory of 1,000 channels, MB', value: after.mb - before.mb, goal: { atMost: 100 } },
        { name: 'transactions a second without them', value: before.perSecond, goal: null },
        {
          name: 'transactions a second with them',
          value: after.perSecond,
          goal: { atMost: before.perSecond + 10 },
        },
      ];
    } finally {
      await phones.close();
    }
  },
};

async function figures({ service, pool }: Stage): Promise<{ mb: number; perSecond: number }> {
  await pause(settleMs);
  const begun = await transactions(pool);
  await pause(countMs);
  const perSecond = ((await transactions(pool)) - begun) / (countMs / 1000);
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1];
  if (!kilobytes) throw new Error('the kernel does not report the memory of a process');
  return { mb: Number(kilobytes) / 1024, perSecond };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function transactions(pool: Stage['pool']): Promise<number> {
  const { rows } = await pool.query(
    'select (xact_commit + xact_rollback)::float8 as count from pg_stat_database where datname = current_database()',
  );
  return rows[0].count;
}
