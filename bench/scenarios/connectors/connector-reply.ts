import { atRate, openClient, percentile } from '../../load/client.ts';
import type { Scenario } from '../../scenario.ts';
import { connectPhones, customerNumber } from './linked-phones.ts';

/** A phone sends 10 messages a second: with 4 each, the pace delays none. */
const channels = 10;
const perSecond = 40;
const seconds = 10;
const waitMs = 60_000;

export const connectorReply: Scenario = {
  name: 'connector-reply',
  about: `from a provider’s webhook to the offline agent’s reply at the provider, ${perSecond} messages a second on ${channels} channels`,
  async measure(stage) {
    const client = openClient(stage.service.url, stage.workspace.token);
    const { body: agents } = await client.call('GET', '/agents').finally(() => client.close());
    const phones = await connectPhones(stage, channels, agents.items[0].id);
    const { gateway, names } = phones;
    try {
      const repliedAt = new Map<string, number>();
      gateway.onSent = ({ number }) => void repliedAt.set(number, performance.now());
      const saidAt = new Map<string, number>();
      // Each message is a customer's first, so that none waits for an earlier one of its customer.
      const say = async (index: number, offset: number) => {
        const customer = customerNumber(offset + index);
        saidAt.set(customer, performance.now());
        await phones.say(names[index % channels]!, customer, 'What is Talkboard?');
      };
      const replied = async () => {
        const deadline = performance.now() + waitMs;
        const isMissing = () => [...saidAt.keys()].some((customer) => !repliedAt.has(customer));
        while (isMissing() && performance.now() < deadline) {
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
        if (isMissing()) throw new Error('some replies never came');
      };
      await atRate(perSecond, stage.options.warmUpSeconds, (index) => say(index, 0));
      await replied();
      saidAt.clear();
      await atRate(perSecond, seconds, (index) => say(index, 1_000_000));
      await replied();
      const times = [...saidAt].map(([customer, at]) => repliedAt.get(customer)! - at);
      return [
        { name: 'webhook to reply at the provider p50, ms', value: percentile(times, 0.5), goal: null },
        {
          name: 'webhook to reply at the provider p99, ms',
          value: percentile(times, 0.99),
          goal: { atMost: 500 },
        },
      ];
    } finally {
      await phones.close();
    }
  },
};
