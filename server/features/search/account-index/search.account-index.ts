// One account's index, kept current: before every query it reads what has changed. A query gets a result read after
// it was asked, so a record is found as soon as its creation was answered, by any process.

import { BUILD_SLICE_MS, createYielder } from '../../../search-engine/query/yielder.ts';
import { SearchIndex } from '../../../search-engine/store/index.ts';
import type { Position, SearchSource } from './search.source.ts';

type Question = (index: SearchIndex) => Promise<void>;

/** Once this share of the values belongs to no record any more, the index is rebuilt. */
const REBUILD_FROM_GARBAGE = 0.5;
const REBUILD_FROM_VALUES = 50_000;

export class AccountIndex {
  readonly #source: SearchSource;
  readonly #accountId: string;
  #index = new SearchIndex();
  #position: Position | null = null;
  #waiting: Question[] = [];
  #waitingForFailure: ((error: unknown) => void)[] = [];
  #isRunning = false;
  #isRebuilding = false;
  #replacement: { index: SearchIndex; position: Position | null } | null = null;

  constructor(source: SearchSource, accountId: string) {
    this.#source = source;
    this.#accountId = accountId;
  }

  get byteLength(): number {
    return this.#index.byteLength;
  }

  get isBusy(): boolean {
    return this.#isRunning || this.#isRebuilding;
  }

  /** Resolves when everything committed before this call is in the index. */
  ask<T>(question: (index: SearchIndex) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push((index) => question(index).then(resolve, reject));
      this.#waitingForFailure.push(reject);
      if (!this.#isRunning) this.#run();
    });
  }

  /** Concurrent callers share one read; those who come during it wait for the next. */
  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      const questions = this.#waiting;
      const failures = this.#waitingForFailure;
      this.#waiting = [];
      this.#waitingForFailure = [];
      if (this.#replacement !== null) {
        this.#index = this.#replacement.index;
        this.#position = this.#replacement.position;
        this.#replacement = null;
      }
      try {
        this.#position = await this.#apply(this.#index, this.#position);
        for (const question of questions) await question(this.#index);
      } catch (error) {
        // A partial first read must not pass for the whole; a partial later one is repeated.
        if (this.#position === null) this.#index = new SearchIndex();
        // Callers that came meanwhile would wait as long again for the same.
        this.#waiting = [];
        for (const fail of failures.concat(this.#waitingForFailure.splice(0))) fail(error);
      }
    }
    this.#isRunning = false;
    const { garbage, values } = this.#index;
    if (garbage > REBUILD_FROM_GARBAGE && values.size > REBUILD_FROM_VALUES) await this.#rebuild();
  }

  async #apply(index: SearchIndex, since: Position | null): Promise<Position | null> {
    let position = since;
    const pause = createYielder(BUILD_SLICE_MS);
    for await (const batch of this.#source.read(this.#accountId, since)) {
      for (const kanbanId of batch.emptiedKanbanIds) index.removeKanban(kanbanId);
      for (const id of batch.removedIds) index.remove(id);
      for (const [i, document] of batch.documents.entries()) {
        index.upsert(document);
        const waiting = i % 16 === 0 ? pause() : undefined;
        if (waiting) await waiting;
      }
      position = batch.position ?? position;
    }
    return position;
  }

  /** Queries are answered from the old index meanwhile. */
  async #rebuild(): Promise<void> {
    if (this.#isRebuilding || this.#replacement !== null) return;
    this.#isRebuilding = true;
    try {
      const index = new SearchIndex();
      this.#replacement = { index, position: await this.#apply(index, null) };
    } catch {
      // The database is unreachable: the old index still serves, and the next query retries.
    } finally {
      this.#isRebuilding = false;
    }
  }
}
