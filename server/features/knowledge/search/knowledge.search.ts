/** Search over the passages of published documents, with one index for each account that is searched. */
import type { Citation, KnowledgeSearchAnswer, KnowledgeSearchBody } from '../../../../contract/knowledge.ts';
import { limits } from '../../../../contract/limits.ts';
import { pageSize } from '../../../../contract/shapes/paging.ts';
import { createSemaphore } from '../../../platform/concurrency/semaphore.ts';
import type { Reader } from '../../../platform/db/db.ts';
import { type DropReason, HeldByAccount } from '../../../platform/limits/held-by-account.ts';
import { searchDocuments } from '../../../search-engine/passages/document-query.ts';
import type {
  PassageDocument,
  PassageIndex,
  Vocabulary,
} from '../../../search-engine/passages/passage-index.ts';
import {
  type FoundPassage,
  type PassageFilter,
  searchPassages,
} from '../../../search-engine/passages/passage-query.ts';
import { createYielder } from '../../../search-engine/query/yielder.ts';
import { passagesOf } from '../documents/knowledge.documents.ts';
import type { UsedEmbedding } from '../embeddings/knowledge.embeddings.ts';
import type { Rerank } from '../embeddings/rerank.ts';
import { KnowledgeAccountIndex, usualAwaited } from './knowledge.account-index.ts';
import {
  type PassageRow,
  selectChanges,
  selectPassages,
  selectReplacedVersions,
  selectState,
} from './knowledge.search.sql.ts';
import { loadVocabulary } from './knowledge.vocabulary.ts';

export interface KnowledgeSearch {
  search(accountId: string, query: KnowledgeSearchBody): Promise<KnowledgeSearchAnswer>;
  /**
   * The best passage of each document, the best first; by words only, for what is searched while it is typed. The last
   * word of `q` may be the beginning of one.
   */
  searchDocuments(
    accountId: string,
    q: string,
    filter: PassageFilter,
  ): Promise<{ documentId: string; excerpt: string }[]>;
  /** For agents. */
  retrieve(accountId: string, wanted: WantedPassages): Promise<RetrievedPassage[]>;
  /** For each question the documents with the best passages, the best first; `asIf`: as if it was published. */
  rank(accountId: string, questions: readonly string[], asIf?: AsIf): Promise<string[][]>;
  /** The indexes in this process. */
  memory(): { indexes: number; bytes: number };
  /** The account has moved to another cell, or has come back. */
  drop(accountId: string): void;
  close(): Promise<void>;
}

export interface RetrievedPassage extends Citation {
  audience: 'public' | 'internal';
  language: string;
  score: number;
  /** Words of the question, in lower case and without accents. */
  matched: string[];
}

interface WantedPassages {
  q: string;
  /** Without them: all. */
  sourceIds?: readonly string[];
  mayUseInternal: boolean;
  /** Passages in it come first among those that are about as good. */
  language: string | null;
  limit: number;
  /** Also where a provider of embeddings would rank them. */
  byWords?: boolean;
}

/** What a run or a draft would change. */
export interface AsIf {
  /** Read once. */
  documents: Iterable<PassageDocument> | AsyncIterable<PassageDocument>;
  /** Ids. */
  gone: readonly string[];
}

interface KnowledgeSearchDeps {
  db: Reader;
  budgetBytes: number;
  /** Null: by words only. */
  rerank: Rerank | null;
  onDrop(reason: DropReason): void;
  /** For tests. */
  awaited?: typeof usualAwaited;
}

const passagesReranked = 200;
const sameLanguageFactor = 1.2;
const idleMs = 10 * 60_000;
const lookEveryMs = 60_000;
/** Indexes in use learn of large changes before somebody asks. */
const refreshEveryMs = 2_000;

export function createKnowledgeSearch({
  db,
  budgetBytes,
  rerank,
  onDrop,
  awaited = usualAwaited,
}: KnowledgeSearchDeps): KnowledgeSearch {
  const held = new HeldByAccount<KnowledgeAccountIndex>(
    { budgetBytes, idleMs },
    (_accountId, _accountIndex, reason) => onDrop(reason),
  );
  let vocabulary: Promise<Vocabulary> | null = null;

  /** Each needs the memory of a whole index. */
  const asIfTurns = createSemaphore(1, { maxWaiting: 10 });

  const builder = async () => {
    vocabulary ??= loadVocabulary();
    const loaded = await vocabulary;
    return (accountId: string) => new KnowledgeAccountIndex(db, accountId, loaded, awaited);
  };
  const indexOf = async (accountId: string): Promise<KnowledgeAccountIndex> => {
    const build = await builder();
    return held.use(accountId, () => build(accountId));
  };
  let isRefreshing = false;
  const refresh = async () => {
    if (isRefreshing || held.size === 0) return;
    isRefreshing = true;
    try {
      for (const { accountId, change } of await selectChanges(
        db,
        held.entries().map((entry) => entry.accountId),
      )) {
        const accountIndex = held.get(accountId);
        if (accountIndex?.lacks(change)) await accountIndex.ask(async () => {});
      }
    } catch {
      // The next search reports what is wrong.
    }
    isRefreshing = false;
  };
  const timers = [
    setInterval(() => held.dropIdle(), lookEveryMs).unref(),
    setInterval(() => void refresh(), refreshEveryMs).unref(),
  ];

  const ask = async <T>(
    accountId: string,
    question: (index: PassageIndex, embedding: UsedEmbedding | null) => Promise<T>,
  ): Promise<T> => {
    const accountIndex = await indexOf(accountId);
    const answer = await accountIndex.ask(question);
    held.keepBudget();
    return answer;
  };

  /** By words, then by meaning if there are vectors. */
  const findBest = async (accountId: string, q: string, filter: PassageFilter, count: number) => {
    const { found, embedding } = await ask(accountId, async (index, set) => {
      const used = rerank && set;
      const wanted = used ? passagesReranked : count;
      return {
        found: await searchPassages(index, q, filter, wanted, createYielder()),
        embedding: used,
      };
    });
    // After the question, because others wait for its end and the provider may take a second.
    const best = rerank && embedding ? await rerank(accountId, embedding, q, found) : found;
    return best.slice(0, count);
  };

  /** With their texts. */
  const find = async (accountId: string, look: () => Promise<readonly FoundPassage[]>) => {
    for (let isLast = false; ; isLast = true) {
      const found = await look();
      const rows = found.length === 0 ? [] : await selectPassages(db, accountId, found);
      const byPlace = new Map(rows.map((row) => [placeOf(row), row]));
      const missing = found.filter((one) => !byPlace.has(placeOf(one)));
      // Something was written since the index was read, so it is read again. An index that is behind finds the version before:
      // without it, nobody would find either version.
      if (missing.length > 0 && !isLast) continue;
      for (const row of await replacedPassages(db, accountId, missing)) byPlace.set(placeOf(row), row);
      return found.flatMap((one) => {
        const row = byPlace.get(placeOf(one));
        if (!row) return [];
        const { number: _number, ...passage } = row;
        return [{ ...passage, score: Math.round(one.score * 10_000) / 10_000, matched: one.matched }];
      });
    }
  };

  return {
    async search(accountId, { q, sourceIds, audience, language, limit }) {
      const count = pageSize(limit, limits.knowledgeSearch);
      const filter = { sourceIds, audience, language };
      const found = await find(accountId, () => findBest(accountId, q, filter, count));
      return {
        passages: found.map(({ audience: _audience, language: _language, ...passage }) => passage),
      };
    },
    searchDocuments: (accountId, q, filter) =>
      find(accountId, () =>
        ask(accountId, (index) => searchDocuments(index, q, filter, createYielder(), true)),
      ),
    async retrieve(accountId, { q, sourceIds, mayUseInternal, language, limit, byWords }) {
      // An account that never wrote anything needs no index.
      if (!held.get(accountId) && (await selectState(db, accountId)) === null) return [];
      const filter = { sourceIds, ...(!mayUseInternal && { audience: 'public' }) };
      const found = await find(accountId, () =>
        byWords
          ? ask(accountId, (index) => searchPassages(index, q, filter, 2 * limit, createYielder()))
          : findBest(accountId, q, filter, 2 * limit),
      );
      const isIn = (one: string) => language !== null && (one === language || one.startsWith(`${language}-`));
      return (
        found
          // Its audience may have changed since the index was read.
          .filter(({ audience }) => mayUseInternal || audience === 'public')
          .map(({ sourceId: _sourceId, ...passage }) => ({
            ...passage,
            score: passage.score * (isIn(passage.language) ? sameLanguageFactor : 1),
          }))
          .sort((one, other) => other.score - one.score)
          .slice(0, limit)
      );
    },
    async rank(accountId, questions, asIf) {
      if (asIf) return asIfTurns.take(async () => rankAsIf((await builder())(accountId), questions, asIf));
      const accountIndex = await indexOf(accountId);
      const ranked: string[][] = [];
      for (const q of questions) ranked.push(await accountIndex.ask((index) => rankIn(index, q)));
      held.keepBudget();
      return ranked;
    },
    memory: () => ({ indexes: held.size, bytes: held.byteLength }),
    drop(accountId) {
      if (held.remove(accountId)) onDrop('moved');
    },
    async close() {
      for (const timer of timers) clearInterval(timer);
      held.clear();
    },
  };
}

const placeOf = ({ documentId, version, number }: Pick<PassageRow, 'documentId' | 'version' | 'number'>) =>
  `${documentId} ${version} ${number}`;

/** Passages of versions that were in use before. */
async function replacedPassages(
  db: Reader,
  accountId: string,
  found: readonly FoundPassage[],
): Promise<PassageRow[]> {
  if (found.length === 0) return [];
  const wanted = new Map(found.map((one) => [`${one.documentId} ${one.version}`, one]));
  const versions = await selectReplacedVersions(db, accountId, [...wanted.values()]);
  const byVersion = new Map(versions.map((one) => [`${one.documentId} ${one.version}`, one]));
  return found.flatMap(({ documentId, version, number }) => {
    const before = byVersion.get(`${documentId} ${version}`);
    const passage = before && passagesOf(before.text)[number];
    if (!passage) return [];
    const { text: _text, ...document } = before;
    return [{ ...document, ...passage }];
  });
}

async function rankIn(index: PassageIndex, q: string): Promise<string[]> {
  return (await searchDocuments(index, q, {}, createYielder())).map(({ documentId }) => documentId);
}

/** In an index of its own: searches go on in the one that is held. */
async function rankAsIf(
  own: KnowledgeAccountIndex,
  questions: readonly string[],
  { documents, gone }: AsIf,
): Promise<string[][]> {
  return own.ask(async (index) => {
    for (const id of gone) index.remove(id);
    const pause = createYielder();
    for await (const document of documents) {
      index.upsert(document);
      const waiting = pause();
      if (waiting) await waiting;
    }
    const ranked: string[][] = [];
    for (const q of questions) ranked.push(await rankIn(index, q));
    return ranked;
  });
}
