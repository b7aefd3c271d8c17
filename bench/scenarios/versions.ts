import { fillRecords } from '../corpus/fill.ts';
import { Random } from '../corpus/random.ts';
import { sampleRecord } from '../corpus/sample-records.ts';
import type { CpuTimes } from '../cpu.ts';
import type { LoadRequest } from '../load/load.ts';
import { comparePairs, type Target } from '../load/pairs.ts';
import { UsageError } from '../options.ts';
import type { Measure, Scenario } from '../scenario.ts';
import type { Stage, Twin } from '../stage.ts';

const distinct = 500;

/** The cost of a change: this version and another one on two databases of one PostgreSQL, in alternating bursts. */
export const versions: Scenario = {
  name: 'versions',
  about: 'get, list, create, send and search of this version beside the one in --before',
  onRequest: true,
  fillsItself: true,
  async measure(stage) {
    const { before } = stage.options;
    if (before === null) throw new UsageError('versions needs --before DIR, a checkout of another version');
    // Without background work: it would run on the same cores at random moments.
    const sides = {
      before: await prepare(stage, 'version_before', before),
      after: await prepare(stage, 'version_after'),
    };
    const measures: Measure[] = [];
    for (const [name, requests] of Object.entries(works)) {
      const { ratio, ratios, talkboard, floor } = await comparePairs(stage, {
        talkboard: targetOf(sides.after, requests(sides.after)),
        floor: targetOf(sides.before, requests(sides.before)),
      });
      const rates = `${Math.round(floor.perSecond)}/s before, ${Math.round(talkboard.perSecond)}/s after`;
      stage.say(`${name}: ${rates}; ${ratios.map((one) => one.toFixed(2)).join(' ')}`);
      measures.push({ name: `${name}: rate after / before`, value: ratio, goal: { atLeast: goalOf(name) } });
      if (floor.cpu && talkboard.cpu) {
        stage.say(`  µs of processor time: ${cpuText(floor.cpu)} before, ${cpuText(talkboard.cpu)} after`);
        const value = totalOf(talkboard.cpu) / totalOf(floor.cpu);
        measures.push({ name: `${name}: processor time after / before`, value, goal: null });
      }
    }
    return measures;
  },
};

/** For these a loss of 5 % counts, in the median of ten pairs (--pairs 10). Fewer pairs do not show so little. */
const goalOf = (name: string) => (['get', 'create', 'send'].includes(name) ? 0.95 : 0.9);
const totalOf = ({ side, database }: CpuTimes) => side + database;

const cpuText = ({ side, database }: CpuTimes) =>
  `${Math.round(side)} + ${Math.round(database)} in PostgreSQL`;

interface Prepared extends Twin {
  recordIds: string[];
  random: Random;
}

async function prepare(stage: Stage, database: string, folder?: string): Promise<Prepared> {
  const twin = await stage.startTwin(database, { role: 'api', ...(folder && { folder }) });
  // The same records and the same requests on both sides.
  const random = new Random(stage.options.seed);
  stage.say(`filling ${stage.options.records} records (${database})`);
  return {
    ...twin,
    random,
    recordIds: await fillRecords(twin.pool, twin.workspace, stage.options.records, random),
  };
}

const targetOf = ({ service, workspace }: Prepared, requests: LoadRequest[]): Target => ({
  side: service,
  headers: { authorization: `Bearer ${workspace.token}`, 'content-type': 'application/json' },
  requests,
});

const times = <T>(make: (index: number) => T) => Array.from({ length: distinct }, (_, index) => make(index));

const works: { [name: string]: (side: Prepared) => LoadRequest[] } = {
  get: ({ random, recordIds }) =>
    times(() => ({ method: 'GET', path: `/crm/records/${random.pick(recordIds)}` })),
  list: () => [{ method: 'GET', path: '/crm/records' }],
  create: ({ random, workspace }) =>
    times(() => ({
      method: 'POST',
      path: '/crm/records',
      body: JSON.stringify(sampleRecord(random, workspace.fieldIds)),
    })),
  send: () =>
    times((index) => ({
      method: 'POST',
      path: '/messages',
      body: JSON.stringify({ content: 'Hello', fromChannelIdentifier: 'api', sessionId: `sent-${index}` }),
    })),
  search: ({ random, workspace }) =>
    times(() => {
      const { title } = sampleRecord(random, workspace.fieldIds);
      return { method: 'GET', path: `/crm/search?q=${encodeURIComponent(title)}` };
    }),
};
