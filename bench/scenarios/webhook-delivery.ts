import { atRate, openClient, percentile } from '../load/client.ts';
import { startReceiver } from '../load/receiver.ts';
import type { Scenario } from '../scenario.ts';

const perSecond = 100;
const seconds = 10;
const endpoints = 20;
const backlog = 20_000;
const waitMs = 60_000;

export const webhookDelivery: Scenario = {
  name: 'webhook-delivery',
  about: 'commit to first attempt at 100 events a second; then a backlog worked off, signed and logged',
  async measure({ service, workspace, pool }) {
    const client = openClient(service.url, workspace.token);
    let received = 0;
    const arrivals = new Map<string, number>();
    const receiver = await startReceiver((event, at) => {
      received++;
      if (event.event === 'crm_record_created') arrivals.set(event.data.record.recordId, at);
    });
    const hooks: string[] = [];
    try {
      const hook = async (events: string[], enabled: boolean) => {
        const { body } = await client.call('POST', '/webhooks', { url: receiver.url, events, enabled });
        hooks.push(body.id);
        return body.id as string;
      };
      await hook(['crm_record_created'], true);
      const committedAt = new Map<string, number>();
      await atRate(perSecond, seconds, async (index) => {
        const { body } = await client.call('POST', '/crm/records', { title: `Event ${index}` });
        committedAt.set(body.recordId, performance.now());
      });
      await until(
        () => [...committedAt.keys()].every((id) => arrivals.has(id)),
        () => 'events never arrived',
      );
      const latencies = [...committedAt].map(([id, at]) => Math.max(0, arrivals.get(id)! - at));
      await client.call('PATCH', `/webhooks/${hooks[0]}`, { enabled: false });

      // Many endpoints, as in production: one takes four at a time. Their events are held first and replayed at once.
      const held: string[] = [];
      for (let i = 0; i < endpoints; i++) held.push(await hook(['crm_field_update'], false));
      const { body: list } = await client.call('GET', '/crm/records?limit=100');
      const perEndpoint = backlog / endpoints;
      for (let sent = 0; sent < perEndpoint; sent += 100) {
        const items = list.items.map((record: { recordId: string }) => ({
          recordId: record.recordId,
          title: `Round ${sent}`,
        }));
        await client.call('POST', '/crm/records/batch', { items });
      }
      await pool.query('vacuum analyze webhook_deliveries, events');
      received = 0;
      const began = performance.now();
      for (const id of held) {
        await client.call('PATCH', `/webhooks/${id}`, { enabled: true });
        await client.call('POST', `/webhooks/${id}/replay`, { from: 0, to: Date.now() + 60_000 });
      }
      await until(
        () => received >= backlog,
        () => `the backlog was not worked off: ${received} of ${backlog}`,
      );
      const rate = backlog / ((performance.now() - began) / 1000);
      return [
        { name: 'commit to first attempt p50, ms', value: percentile(latencies, 0.5), goal: null },
        {
          name: 'commit to first attempt p99, ms',
          value: percentile(latencies, 0.99),
          goal: { atMost: 250 },
        },
        { name: 'deliveries a second', value: rate, goal: null },
      ];
    } finally {
      for (const id of hooks) await client.call('DELETE', `/webhooks/${id}`).catch(() => {});
      await receiver.close();
      await client.close();
    }
  },
};

async function until(done: () => boolean, complaint: () => string): Promise<void> {
  const deadline = performance.now() + waitMs;
  while (!done()) {
    if (performance.now() > deadline) throw new Error(complaint());
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
