import type { Burst } from '../load.ts';
import { sampleRecord } from '../sample-records.ts';
import type { Scenario } from '../scenario.ts';

const distinctBodies = 500;
/** Peaks are looked for with so many requests in flight. */
const clientCounts = [16, 64, 256];
/** So many that the load is offered whether or not earlier requests were answered. */
const overloadClients = 1_500;
const longerBy = 3;

/**
 * What a service does beyond its limit: it should go on at its peak and reject the rest at once. Without that, requests
 * wait for each other until they time out, and their work is lost.
 */
export const overload: Scenario = {
  name: 'overload',
  about: 'POST /crm/records at twice the rate that can be sustained: what share of the peak is still served',
  fillsItself: true,
  async measure({ random, workspace, service, load, options, say }) {
    const requests = Array.from({ length: distinctBodies }, () => ({
      method: 'POST',
      path: '/crm/records',
      body: JSON.stringify(sampleRecord(random, workspace.fieldIds)),
    }));
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${workspace.token}` };
    const burst = (clients: number, seconds: number, perSecond?: number): Promise<Burst> =>
      load.run({ url: service.url, headers, requests, clients, seconds, perSecond });

    await burst(clientCounts[0]!, options.warmUpSeconds);
    let peak = 0;
    for (const clients of clientCounts) {
      const { perSecond } = await burst(clients, options.seconds * longerBy);
      say(`${clients} clients: ${Math.round(perSecond)} a second`);
      peak = Math.max(peak, perSecond);
    }
    const offered = Math.round(peak * 2);
    const beyond = await burst(overloadClients, options.seconds * longerBy, offered);
    say(`${offered} a second offered: ${JSON.stringify(beyond.statuses)}`);
    return [
      { name: 'peak per second', value: peak, goal: null },
      { name: 'served per second at twice the peak', value: beyond.perSecond, goal: null },
      { name: 'goodput ratio', value: beyond.perSecond / peak, goal: { atLeast: 0.8 } },
      { name: 'p99 of all answers', value: beyond.p99, goal: null },
    ];
  },
};
