import { type Child, startChild } from '../../child.ts';
import { corpusFields, corpusRecords } from '../../corpus/corpus.ts';
import { corpusTexts } from '../../corpus/corpus-texts.ts';
import { makeQuery, type QueryKind } from '../../corpus/queries.ts';
import { Random } from '../../corpus/random.ts';
import { Truth } from '../../corpus/truth.ts';
import { openClient, percentile } from '../../load/client.ts';
import type { EngineName } from '../../peers/search-engine.ts';
import { buildTrigrams } from '../../peers/trigrams.ts';
import { installPeers } from '../../peers.ts';
import type { Scenario } from '../../scenario.ts';
import type { Stage } from '../../stage.ts';

const kinds: QueryKind[] = ['substring', 'typo1', 'typo2'];
const timed = 200;
const judged = 30;
/** A slow engine gets fewer queries instead of more time. */
const withinMs = 8_000;

type Queries = Record<string, { all: string[]; truth: Set<number>[] }>;

interface Engine {
  name: string;
  buildMs: number;
  bytes: number | null;
  time(queries: string[], kind: QueryKind): Promise<number[]>;
  find(queries: string[], kind: QueryKind): Promise<number[][]>;
}

export const searchPeers: Scenario = {
  name: 'search-peers',
  about: 'the same queries on the same corpus beside MiniSearch, Orama and pg_trgm, with recall',
  onRequest: true,
  fillsItself: true,
  async tabulate(stage) {
    const { seed, records } = stage.options;
    const peers = await installPeers(['@orama/orama']);
    stage.onClose(() => peers.remove());
    const texts = corpusTexts(seed, records);
    stage.say('  brute force');
    const queries = makeQueries(seed, records, new Truth(texts));
    const rows: string[][] = [];
    const add = async (engine: Engine) => {
      rows.push(await rowOf(engine, queries));
      stage.say(`  ${rows.at(-1)!.join(' | ')}`);
    };
    for (const name of ['talkboard', 'minisearch', 'orama'] as const) {
      const child = startChild('peers/search-engine.ts', { PEER_ENTRY: peers.entry('@orama/orama') }, [
        '--expose-gc',
        '--max-old-space-size=4096',
      ]);
      const engine = await inProcess(child, name, seed, records);
      await add(engine);
      if (name === 'talkboard') await add(await overHttp(stage, engine));
      await child.stop();
    }
    const trigrams = await buildTrigrams(stage.pool, texts);
    await add({
      name: 'pg_trgm',
      buildMs: trigrams.buildMs,
      bytes: trigrams.bytes,
      async time(list, kind) {
        const deadline = performance.now() + withinMs;
        const times: number[] = [];
        for (const q of list) {
          const began = performance.now();
          await trigrams.find(q, kind, 20);
          times.push(performance.now() - began);
          if (performance.now() > deadline) break;
        }
        return times;
      },
      async find(list, kind) {
        const found: number[][] = [];
        for (const q of list) found.push(await trigrams.find(q, kind, records));
        return found;
      },
    }).finally(() => trigrams.close());
    const headings = kinds.map((kind) => `${kind} p50 / p95 ms, recall`);
    return { headings: ['engine', ...headings, 'build s', 'memory MB'], rows };
  },
};

function makeQueries(seed: number, count: number, truth: Truth): Queries {
  const random = new Random(seed + 1);
  const types = new Map(corpusFields(seed).map((field) => [field.id, field.type]));
  const all = [...corpusRecords(seed, count)];
  const result: Queries = {};
  for (const kind of kinds) {
    const list: string[] = [];
    // The engines index folded text, so queries are folded; a space would be two terms.
    while (list.length < timed) {
      const q = makeQuery(kind, all, types, random).normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
      if (/^[\p{L}\p{N}@.+-]+$/u.test(q)) list.push(q);
    }
    result[kind] = { all: list, truth: list.slice(0, judged).map((q) => truth.find(q, kind)) };
  }
  return result;
}

async function rowOf(engine: Engine, queries: Queries): Promise<string[]> {
  const cells: string[] = [];
  for (const kind of kinds) {
    const { all, truth } = queries[kind]!;
    const found = await engine.find(all.slice(0, judged), kind);
    const times = await engine.time(all, kind);
    const shares = truth.map((wanted, i) => {
      const has = new Set(found[i]);
      return [...wanted].filter((record) => has.has(record)).length / Math.max(1, wanted.size);
    });
    // A query without matches says nothing about recall.
    const told = shares.filter((_, i) => truth[i]!.size > 0);
    const recall = told.reduce((sum, share) => sum + share, 0) / told.length;
    cells.push(
      `${percentile(times, 0.5).toFixed(1)} / ${percentile(times, 0.95).toFixed(1)}, ${recall.toFixed(2)}`,
    );
  }
  const memory = engine.bytes === null ? '–' : (engine.bytes / 1e6).toFixed(0);
  return [engine.name, ...cells, (engine.buildMs / 1000).toFixed(1), memory];
}

async function inProcess(child: Child, engine: EngineName, seed: number, records: number): Promise<Engine> {
  const built = await child.ask<{ buildMs: number; bytes: number }>({ build: { engine, seed, records } });
  const name = { talkboard: 'Talkboard, the index alone', minisearch: 'MiniSearch', orama: 'Orama' }[engine];
  return {
    name,
    ...built,
    time: (queries, kind) => child.ask({ time: { queries, kind, withinMs } }),
    find: (queries, kind) => child.ask({ find: { queries, kind } }),
  };
}

/**
 * The whole path: HTTP, authentication, reading changes, the page's records, the total. Paging through tens of
 * thousands of results would take minutes, so it is compared with the index alone: first page and total must be the
 * same.
 */
async function overHttp(stage: Stage, alone: Engine): Promise<Engine> {
  const { token, recordIds } = await stage.corpus();
  const client = openClient(stage.service.url, token);
  stage.onClose(() => client.close());
  const numberOf = new Map(recordIds.map((id, number) => [id, number]));
  const path = (q: string) => `/crm/search?q=${encodeURIComponent(q)}`;
  const first = await client.call('GET', path('warm'));
  return {
    name: 'Talkboard over HTTP',
    buildMs: first.ms,
    bytes: null,
    async time(queries) {
      const times: number[] = [];
      for (const q of queries) times.push((await client.call('GET', path(q))).ms);
      return times;
    },
    async find(queries, kind) {
      const expected = await alone.find(queries, kind);
      for (const [i, q] of queries.entries()) {
        const { body } = await client.call('GET', path(q));
        const numbers = body.items.map((item: { recordId: string }) => numberOf.get(item.recordId));
        const isSame = numbers.every((number: number, place: number) => number === expected[i]![place]);
        if (!isSame || body.total !== expected[i]!.length) throw new Error(`${q}: not what the index finds`);
      }
      return expected;
    },
  };
}
