import { sampleRecord } from '../corpus/sample-records.ts';
import { separateGenerator } from '../load/cores.ts';
import { runRawLoad } from '../load/raw-load.ts';
import type { Measure, Scenario } from '../scenario.ts';
import type { Stage } from '../stage.ts';

const distinctBodies = 500;
/** The peak is the best of these numbers of requests in flight. */
const clientCounts = [64, 256, 1024];
/** Clients that each wait for a response before the next request, together at the offered rate. */
const overloadConnections = 4_000;
const longerBy = 3;
/** Of the peak. */
const overloadFactor = 4;

/**
 * A service beyond its limit should continue at its peak and reject the rest. Otherwise requests wait for each other
 * until they time out, and their work is lost.
 */
export const overload: Scenario = {
  name: 'overload',
  about:
    'POST /crm/records at four times the rate that can be sustained: what share of the peak is still served',
  fillsItself: true,
  async measure(stage) {
    const database = stage.postgresPid();
    const undo = database === null ? null : separateGenerator([stage.service.pid, database]);
    if (!undo) stage.say('the load generator shares its cores with the service: the ratio comes out too low');
    try {
      return await measureOverload(stage);
    } finally {
      undo?.();
    }
  },
};

async function measureOverload({ random, workspace, service, options, say }: Stage): Promise<Measure[]> {
  const { host } = new URL(service.url);
  const requests = Array.from({ length: distinctBodies }, () => {
    const body = Buffer.from(JSON.stringify(sampleRecord(random, workspace.fieldIds)));
    const head = [
      'POST /crm/records HTTP/1.1',
      `host: ${host}`,
      `authorization: Bearer ${workspace.token}`,
      'content-type: application/json',
      `content-length: ${body.length}`,
    ];
    return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]);
  });
  const { url } = service;
  const seconds = options.seconds * longerBy;
  await runRawLoad({ url, requests, connections: clientCounts[0]!, seconds: options.warmUpSeconds });
  let peak = 0;
  for (const connections of clientCounts) {
    const { perSecond } = await runRawLoad({ url, requests, connections, seconds });
    say(`${connections} in flight: ${Math.round(perSecond)} a second`);
    peak = Math.max(peak, perSecond);
  }
  const offered = Math.round(peak * overloadFactor);
  const beyond = await runRawLoad({
    url,
    requests,
    connections: overloadConnections,
    seconds,
    perSecond: offered,
  });
  say(`${offered} a second offered: ${JSON.stringify(beyond.statuses)}, ${beyond.unsent} could not be sent`);
  const serverErrors = Object.entries(beyond.statuses)
    .filter(([status]) => status.startsWith('5') && status !== '503')
    .reduce((sum, [, count]) => sum + count, 0);
  return [
    { name: 'peak per second', value: peak, goal: null },
    { name: 'served per second at four times the peak', value: beyond.perSecond, goal: null },
    { name: 'goodput ratio', value: beyond.perSecond / peak, goal: { atLeast: 0.8 } },
    { name: 'p99 of accepted requests, ms', value: beyond.acceptedP99, goal: { atMost: 1_000 } },
    { name: 'p99 of all answers, ms', value: beyond.p99, goal: null },
    { name: 'of it: p99 delay of the load generator, ms', value: beyond.generatorDelayP99, goal: null },
    { name: 'server errors other than 503', value: serverErrors, goal: { atMost: 0 } },
    { name: 'broken connections', value: beyond.broken, goal: { atMost: 0 } },
  ];
}
