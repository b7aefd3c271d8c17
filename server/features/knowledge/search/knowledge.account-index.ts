/**
 * The published passages of one account, kept current: before every search it reads what has changed. A search gets an
 * index that was read after it was asked, so it finds what was written before, by any process.
 */
import type { Reader } from '../../../platform/db/db.ts';
import { PassageIndex, type Vocabulary } from '../../../search-engine/passages/passage-index.ts';
import { BUILD_SLICE_MS, createYielder } from '../../../search-engine/query/yielder.ts';
import type { UsedEmbedding } from '../embeddings/knowledge.embeddings.ts';
import {
  type ChangedDocument,
  selectChanged,
  selectDocumentIds,
  selectState,
} from './knowledge.search.sql.ts';

interface Searched {
  index: PassageIndex;
  /** The last change that is in the index. */
  change: number;
}

type Question = (index: PassageIndex, embedding: UsedEmbedding | null) => Promise<void>;

const documentsAtATime = 100;
const bytesAtATime = 4 * 1024 * 1024;
const rebuildFromGarbage = 0.3;
const rebuildFromSlots = 10_000;
const afterAllIds = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export class KnowledgeAccountIndex {
  readonly #db: Reader;
  readonly #accountId: string;
  readonly #vocabulary: Vocabulary;
  #searched: Searched;
  #embedding: UsedEmbedding | null = null;
  #waiting: { ask: Question; fail: (error: unknown) => void }[] = [];
  #isRunning = false;

  constructor(db: Reader, accountId: string, vocabulary: Vocabulary) {
    this.#db = db;
    this.#accountId = accountId;
    this.#vocabulary = vocabulary;
    this.#searched = this.#empty();
  }

  get byteLength(): number {
    return this.#searched.index.byteLength;
  }

  get isBusy(): boolean {
    return this.#isRunning;
  }

  /** Everything committed before this call is in the index that the question gets. */
  ask<T>(question: (index: PassageIndex, embedding: UsedEmbedding | null) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const ask: Question = (index, embedding) => question(index, embedding).then(resolve, reject);
      this.#waiting.push({ ask, fail: reject });
      if (!this.#isRunning) void this.#run();
    });
  }

  /** Concurrent callers share one read; those who come during it wait for the next. */
  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      const waiting = this.#waiting.splice(0);
      try {
        await this.#readOn();
        for (const { ask } of waiting) await ask(this.#searched.index, this.#embedding);
      } catch (error) {
        for (const { fail } of waiting) fail(error);
      }
    }
    this.#isRunning = false;
  }

  /** A read that fails half-way is repeated by the next one: a change may be applied twice. */
  async #readOn(): Promise<void> {
    const { garbage, slots } = this.#searched.index;
    if (garbage > rebuildFromGarbage && slots > rebuildFromSlots) this.#searched = this.#empty();
    const searched = this.#searched;
    const state = await selectState(this.#db, this.#accountId);
    this.#embedding = state?.embedding ?? null;
    if (state === null) {
      if (searched.change > 0) this.#searched = this.#empty();
      return;
    }
    if (state.changes === searched.change) return;
    const pause = createYielder(BUILD_SLICE_MS);
    for (
      let after: { change: number; id: string } | null = { change: searched.change, id: afterAllIds };
      after;
    ) {
      const most = { documents: documentsAtATime, bytes: bytesAtATime };
      const changed: ChangedDocument[] = await selectChanged(this.#db, this.#accountId, after, most);
      for (const document of changed) {
        if (document.version === 0) searched.index.remove(document.id);
        else searched.index.upsert(document);
        const waiting = pause();
        if (waiting) await waiting;
      }
      after = changed.at(-1) ?? null;
    }
    if (state.removals > searched.change) {
      searched.index.retain(new Set(await selectDocumentIds(this.#db, this.#accountId)));
    }
    searched.change = state.changes;
  }

  #empty(): Searched {
    return { index: new PassageIndex(this.#vocabulary), change: 0 };
  }
}
