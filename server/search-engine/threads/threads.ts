// Helper threads for scans: while one thread scans, the other cores are idle. They start with the first large scan
// and end after a period without one, so a service without searches has none.
//
// A helper may be late, stop or die at any point. Its findings count only once its log says that the slice is
// finished; slices that are not finished soon after all were taken are scanned again by the query's own thread.
// Findings can be merged in any order and any number of times. So nothing is lost, and no query waits for a helper
// for long.

import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Dictionary } from '../store/dictionary.ts';
import { SLICE, type Texts } from '../store/shared-texts.ts';
import { Job } from './job.ts';
import { MAX_SLICES, type ScanRequest, type WorkerInit } from './protocol.ts';
import type { ScanMode } from './slice.ts';

export type SharedScan = {
  dictionary: Dictionary;
  term: { text: string; typos: 0 | 1 | 2 };
  mode: ScanMode;
  among: Uint32Array | null;
};

export type ThreadSettings = {
  /** How many threads help the query's own thread. */
  count: number;
  /** From this many texts on; below, the own thread finishes before a helper has woken (about 0.1 ms). */
  fromTexts: number;
  idleMs: number;
  /** How long the own thread waits for slices of helpers before it scans them itself: a slice takes 0.1 to 0.4 ms. */
  patienceMs: number;
  script: URL;
};

const USUAL: ThreadSettings = {
  count: Math.min(3, availableParallelism() - 1),
  fromTexts: 60_000,
  idleMs: 60_000,
  patienceMs: 0.5,
  script: new URL('./scanner.ts', import.meta.url),
};
/** The dictionaries of about one account: words, tokens and phone numbers. */
const KNOWN_DICTIONARIES = 3;

type Helper = { worker: Worker; log: Int32Array; found: Uint32Array<SharedArrayBuffer> };

export class Threads {
  readonly #settings: ThreadSettings;
  readonly #claims = new Int32Array(new SharedArrayBuffer(4));
  #helpers: Helper[] = [];
  #hasStarted = false;
  #isClosed = false;
  #isBusy = false;
  #job = 0;
  #idle: NodeJS.Timeout | null = null;
  /** The arrays that the helpers know. */
  readonly #keys = new Map<Dictionary, { key: number; texts: Texts }>();
  #forgetsAll = false;
  #lastKey = 0;
  /** Slices done by helpers. */
  helped = 0;

  constructor(settings: Partial<ThreadSettings> = {}) {
    this.#settings = { ...USUAL, ...settings };
  }

  get running(): number {
    return this.#helpers.length;
  }

  /**
   * Null if it is not worth it, or if the helpers are busy with another query: the own thread then does everything.
   */
  share(scans: SharedScan[]): Job | null {
    const { count, fromTexts, patienceMs } = this.#settings;
    const sizes = scans.map(({ dictionary }) => ({ size: dictionary.size }));
    const texts = sizes.reduce((sum, { size }) => sum + size, 0);
    const slices = sizes.reduce((sum, { size }) => sum + Math.ceil(size / SLICE), 0);
    if (this.#isBusy || this.#isClosed || count === 0 || texts < fromTexts || slices > MAX_SLICES)
      return null;
    try {
      if (!this.#hasStarted) this.#start();
      if (this.#helpers.length === 0) return null;
      this.#job = (this.#job % 0xffff) + 1;
      Atomics.store(this.#claims, 0, this.#job << 16);
      this.#send(scans, slices, texts);
    } catch (error) {
      // No memory for another thread or its findings: the query still has to be answered.
      this.#lose(error);
      return null;
    }
    this.#isBusy = true;
    const logs = this.#helpers.map(({ log, found }) => ({ log, found }));
    return new Job(this.#claims, this.#job, sizes, slices, logs, patienceMs, (helped) => {
      this.helped += helped;
      this.#rest();
    });
  }

  /** An account's index was dropped: memory still referenced here would be outside every budget. */
  forget(): void {
    this.#keys.clear();
    this.#forgetsAll = true;
  }

  /** A query that is being helped does the rest alone. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#stop();
  }

  async #stop(): Promise<void> {
    if (this.#idle !== null) clearTimeout(this.#idle);
    const ending = this.#helpers.map(({ worker }) => worker.terminate());
    this.#helpers = [];
    this.#keys.clear();
    this.#hasStarted = false;
    await Promise.all(ending);
  }

  /** No helpers are started again until the service restarts; later queries scan alone. */
  #lose(error: unknown): void {
    this.#isClosed = true;
    void this.#stop();
    Atomics.store(this.#claims, 0, 0);
    process.emitWarning(`The search threads could not be used, searches are slower: ${String(error)}`);
  }

  #start(): void {
    this.#hasStarted = true;
    for (let i = 0; i < this.#settings.count; i++) {
      const log = new Int32Array(new SharedArrayBuffer((1 + 2 * MAX_SLICES) * 4));
      const workerData: WorkerInit = { claims: this.#claims, log };
      const worker = new Worker(this.#settings.script, {
        workerData,
        env: {},
        name: 'search',
      });
      const helper = { worker, log, found: new Uint32Array(new SharedArrayBuffer(0)) };
      const leave = (): void => {
        this.#helpers = this.#helpers.filter((each) => each !== helper);
      };
      // A dead helper is not replaced until all have stopped: it may die again with every query.
      worker.on('error', (error) => {
        leave();
        process.emitWarning(`A search thread died, searches are slower: ${String(error)}`);
      });
      worker.on('exit', leave);
      worker.unref();
      this.#helpers.push(helper);
    }
    this.#idle = setTimeout(() => {
      if (!this.#isBusy) void this.#stop();
    }, this.#settings.idleMs).unref();
  }

  #send(scans: SharedScan[], slices: number, size: number): void {
    const others = new Set(scans.map(({ dictionary }) => dictionary).filter((each) => !this.#keys.has(each)));
    const forgetsOthers = this.#forgetsAll || this.#keys.size + others.size > KNOWN_DICTIONARIES;
    if (forgetsOthers) this.#keys.clear();
    this.#forgetsAll = false;
    const changed: [number, Texts][] = [];
    for (const { dictionary } of scans) {
      const { texts } = dictionary;
      const known = this.#keys.get(dictionary);
      if (known !== undefined && isSame(known.texts, texts)) continue;
      const key = known?.key ?? ++this.#lastKey;
      this.#keys.set(dictionary, { key, texts });
      changed.push([key, texts]);
    }
    const ordered = scans.map(({ dictionary, term, mode, among }) => ({
      texts: this.#keys.get(dictionary)!.key,
      size: dictionary.size,
      term: term.text,
      typos: term.typos,
      mode,
      among,
    }));
    for (const helper of this.#helpers) {
      const isTooSmall = helper.found.length < size;
      // Virtual memory until written to: a query finds a small part of all texts.
      if (isTooSmall) helper.found = new Uint32Array(new SharedArrayBuffer((size + (size >>> 2)) * 4));
      const order: ScanRequest = {
        job: this.#job,
        slices,
        scans: ordered,
        texts: changed,
        forgetsOthers,
        found: isTooSmall ? helper.found : null,
      };
      helper.worker.postMessage(order);
    }
  }

  #rest(): void {
    Atomics.store(this.#claims, 0, 0);
    this.#isBusy = false;
    this.#idle?.refresh();
  }
}

function isSame(a: Texts, b: Texts): boolean {
  return (
    a.bytes === b.bytes &&
    a.starts === b.starts &&
    a.masksLow === b.masksLow &&
    a.masksHigh === b.masksHigh &&
    a.bigrams === b.bigrams
  );
}
