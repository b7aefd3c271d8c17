import { Random } from '../corpus/random.ts';
import { sampleRecord } from '../corpus/sample-records.ts';
import type { LoadRequest } from '../load/load.ts';
import { type Comparison, comparePairs } from '../load/pairs.ts';
import { UsageError } from '../options.ts';
import { directus } from '../peers/records/directus.ts';
import { parseServer } from '../peers/records/parse-server.ts';
import {
  callPeer,
  fieldNames,
  type PlainRecord,
  type RecordPeer,
  type RecordStore,
} from '../peers/records/peer.ts';
import { strapi } from '../peers/records/strapi.ts';
import { startTalkboard, type TalkboardStore } from '../peers/records/talkboard.ts';
import { installPeers, PeersMissing } from '../peers.ts';
import type { Measure, Scenario } from '../scenario.ts';
import type { Stage } from '../stage.ts';

const maxRecords = 20_000;
const distinct = 500;
const checked = 20;
const pageSize = 20;

const peers: Record<string, RecordPeer> = { 'parse-server': parseServer, directus, strapi };

/** Of the rate of Parse Server, the only one with goals. Any condition has none: it has no index on either side. */
const goals: Record<string, number> = { get: 5, list: 6, filter: 6, create: 5 };

/**
 * Other products for records on the same PostgreSQL, each on a database of its own with the same records and the same
 * number of connections. Each has the indexes that it makes without being asked.
 */
export const recordPeers: Scenario = {
  name: 'record-peers',
  about: 'get, list, filter and create on 20,000 records beside Parse Server, Directus and Strapi',
  onRequest: true,
  fillsItself: true,
  async tabulate(stage) {
    const count = Math.min(stage.options.records, maxRecords);
    const random = new Random(stage.options.seed);
    const records = Array.from({ length: count }, () => plainRecord(random));
    const talkboard = await startTalkboard(stage, count, new Random(stage.options.seed));
    await check('Talkboard', talkboard, records);
    await checkCondition(talkboard, records);
    const stores = new Map<string, RecordStore>();
    for (const peer of chosen(stage)) {
      const store = await startPeer(stage, peer, records);
      if (store) stores.set(peer.name, store);
    }
    if (stores.size === 0)
      throw new PeersMissing('none of the other products could be installed and started');

    const rows: string[][] = [];
    const measures: Measure[] = [];
    for (const [kind, make] of Object.entries(kinds(records, random))) {
      for (const [name, store] of stores) {
        const compared = await comparePairs(stage, {
          talkboard: { side: talkboard.side, headers: talkboard.headers, requests: make.ours(talkboard) },
          floor: { side: store.side, headers: store.headers, requests: make.theirs(store) },
        });
        rows.push(rowOf(kind, name, compared));
        stage.say(`  ${rows.at(-1)!.join(' | ')}`);
        if (name === parseServer.name) {
          measures.push({
            name: `${kind}: ratio to ${name}`,
            value: compared.ratio,
            goal: goals[kind] ? { atLeast: goals[kind] } : null,
          });
        }
      }
    }
    const headings = ['request', 'beside', 'ratio', 'ratios', 'talkboard/s', 'peer/s', 'p99 ms', 'CPU µs'];
    return { headings, rows, measures };
  },
};

function chosen({ options }: Stage): RecordPeer[] {
  const names = options.peers ?? Object.keys(peers);
  return names.map((name) => {
    const peer = peers[name];
    if (!peer) throw new UsageError(`${name} is no peer; there are ${Object.keys(peers).join(', ')}`);
    return peer;
  });
}

/** One that cannot be installed or started is left out, with the reason. */
async function startPeer(
  stage: Stage,
  peer: RecordPeer,
  records: readonly PlainRecord[],
): Promise<RecordStore | null> {
  stage.say(`  installing ${peer.name}`);
  try {
    const installed = await installPeers(peer.packages);
    stage.onClose(() => installed.remove());
    stage.say(`  starting ${peer.name}`);
    const store = await peer.start(stage, installed, records);
    await check(peer.name, store, records);
    return store;
  } catch (error) {
    stage.say(`${peer.name} is left out: ${(error as Error).message}`);
    return null;
  }
}

interface Requests {
  ours(store: TalkboardStore): LoadRequest[];
  theirs(store: RecordStore): LoadRequest[];
}

/** In the order in which they run: creates come last, so that all others see the same records. */
function kinds(records: readonly PlainRecord[], random: Random): Record<string, Requests> {
  const places = Array.from({ length: distinct }, () => random.below(records.length));
  const bodies = Array.from({ length: distinct }, () => plainRecord(random));
  const same = (make: (store: RecordStore) => LoadRequest[]): Requests => ({ ours: make, theirs: make });
  const filters = (store: RecordStore) => places.map((place) => store.withTown(records[place]!.town));
  return {
    get: same((store) => places.map((place) => store.get(store.ids[place]!))),
    list: same((store) => [store.newest(pageSize)]),
    filter: same(filters),
    'filter by condition': {
      ours: (store) => places.map((place) => store.where(records[place]!.town)),
      theirs: filters,
    },
    create: same((store) => bodies.map((record) => store.create(record))),
  };
}

function plainRecord(random: Random): PlainRecord {
  const { title, status, customFields } = sampleRecord(random, fieldNames);
  return { title, status, ...customFields } as unknown as PlainRecord;
}

/** A product that answers something else, or less, must not be measured. */
async function check(name: string, store: RecordStore, records: readonly PlainRecord[]): Promise<void> {
  const places = Array.from({ length: checked }, (_, index) =>
    Math.floor((index * records.length) / checked),
  );
  const compare = (what: string, found: unknown, expected: unknown) => {
    if (canonical(found) !== canonical(expected)) {
      throw new Error(`${name}: ${what} is ${canonical(found)} instead of ${canonical(expected)}`);
    }
  };
  for (const place of places) {
    const { body } = await callPeer(store, store.get(store.ids[place]!));
    compare(`record ${place}`, store.record(body), records[place]);
  }
  const newest = await callPeer(store, store.newest(pageSize));
  compare('the list of the newest', store.records(newest.body), records.slice(-pageSize).toReversed());
  for (const place of places) {
    const { town } = records[place]!;
    const { body } = await callPeer(store, store.withTown(town));
    compare(`the filter by ${town}`, sorted(store.records(body)), sorted(withTown(records, town)));
  }
  const record = { ...records[0]!, title: 'Created to check' };
  const created = await callPeer(store, store.create(record));
  if (created.status !== 201 && created.status !== 200)
    throw new Error(`${name}: a create is ${created.status}`);
  const read = await callPeer(store, store.get(store.createdId(created.body)));
  compare('a created record', store.record(read.body), record);
}

async function checkCondition(store: TalkboardStore, records: readonly PlainRecord[]): Promise<void> {
  const { town } = records[1]!;
  const { body } = await callPeer(store, store.where(town));
  if (canonical(sorted(store.records(body))) !== canonical(sorted(withTown(records, town)))) {
    throw new Error(`the condition ${town} finds other records than there are`);
  }
}

const withTown = (records: readonly PlainRecord[], town: string) =>
  records.filter((record) => record.town === town);
const sorted = (records: readonly PlainRecord[]) => records.toSorted((a, b) => (a.title < b.title ? -1 : 1));

/** With the keys in one order. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part) =>
    part && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

function rowOf(kind: string, name: string, { ratio, ratios, talkboard, floor }: Comparison): string[] {
  const cpu = [talkboard, floor].map(({ cpu: used }) =>
    used ? `${Math.round(used.side)}+${Math.round(used.database)}` : '–',
  );
  return [
    kind,
    name,
    ratio.toFixed(1),
    `${Math.min(...ratios).toFixed(1)} to ${Math.max(...ratios).toFixed(1)}`,
    String(Math.round(talkboard.perSecond)),
    String(Math.round(floor.perSecond)),
    `${talkboard.p99} / ${floor.p99}`,
    cpu.join(' / '),
  ];
}
