/**
 * The published passages of one account, kept current: before every search it reads what has changed. A search gets an
 * index that was read after it was asked, so it finds what was written before, by any process. If very much has changed,
 * such as thousands of pages at once, the index answers without it until another one is built beside it (D-527).
 */
import type { Reader } from '../../../platform/db/db.ts';
import { PassageIndex, type Vocabulary } from '../../../search-engine/passages/passage-index.ts';
import { BUILD_SLICE_MS, createYielder } from '../../../search-engine/query/yielder.ts';
import type { UsedEmbedding } from '../embeddings/knowledge.embeddings.ts';
import {
  type ChangedDocument,
  selectChanged,
  selectDocumentIds,
  selectLargeChange,
  selectState,
} from './knowledge.search.sql.ts';

interface Searched {
  index: PassageIndex;
  /** The last change that is in the index. */
  change: number;
}

interface Building extends Searched {
  /** The last document that was read. */
  after: { change: number; id: string };
}

type Question = (index: PassageIndex, embedding: UsedEmbedding | null) => Promise<void>;

const documentsAtATime = 100;
const bytesAtATime = 4 * 1024 * 1024;
/** What a search waits for, about a quarter of a second. Beyond it, the newest changes are read, and the others later. */
export const usualAwaited = { documents: 200, bytes: 1024 * 1024 };
/** Searches wait for one step of another index. */
const stepDocuments = 25;
const stepBytes = 256 * 1024;
const rebuildFromGarbage = 0.3;
const rebuildFromSlots = 10_000;
const afterAllIds = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export class KnowledgeAccountIndex {
  readonly #db: Reader;
  readonly #accountId: string;
  readonly #vocabulary: Vocabulary;
  readonly #awaited: typeof usualAwaited;
  #searched: Searched;
  /** What is built beside it. */
  #next: Building | null = null;
  #embedding: UsedEmbedding | null = null;
  #waiting: { ask: Question; fail: (error: unknown) => void }[] = [];
  #isRunning = false;

  constructor(db: Reader, accountId: string, vocabulary: Vocabulary, awaited: typeof usualAwaited) {
    this.#db = db;
    this.#awaited = awaited;
    this.#accountId = accountId;
    this.#vocabulary = vocabulary;
    this.#searched = this.#empty();
  }

  get byteLength(): number {
    return this.#searched.index.byteLength + (this.#next?.index.byteLength ?? 0);
  }

  /** Of what was written up to this change. */
  lacks(change: number): boolean {
    return this.#searched.change < change || this.#next !== null;
  }

  get isBusy(): boolean {
    return this.#isRunning;
  }

  /** Everything committed before this call is in the index that the question gets, except for very large changes. */
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
    while (this.#waiting.length > 0 || this.#next) {
      const waiting = this.#waiting.splice(0);
      try {
        if (waiting.length > 0) await this.#readOn();
        for (const { ask } of waiting) await ask(this.#searched.index, this.#embedding);
      } catch (error) {
        for (const { fail } of waiting) fail(error);
      }
      // A step that fails is repeated after the next question.
      if (this.#next && !(await this.#step(this.#next).then(always, never))) break;
    }
    this.#isRunning = false;
    if (this.#waiting.length > 0) void this.#run();
  }

  /** Reads a part of everything into the index that is built. At the end it takes the place of the one that is searched. */
  async #step(next: Building): Promise<void> {
    const state = await selectState(this.#db, this.#accountId);
    const most = { documents: stepDocuments, bytes: stepBytes };
    const changed = await selectChanged(this.#db, this.#accountId, next.after, most);
    await apply(next.index, changed);
    next.after = changed.at(-1) ?? next.after;
    if (changed.length > 0) return;
    next.index.retain(new Set(await selectDocumentIds(this.#db, this.#accountId)));
    this.#searched = { index: next.index, change: state?.changes ?? 0 };
    this.#next = null;
  }

  /** A read that fails half-way is repeated by the next one: a change may be applied twice. */
  async #readOn(): Promise<void> {
    const { garbage, slots } = this.#searched.index;
    if (garbage > rebuildFromGarbage && slots > rebuildFromSlots) this.#buildNext();
    const searched = this.#searched;
    const state = await selectState(this.#db, this.#accountId);
    this.#embedding = state?.embedding ?? null;
    if (state === null) {
      if (searched.change > 0) this.#searched = this.#empty();
      this.#next = null;
      return;
    }
    if (state.changes === searched.change) return;
    let from = searched.change;
    // The first search has no index that could answer meanwhile.
    if (searched.change > 0) {
      const large = await selectLargeChange(this.#db, this.#accountId, from, this.#awaited);
      if (large !== null) {
        from = large;
        this.#buildNext();
      }
    }
    for (let after: { change: number; id: string } | null = { change: from, id: afterAllIds }; after; ) {
      const most = { documents: documentsAtATime, bytes: bytesAtATime };
      const changed: ChangedDocument[] = await selectChanged(this.#db, this.#accountId, after, most);
      await apply(searched.index, changed);
      after = changed.at(-1) ?? null;
    }
    if (state.removals > searched.change) {
      searched.index.retain(new Set(await selectDocumentIds(this.#db, this.#accountId)));
    }
    searched.change = state.changes;
  }

  #buildNext(): void {
    this.#next ??= { ...this.#empty(), after: { change: 0, id: afterAllIds } };
  }

  #empty(): Searched {
    return { index: new PassageIndex(this.#vocabulary), change: 0 };
  }
}

async function apply(index: PassageIndex, changed: readonly ChangedDocument[]): Promise<void> {
  const pause = createYielder(BUILD_SLICE_MS);
  for (const document of changed) {
    if (document.version === 0) index.remove(document.id);
    else index.upsert(document);
    const waiting = pause();
    if (waiting) await waiting;
  }
}

const always = () => true;
const never = () => false;
