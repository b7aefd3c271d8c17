import { atRate, percentile } from '../../load/client.ts';
import type { Scenario } from '../../scenario.ts';
import { connectPhones, customerNumber } from './linked-phones.ts';

const perSecond = 200;
const seconds = 10;
const channels = 10;
const customers = 1_000;

export const connectorInbound: Scenario = {
  name: 'connector-inbound',
  about: `webhooks of a provider, ${perSecond} a second to ${channels} channels, while their messages are processed`,
  async measure(stage) {
    const phones = await connectPhones(stage, channels, null);
    try {
      const say = (index: number) =>
        phones.say(phones.names[index % channels]!, customerNumber(index % customers), `Message ${index}`);
      await atRate(perSecond, stage.options.warmUpSeconds, say);
      const times: number[] = [];
      await atRate(perSecond, seconds, async (index) => void times.push(await say(index)));
      return [
        { name: 'webhook to its answer p50, ms', value: percentile(times, 0.5), goal: null },
        { name: 'webhook to its answer p99, ms', value: percentile(times, 0.99), goal: { atMost: 50 } },
      ];
    } finally {
      await phones.close();
    }
  },
};
