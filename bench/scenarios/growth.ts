import { fillRecords } from '../corpus/fill.ts';
import { sampleRecord } from '../corpus/sample-records.ts';
import { openClient } from '../load/client.ts';
import type { LoadRequest } from '../load/load.ts';
import { comparePairs } from '../load/pairs.ts';
import type { Measure, Scenario } from '../scenario.ts';
import type { Twin } from '../stage.ts';

const few = 10_000;
const distinct = 500;
const pagesDeep = 10_000;
const pageSize = 20;

/** Two services on two databases of one PostgreSQL, one with few records and one with all, in alternating bursts. */
export const growth: Scenario = {
  name: 'growth',
  about: `get, create and send on all records beside the same on ${few}; a deep page beside the first`,
  onRequest: true,
  async measure(stage) {
    const { random, options } = stage;
    const many: Twin = stage;
    const small = await stage.startTwin('few_records');
    const smallIds = await fillRecords(small.pool, small.workspace, few, random);
    const idsOf = (twin: Twin) => (twin === small ? smallIds : stage.recordIds);
    const side = (twin: Twin, requests: LoadRequest[]) => ({
      side: twin.service,
      headers: { authorization: `Bearer ${twin.workspace.token}`, 'content-type': 'application/json' },
      requests,
    });
    const times = <T>(make: (index: number) => T) => Array.from({ length: distinct }, (_, i) => make(i));
    const works: { [name: string]: (twin: Twin) => LoadRequest[] } = {
      get: (twin) => times(() => ({ method: 'GET', path: `/crm/records/${random.pick(idsOf(twin))}` })),
      create: (twin) =>
        times(() => ({
          method: 'POST',
          path: '/crm/records',
          body: JSON.stringify(sampleRecord(random, twin.workspace.fieldIds)),
        })),
      send: () =>
        times((index) => ({
          method: 'POST',
          path: '/messages',
          body: JSON.stringify({
            content: 'Hello',
            fromChannelIdentifier: 'api',
            sessionId: `grown-${index}`,
          }),
        })),
    };
    const measures: Measure[] = [];
    const deep = await pathOfDeepPage(many, Math.min(pagesDeep * pageSize, options.records - 2 * pageSize));
    const page = await comparePairs(stage, {
      talkboard: side(many, [{ method: 'GET', path: deep }]),
      floor: side(many, [{ method: 'GET', path: '/crm/records' }]),
    });
    measures.push({
      name: 'a deep page: first page’s rate / its own',
      value: 1 / page.ratio,
      goal: { atMost: 1.1 },
    });
    for (const [name, requests] of Object.entries(works)) {
      const { ratio } = await comparePairs(stage, {
        talkboard: side(many, requests(many)),
        floor: side(small, requests(small)),
      });
      measures.push({
        name: `${name}: rate at ${few} / at ${options.records} records`,
        value: 1 / ratio,
        goal: { atMost: 1.3 },
      });
    }
    return measures;
  },
};

async function pathOfDeepPage({ service, workspace }: Twin, depth: number): Promise<string> {
  const client = openClient(service.url, workspace.token);
  let token = '';
  for (let seen = 0; seen < depth; seen += 100) {
    const { body } = await client.call('GET', `/crm/records?limit=100${token && `&nextToken=${token}`}`);
    token = encodeURIComponent(body.nextToken);
  }
  await client.close();
  return `/crm/records?nextToken=${token}`;
}
