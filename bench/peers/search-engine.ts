/** One search engine in a separate process: its build time, memory and answers are its own. */
import MiniSearch from 'minisearch';
import { compileQuery } from '../../server/search-engine/match/match.ts';
import { searchPage } from '../../server/search-engine/query/query.ts';
import { Workspace } from '../../server/search-engine/query/workspace.ts';
import { createYielder } from '../../server/search-engine/query/yielder.ts';
import { SearchIndex } from '../../server/search-engine/store/index.ts';
import { answerParent } from '../child.ts';
import { corpusFields, corpusRecords } from '../corpus/corpus.ts';
import { corpusTexts } from '../corpus/corpus-texts.ts';
import { type QueryKind, searchedTexts } from '../corpus/queries.ts';

export type EngineName = 'talkboard' | 'minisearch' | 'orama';

/** Numbers of the records found, in the order of the corpus; at most `limit` if the engine supports it. */
type Ask = (q: string, kind: QueryKind, limit: number) => Promise<number[]>;

type Question =
  | { build: { engine: EngineName; seed: number; records: number } }
  | { time: { queries: string[]; kind: QueryKind; withinMs: number } }
  | { find: { queries: string[]; kind: QueryKind } };

interface Orama {
  create(options: { schema: object }): object;
  insertMultiple(db: object, documents: object[], batchSize: number): Promise<unknown>;
  search(
    db: object,
    query: { term: string; tolerance: number; limit: number },
  ): Promise<{ hits: { id: string }[] }>;
}

const page = 20;
const editsOf = (kind: QueryKind) => (kind === 'typo1' ? 1 : kind === 'typo2' ? 2 : 0);

async function buildTalkboard(seed: number, records: number): Promise<{ ask: Ask; index: SearchIndex }> {
  const fields = corpusFields(seed);
  const phones = new Set(fields.filter((field) => field.type === 'phone').map((field) => field.id));
  const types = new Map(fields.map((field) => [field.id, field.type]));
  const index = new SearchIndex();
  const work = new Workspace();
  let number = 0;
  for (const record of corpusRecords(seed, records)) {
    const { kanbanId, status, createdAt, updatedAt } = record;
    const phone = Object.entries(record.customFields).find(([id]) => phones.has(id))?.[1];
    const texts = searchedTexts(record, types).map((text) => ({ text, isPhone: text === phone }));
    index.upsert({ id: idOf(number++), kanbanId, status, createdAt, updatedAt, texts });
  }
  const ask: Ask = async (q, _kind, limit) => {
    const found = await searchPage(index, compileQuery(q), {}, 0, limit, work, createYielder());
    return found.items.map(({ id }) => Number.parseInt(id.slice(24), 16));
  };
  return { ask, index };
}

const idOf = (number: number) => `018f0000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;

async function buildMiniSearch(texts: string[]): Promise<Ask> {
  const engine = new MiniSearch({ fields: ['text'], idField: 'number' });
  engine.addAll(texts.map((text, number) => ({ number, text })));
  return async (q, kind) =>
    engine
      .search(q, { prefix: true, fuzzy: editsOf(kind) || false, combineWith: 'AND' })
      .map(({ id }) => id as number);
}

async function buildOrama(texts: string[]): Promise<Ask> {
  const { create, insertMultiple, search } = (await import(process.env.PEER_ENTRY!)) as Orama;
  const db = create({ schema: { text: 'string' } });
  await insertMultiple(
    db,
    texts.map((text, number) => ({ id: String(number), text })),
    5_000,
  );
  return async (q, kind, limit) => {
    const { hits } = await search(db, { term: q, tolerance: editsOf(kind), limit });
    return hits.map(({ id }) => Number(id));
  };
}

function usedBytes(): number {
  return heapBytes() + process.memoryUsage().external;
}

function heapBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

let ask: Ask;

answerParent<Question>(async (question) => {
  if ('build' in question) {
    const { engine, seed, records } = question.build;
    const texts = engine === 'talkboard' ? [] : corpusTexts(seed, records);
    const before = usedBytes();
    const heapBefore = heapBytes();
    const began = performance.now();
    if (engine === 'talkboard') {
      // Generating the corpus is not part of building: its time is subtracted.
      for (const _ of corpusRecords(seed, records));
      const makingMs = performance.now() - began;
      const built = await buildTalkboard(seed, records);
      ask = built.ask;
      return {
        buildMs: performance.now() - began - 2 * makingMs,
        // The engine does not count memory that threads share; the index counts it.
        bytes: heapBytes() - heapBefore + built.index.byteLength,
      };
    }
    ask = await (engine === 'orama' ? buildOrama : buildMiniSearch)(texts);
    return { buildMs: performance.now() - began, bytes: usedBytes() - before };
  }
  if ('time' in question) {
    const { queries, kind, withinMs } = question.time;
    const times: number[] = [];
    const deadline = performance.now() + withinMs;
    for (const q of queries) {
      const began = performance.now();
      await ask(q, kind, page);
      times.push(performance.now() - began);
      if (performance.now() > deadline) break;
    }
    return times;
  }
  const { queries, kind } = question.find;
  const found: number[][] = [];
  for (const q of queries) found.push(await ask(q, kind, 1_000_000));
  return found;
});
