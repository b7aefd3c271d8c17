import { atRate, openClient, percentile } from '../../load/client.ts';
import { startReceiver } from '../../load/receiver.ts';
import type { Scenario } from '../../scenario.ts';

const perSecond = 100;
const seconds = 10;
const waitMs = 30_000;

export const messageReply: Scenario = {
  name: 'message-reply',
  about: 'from the 202 to the offline agent’s reply at the webhook, 100 messages a second',
  async measure({ service, workspace, options }) {
    const client = openClient(service.url, workspace.token);
    const acceptedAt = new Map<string, number>();
    const repliedAt = new Map<string, number>();
    const receiver = await startReceiver((event, at) => {
      if (event.direction === 'outgoing') repliedAt.set(event.data.message.inReplyTo, at);
    });
    try {
      const { body: agents } = await client.call('GET', '/agents');
      const { body: channel } = await client.call('POST', '/channels', {
        name: 'Bench replies',
        identifier: `bench-${Date.now()}`,
        type: 'api',
        defaultAgentId: agents.items[0].id,
        webhookUrl: receiver.url,
      });
      const send = async (name: string) => {
        const { body } = await client.call('POST', '/messages', {
          content: 'What is Talkboard?',
          fromChannelIdentifier: channel.identifier,
          sessionId: `${name}-${channel.id}`,
        });
        return body.userMessage.id as string;
      };
      // Warm-up, as for every goal: a service that has just started prepares and compiles everything on first use.
      await atRate(perSecond, options.warmUpSeconds, (index) => send(`warm-up-${index}`));
      await atRate(perSecond, seconds, async (index) => {
        const id = await send(`reply-${index}`);
        acceptedAt.set(id, performance.now());
      });
      const deadline = performance.now() + waitMs;
      const isMissing = () => [...acceptedAt.keys()].some((id) => !repliedAt.has(id));
      while (isMissing() && performance.now() < deadline) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      if (isMissing()) throw new Error('some replies never came');
      const times = [...acceptedAt].map(([id, at]) => repliedAt.get(id)! - at);
      return [
        { name: '202 to reply p50, ms', value: percentile(times, 0.5), goal: null },
        { name: '202 to reply p99, ms', value: percentile(times, 0.99), goal: { atMost: 300 } },
      ];
    } finally {
      await receiver.close();
      await client.close();
    }
  },
};
