import { openClient, percentile } from '../../load/client.ts';
import { openReplies } from '../../load/replies.ts';
import type { Scenario } from '../../scenario.ts';

const perSecond = 100;
const seconds = 10;

export const messageReply: Scenario = {
  name: 'message-reply',
  about: 'from the 202 to the offline agent’s reply at the webhook, 100 messages a second',
  async measure({ service, workspace, options, onClose }) {
    const client = openClient(service.url, workspace.token);
    const { body: agents } = await client.call('GET', '/agents');
    await client.close();
    const replies = await openReplies(
      service,
      workspace.token,
      agents.items[0].id,
      () => 'What is Talkboard?',
    );
    onClose(() => replies.close());
    // Warm-up, as for every goal: a service that has just started prepares and compiles everything on first use.
    await replies.timesAt(perSecond, options.warmUpSeconds);
    const times = await replies.timesAt(perSecond, seconds);
    return [
      { name: '202 to reply p50, ms', value: percentile(times, 0.5), goal: null },
      { name: '202 to reply p99, ms', value: percentile(times, 0.99), goal: { atMost: 300 } },
    ];
  },
};
