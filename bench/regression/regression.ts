import { fillRecords } from '../corpus/fill.ts';
import { Random } from '../corpus/random.ts';
import { sampleRecord } from '../corpus/sample-records.ts';
import type { CpuTimes } from '../cpu.ts';
import type { LoadRequest } from '../load/load.ts';
import { comparePairs, type Target } from '../load/pairs.ts';
import { UsageError } from '../options.ts';
import type { Measure, Scenario } from '../scenario.ts';
import type { Stage, Twin } from '../stage.ts';
import { checkOut } from './checkout.ts';
import { type Compared, compareDeliveries } from './deliveries.ts';
import { signedMessages } from './inbound.ts';
import { compareReplies } from './replies.ts';
import { ratioInterval, showsLoss } from './statistics.ts';

const distinct = 500;

/** A larger loss fails the command, once the confidence interval shows it. */
const allowedLoss = 0.1;

/** The cost of a change: this version and another one on two databases of one PostgreSQL, in alternating bursts. */
export const regression: Scenario = {
  name: 'regression',
  about:
    'get, list, lookup, create, send, search, inbound, deliveries and replies of this version beside the one in --before',
  onRequest: true,
  fillsItself: true,
  async measure(stage) {
    const { before } = stage.options;
    if (before === null)
      throw new UsageError('regression needs --before: a checkout of another version or a commit');
    const works = worksOf(stage.options.works);
    const folder = await checkOut(before, stage);
    // Without background work: it would run on the same cores at random moments.
    const sides = {
      before: await prepare(stage, 'version_before', folder),
      after: await prepare(stage, 'version_after'),
    };
    const measures: Measure[] = [];
    const losses: string[] = [];
    for (const name of works) {
      const compared =
        name === 'deliveries'
          ? await compareDeliveries(stage, folder)
          : name === 'replies'
            ? await compareReplies(stage, folder)
            : await comparePairs(stage, {
                talkboard: targetOf(sides.after, await requestsOf[name](sides.after)),
                floor: targetOf(sides.before, await requestsOf[name](sides.before)),
              });
      const interval = ratioInterval(compared.ratios);
      if (showsLoss(interval, allowedLoss)) losses.push(name);
      report(stage, name, compared);
      measures.push(
        { name: `${name}: rate after / before`, value: interval.median, goal: null },
        { name: `${name}: from, with 95 % confidence`, value: interval.low, goal: null },
        { name: `${name}: to`, value: interval.high, goal: { atLeast: 1 - allowedLoss } },
      );
    }
    stage.say(losses.length === 0 ? 'no loss over 10 % is shown' : `a loss over 10 %: ${losses.join(', ')}`);
    return [
      ...measures,
      { name: 'requests with a loss over 10 %', value: losses.length, goal: { atMost: 0 } },
    ];
  },
};

function report(stage: Stage, name: string, { ratios, talkboard, floor }: Compared): void {
  const rates = `${Math.round(floor.perSecond)}/s before, ${Math.round(talkboard.perSecond)}/s after`;
  stage.say(`${name}: ${rates}; ${ratios.map((one) => one.toFixed(2)).join(' ')}`);
  if (floor.cpu && talkboard.cpu) {
    stage.say(`  µs of processor time: ${cpuText(floor.cpu)} before, ${cpuText(talkboard.cpu)} after`);
  }
}

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

const requestsOf = {
  get: ({ random, recordIds }: Prepared) =>
    times(() => ({ method: 'GET', path: `/crm/records/${random.pick(recordIds)}` })),
  list: () => [{ method: 'GET', path: '/crm/records' }],
  async lookup({ pool, workspace }: Prepared) {
    const emailId = workspace.fieldIds[1]!;
    // The newest records: they are the same on both sides.
    const { rows } = await pool.query(
      'select custom_fields ->> $1 as value from records order by created_at desc limit $2',
      [emailId, distinct],
    );
    return rows.map(({ value }) => ({
      method: 'GET',
      path: `/crm/search?customFieldId=${emailId}&customFieldValue=${encodeURIComponent(value)}`,
    }));
  },
  create: ({ random, workspace }: Prepared) =>
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
  search: ({ random, workspace }: Prepared) =>
    times(() => {
      const { title } = sampleRecord(random, workspace.fieldIds);
      return { method: 'GET', path: `/crm/search?q=${encodeURIComponent(title)}` };
    }),
  inbound: (side: Prepared) => signedMessages(side, distinct),
} satisfies { [name: string]: (side: Prepared) => LoadRequest[] | Promise<LoadRequest[]> };

type Work = keyof typeof requestsOf | 'deliveries' | 'replies';
const allWorks = [
  ...(Object.keys(requestsOf) as (keyof typeof requestsOf)[]),
  'deliveries',
  'replies',
] as const;

function worksOf(names: string[] | null): readonly Work[] {
  const unknown = names?.find((name) => !allWorks.some((work) => work === name));
  if (unknown !== undefined) {
    throw new UsageError(`--works: ${unknown} is not one of ${allWorks.join(', ')}`);
  }
  return names ? allWorks.filter((work) => names.includes(work)) : allWorks;
}
