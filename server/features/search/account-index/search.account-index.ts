// One account's index, kept current: before every query it reads what has changed. A query gets a result read after
// it was asked, so a record is found as soon as its creation was answered, by any process.

import { BUILD_SLICE_MS, createYielder } from '../../../search-engine/query/yielder.ts';
import { SearchIndex } from '../../../search-engine/store/index.ts';
import type { IndexFiles, KeptIndex, SaveOutcome } from '../files/search.files.ts';
import { HistoryLost, type Position, type ReadEnd, type SearchSource } from './search.source.ts';

type Question = (content: Content) => Promise<void>;
/** An index before its first read has no position. */
type Content = Omit<KeptIndex, 'position' | 'builtAt'> & {
  position: Position | null;
  builtAt: Position | null;
  /** False for an index of a file until its first read: its position is as old as the file. */
  isCurrent: boolean;
};

/** Once this share of the values no longer belongs to a record, the index is rebuilt. */
const REBUILD_FROM_GARBAGE = 0.5;
const REBUILD_FROM_VALUES = 50_000;
/** A file without these changes is written anew: they are more than a moment's work for the next start. */
const MANY_CHANGES = 1_000;
const SOME_CHANGES = 50;
const DAY_MS = 24 * 3_600_000;
/** A file counts for seven days. */
const OLD_FILE_MS = DAY_MS;
/** Deletions are known for eight days. */
const MAX_GAP_MS = 7 * DAY_MS;

export class AccountIndex {
  readonly #source: SearchSource;
  readonly #accountId: string;
  readonly #files: IndexFiles | null;
  readonly #idleMs: number;
  #content: Content = emptyContent();
  #isLoaded = false;
  /** The changes that the file has; null: there is no file. */
  #inFile: { index: SearchIndex; changes: number; at: number } | null = null;
  #waiting: Question[] = [];
  #waitingForFailure: ((error: unknown) => void)[] = [];
  #running: Promise<void> | null = null;
  #isRebuilding = false;
  #replacement: Content | null = null;
  /** When a column with texts was last needed. */
  readonly #neededAt = new Map<string, number>();

  constructor(
    source: SearchSource,
    accountId: string,
    { files = null, idleMs = DAY_MS }: { files?: IndexFiles | null; idleMs?: number } = {},
  ) {
    this.#source = source;
    this.#accountId = accountId;
    this.#files = files;
    this.#idleMs = idleMs;
  }

  get byteLength(): number {
    return this.#content.index.byteLength;
  }

  /** Distinct ones: how much a query has to compare. */
  get tokens(): number {
    return this.#content.index.values.tokens.size;
  }

  get isBusy(): boolean {
    return this.#running !== null || this.#isRebuilding;
  }

  /** Resolves when the queries that have been asked are answered, and those that came meanwhile. */
  async idle(): Promise<void> {
    await this.#running;
  }

  /** Whether a file would save the next process time. `isLeaving`: it is the last moment to write one. */
  wantsFile(isLeaving: boolean): boolean {
    const { index, isCurrent } = this.#content;
    if (this.#files === null || !isCurrent || index.records.alive < this.#files.minRecords) return false;
    if (this.#inFile?.index !== index || Date.now() - this.#inFile.at > OLD_FILE_MS) return true;
    const changes = index.changes - this.#inFile.changes;
    const { alive } = index.records;
    return (
      changes >= (isLeaving ? Math.max(SOME_CHANGES, alive / 1_000) : Math.max(MANY_CHANGES, alive / 20))
    );
  }

  /** Queries are answered meanwhile; a change of the index stops it. */
  async save(mayGoOn: () => boolean): Promise<SaveOutcome> {
    const { index, position, builtAt, readAt, timeline, isCurrent } = this.#content;
    if (this.#files === null || position === null || builtAt === null || !isCurrent || this.isBusy)
      return 'stopped';
    const { changes } = index;
    const kept = { index, position, builtAt, readAt, timeline };
    const outcome = await this.#files.save(this.#accountId, kept, mayGoOn);
    if (outcome === 'saved') this.#inFile = { index, changes, at: readAt };
    return outcome;
  }

  /** Resolves when everything committed before this call is in the index, and these columns with texts are. */
  ask<T>(
    question: (index: SearchIndex) => Promise<T>,
    textColumns: readonly string[] = noColumns,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const answer = async ({ index }: Content) => {
        if (textColumns.length > 0) await this.#addColumns(index, textColumns);
        return question(index);
      };
      this.#waiting.push((content) => answer(content).then(resolve, reject));
      this.#waitingForFailure.push(reject);
      this.#running ??= this.#run();
    });
  }

  /** Concurrent callers share one read; those who come during it wait for the next. */
  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const questions = this.#waiting;
      const failures = this.#waitingForFailure;
      this.#waiting = [];
      this.#waitingForFailure = [];
      if (this.#replacement !== null) {
        this.#content = this.#replacement;
        this.#replacement = null;
      }
      try {
        if (!this.#isLoaded) await this.#load();
        await this.#readOn();
        this.#dropUnused(this.#content.index);
        for (const question of questions) await question(this.#content);
      } catch (error) {
        // A partial first read must not pass for the whole; a partial later one is repeated.
        if (this.#content.position === null) this.#content = emptyContent();
        // Callers that came meanwhile would wait as long again for the same.
        this.#waiting = [];
        for (const fail of failures.concat(this.#waitingForFailure.splice(0))) fail(error);
      }
    }
    this.#running = null;
    const { garbage, values } = this.#content.index;
    if (garbage > REBUILD_FROM_GARBAGE && values.size > REBUILD_FROM_VALUES) await this.#rebuild();
  }

  async #load(): Promise<void> {
    const kept = (await this.#files?.load(this.#accountId)) ?? null;
    this.#isLoaded = true;
    if (kept === null) return;
    this.#content = { ...kept, isCurrent: false };
    this.#inFile = { index: kept.index, changes: kept.index.changes, at: kept.readAt };
  }

  /**
   * The values are of now, and those of other columns of the last read. So a record that is changed in between is half
   * old for this question. The next read sets all its values.
   */
  async #addColumns(index: SearchIndex, names: readonly string[]): Promise<void> {
    const { onDemand } = index.tables;
    for (const name of names) this.#neededAt.set(name, Date.now());
    const missing = names.filter((name) => !onDemand.has(name));
    if (missing.length === 0) return;
    // Left by a failed attempt.
    for (const name of missing) index.changeTextColumn(name, 'dropped');
    const pause = createYielder(BUILD_SLICE_MS);
    for await (const records of this.#source.readTextColumns(this.#accountId, missing)) {
      for (const [i, { id, kanbanId, columns }] of records.entries()) {
        index.fillColumns(id, kanbanId, columns);
        const waiting = i % 16 === 0 ? pause() : undefined;
        if (waiting) await waiting;
      }
    }
    for (const name of missing) index.changeTextColumn(name, 'added');
  }

  #dropUnused(index: SearchIndex): void {
    const now = Date.now();
    for (const name of index.tables.onDemand) {
      const neededAt = this.#neededAt.get(name);
      if (neededAt === undefined) this.#neededAt.set(name, now);
      else if (now - neededAt > this.#idleMs) {
        index.changeTextColumn(name, 'dropped');
        this.#neededAt.delete(name);
      }
    }
  }

  async #readOn(): Promise<void> {
    try {
      await this.#read(this.#content);
    } catch (error) {
      if (!(error instanceof HistoryLost)) throw error;
      this.#content = emptyContent();
      await this.#read(this.#content);
    }
  }

  async #read(content: Content): Promise<void> {
    const since = content.position;
    if (since === null && this.#files) content.timeline = await this.#files.timeline();
    const end = await this.#apply(content.index, since);
    if (end === null) return;
    if (since !== null && end.readAt - content.readAt > MAX_GAP_MS) throw new HistoryLost();
    Object.assign(content, end, { isCurrent: true });
    content.builtAt ??= end.position;
  }

  /** Null: there is no such account. */
  async #apply(index: SearchIndex, since: Position | null): Promise<ReadEnd | null> {
    let end: ReadEnd | null = null;
    const pause = createYielder(BUILD_SLICE_MS);
    for await (const batch of this.#source.read(this.#accountId, since, index.tables.onDemand)) {
      for (const kanbanId of batch.emptiedKanbanIds) {
        index.removeKanban(kanbanId);
        await pause();
      }
      for (const [i, id] of batch.removedIds.entries()) {
        index.remove(id);
        const waiting = i % 16 === 0 ? pause() : undefined;
        if (waiting) await waiting;
      }
      for (const [i, document] of batch.documents.entries()) {
        index.upsert(document);
        const waiting = i % 16 === 0 ? pause() : undefined;
        if (waiting) await waiting;
      }
      end = batch.end ?? null;
    }
    return end;
  }

  /** Queries are answered from the old index meanwhile. */
  async #rebuild(): Promise<void> {
    if (this.#isRebuilding || this.#replacement !== null) return;
    this.#isRebuilding = true;
    try {
      const content = emptyContent();
      for (const name of this.#content.index.tables.onDemand) content.index.tables.onDemand.add(name);
      await this.#read(content);
      this.#replacement = content;
    } catch {
      // The database is unreachable: the old index still serves, and the next query retries.
    } finally {
      this.#isRebuilding = false;
    }
  }
}

const noColumns: readonly string[] = [];

function emptyContent(): Content {
  return {
    index: new SearchIndex(),
    position: null,
    builtAt: null,
    readAt: 0,
    timeline: '',
    isCurrent: false,
  };
}
