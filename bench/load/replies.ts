/** Messages of customers to one agent, and when its replies arrive at the webhook of its channel. */
import type { Side } from '../processes.ts';
import { atRate, openClient } from './client.ts';
import { startReceiver } from './receiver.ts';

const waitMs = 30_000;
const sendersAtOnce = 16;

export interface Replies {
  /** From the 202 of each message to its reply, in milliseconds. */
  timesAt(perSecond: number, seconds: number): Promise<number[]>;
  /** How many replies a second arrive to messages that are sent as fast as they are accepted. */
  rateOf(count: number): Promise<number>;
  close(): Promise<void>;
}

export async function openReplies(
  service: Pick<Side, 'url'>,
  token: string,
  agentId: string,
  nextQuestion: () => string,
): Promise<Replies> {
  const client = openClient(service.url, token);
  const repliedAt = new Map<string, number>();
  const receiver = await startReceiver((event, at) => {
    if (event.direction === 'outgoing') repliedAt.set(event.data.message.inReplyTo, at);
  });
  const { body: channel } = await client.call('POST', '/channels', {
    name: 'Bench replies',
    identifier: `bench-${agentId}-${Date.now()}`,
    type: 'api',
    defaultAgentId: agentId,
    webhookUrl: receiver.url,
  });
  let sent = 0;
  const send = async (): Promise<string> => {
    const { body } = await client.call('POST', '/messages', {
      content: nextQuestion(),
      fromChannelIdentifier: channel.identifier,
      sessionId: `${++sent}-${channel.id}`,
    });
    return body.userMessage.id;
  };
  const waitFor = async (ids: readonly string[]): Promise<void> => {
    const deadline = performance.now() + waitMs;
    while (ids.some((id) => !repliedAt.has(id))) {
      if (performance.now() > deadline) throw new Error('some replies never came');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  return {
    async timesAt(perSecond, seconds) {
      const acceptedAt = new Map<string, number>();
      await atRate(perSecond, seconds, async () => {
        acceptedAt.set(await send(), performance.now());
      });
      await waitFor([...acceptedAt.keys()]);
      return [...acceptedAt].map(([id, at]) => repliedAt.get(id)! - at);
    },
    async rateOf(count) {
      const ids: string[] = [];
      const began = performance.now();
      let left = count;
      const sender = async () => {
        while (left-- > 0) ids.push(await send());
      };
      await Promise.all(Array.from({ length: sendersAtOnce }, sender));
      await waitFor(ids);
      const last = Math.max(...ids.map((id) => repliedAt.get(id)!));
      return count / ((last - began) / 1_000);
    },
    async close() {
      await receiver.close();
      await client.close();
    },
  };
}
