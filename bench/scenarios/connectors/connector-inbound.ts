import { createCpuMeter } from '../../cpu.ts';
import { atRate, percentile } from '../../load/client.ts';
import type { Scenario } from '../../scenario.ts';
import type { Stage } from '../../stage.ts';
import { connectPhones, customerNumber } from './linked-phones.ts';

const perSecond = 200;
const seconds = 10;
const channels = 10;
const customers = 1_000;
const processWithinMs = 120_000;

export const connectorInbound: Scenario = {
  name: 'connector-inbound',
  about: `webhooks of a provider, ${perSecond} a second to ${channels} channels, while their messages are processed`,
  async measure(stage) {
    const phones = await connectPhones(stage, channels, null);
    try {
      const say = (index: number) =>
        phones.say(phones.names[index % channels]!, customerNumber(index % customers), `Message ${index}`);
      await atRate(perSecond, stage.options.warmUpSeconds, say);
      await processed(stage);
      const meter = createCpuMeter(stage.service.pid, stage.postgresPid);
      const commits = await commitsOf(stage);
      const times: number[] = [];
      await atRate(perSecond, seconds, async (index) => void times.push(await say(index)));
      await processed(stage);
      const cpu = meter.read();
      return [
        { name: 'webhook to its answer p50, ms', value: percentile(times, 0.5), goal: null },
        { name: 'webhook to its answer p99, ms', value: percentile(times, 0.99), goal: { atMost: 50 } },
        {
          name: 'processor time of the service a message, µs',
          value: (cpu?.side ?? 0) / times.length,
          goal: null,
        },
        {
          name: 'processor time of PostgreSQL a message, µs',
          value: (cpu?.database ?? 0) / times.length,
          goal: null,
        },
        { name: 'commits a message', value: ((await commitsOf(stage)) - commits) / times.length, goal: null },
      ];
    } finally {
      await phones.close();
    }
  },
};

/** Everything that came in is stored. */
async function processed({ pool }: Stage): Promise<void> {
  const deadline = performance.now() + processWithinMs;
  for (;;) {
    const { rows } = await pool.query(`select exists (select from connector_inbound)
      or exists (select from connector_items where state = 'waiting') as open`);
    if (!rows[0].open) return;
    if (performance.now() > deadline) throw new Error('the messages were not processed');
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function commitsOf({ pool }: Stage): Promise<number> {
  // Backends report their counts with a delay of up to a second.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const { rows } = await pool.query(
    'select xact_commit::float8 as count from pg_stat_database where datname = current_database()',
  );
  return rows[0].count;
}
