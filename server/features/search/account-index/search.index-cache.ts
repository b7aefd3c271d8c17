// The indexes of this process, within a memory budget. An account without searches has none; the least recently used
// one is dropped first.

import { compileQuery } from '../../../search-engine/match/match.ts';
import type { SearchFilter } from '../../../search-engine/query/filter.ts';
import {
  countStatuses,
  type SearchPage,
  type StatusCount,
  searchPage,
} from '../../../search-engine/query/query.ts';
import { type Suggested, suggestValues } from '../../../search-engine/query/suggest.ts';
import { warmUp } from '../../../search-engine/query/warming.ts';
import { Workspace } from '../../../search-engine/query/workspace.ts';
import { createYielder } from '../../../search-engine/query/yielder.ts';
import type { SearchIndex } from '../../../search-engine/store/index.ts';
import { Threads } from '../../../search-engine/threads/threads.ts';
import type { IndexFiles, SaveOutcome } from '../files/search.files.ts';
import { AccountIndex } from './search.account-index.ts';
import type { SearchSource } from './search.source.ts';

export type MirrorLimits = {
  budgetBytes: number;
  idleMs: number;
  onDrop?: (reason: 'budget' | 'idle' | 'moved') => void;
};
type Held = { accountIndex: AccountIndex; usedAt: number; saveFrom: number; failedSaves: number };

/**
 * An index in use is kept current in the background, so that a search after a minute of imports has little left to
 * read.
 */
const READ_ON_EVERY_MS = 1000;
const READ_ON_FOR_MS = 60_000;
/** With fewer tokens a query takes a millisecond or two, compiled or not. */
const WARM_UP_FROM = 50_000;

/** A new index is used first and written then. */
const FIRST_SAVE_MS = 5_000;
const SAVE_AGAIN_MS = 60_000;
const RETRY_SAVE_MS = 5_000;
const RETRY_SAVE_MAX_MS = 10 * 60_000;
/** A stop may take this long because of files. */
const SAVE_AT_STOP_MS = 5_000;
/** A query that comes between stops a save. */
const MAX_TRIES_AT_STOP = 3;
/** Of the budget: dropped indexes that wait for being written. More are dropped without a file. */
const LEAVING_SHARE = 1 / 4;

export class IndexCache {
  readonly #source: SearchSource;
  readonly #limits: MirrorLimits;
  /** In the order of their last use. */
  readonly #held = new Map<string, Held>();
  /** Dropped, and being written: a query takes them back. */
  readonly #leaving = new Map<string, AccountIndex>();
  readonly #files: IndexFiles | null;
  /** One file at a time. */
  #saving: Promise<unknown> = Promise.resolve();
  #savedNow: AccountIndex | null = null;
  #isClosing = false;
  #saveUntil = Number.POSITIVE_INFINITY;
  readonly #workspaces: Workspace[] = [];
  readonly #threads: Threads;
  readonly #timer: NodeJS.Timeout;
  #isWarm = false;

  constructor(
    source: SearchSource,
    limits: MirrorLimits,
    { threads = new Threads(), files = null }: { threads?: Threads; files?: IndexFiles | null } = {},
  ) {
    this.#source = source;
    this.#limits = limits;
    this.#threads = threads;
    this.#files = files;
    this.#timer = setInterval(() => this.#readOn(), READ_ON_EVERY_MS).unref();
  }

  get byteLength(): number {
    let sum = 0;
    for (const { accountIndex } of this.#held.values()) sum += accountIndex.byteLength;
    return sum;
  }

  get size(): number {
    return this.#held.size;
  }

  search(
    accountId: string,
    q: string,
    filter: SearchFilter,
    offset: number,
    count: number,
  ): Promise<SearchPage> {
    return this.ask(accountId, (index, work) =>
      searchPage(index, compileQuery(q), filter, offset, count, work, createYielder()),
    );
  }

  suggest(accountId: string, q: string, filter: SearchFilter, limit: number): Promise<Suggested[]> {
    return this.ask(accountId, (index, work) =>
      suggestValues(index, compileQuery(q), filter, limit, work, createYielder()),
    );
  }

  count(accountId: string, filter: SearchFilter): Promise<StatusCount[]> {
    return this.ask(accountId, async (index) => countStatuses(index, filter));
  }

  /** The next query reads the account again. */
  drop(accountId: string): void {
    this.#held.delete(accountId);
    this.#leaving.delete(accountId);
    this.#threads.forget();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#isClosing = true;
    if (this.#files) {
      this.#saveUntil = performance.now() + SAVE_AT_STOP_MS;
      // A file that is not complete by then is no file: its name is temporary.
      await within(SAVE_AT_STOP_MS, this.#saveAtStop());
    }
    this.#held.clear();
    this.#leaving.clear();
    await this.#threads.close();
  }

  /** Runs a question on the account's index, current as of now, with these columns with texts. */
  async ask<T>(
    accountId: string,
    question: (index: SearchIndex, work: Workspace) => Promise<T>,
    textColumns: readonly string[] = [],
  ): Promise<T> {
    const held = this.#held.get(accountId) ?? this.#open(accountId);
    held.usedAt = Date.now();
    this.#held.delete(accountId);
    this.#held.set(accountId, held);
    try {
      return await held.accountIndex.ask((index) => this.#work(index, question), textColumns);
    } finally {
      this.#keepBudget();
      if (!this.#isWarm && held.accountIndex.tokens >= WARM_UP_FROM) {
        this.#isWarm = true;
        // It helps later queries: its failure is none of theirs.
        warmUp(async (asked) => {
          if (this.#isClosing) throw new Error('the service is stopping');
          await held.accountIndex.ask((index) => this.#work(index, asked));
        }).catch(() => undefined);
      }
    }
  }

  async #work<T>(
    index: SearchIndex,
    question: (index: SearchIndex, work: Workspace) => Promise<T>,
  ): Promise<T> {
    const work = this.#workspaces.pop() ?? new Workspace(this.#threads);
    try {
      return await question(index, work);
    } finally {
      this.#workspaces.push(work);
    }
  }

  /**
   * An index that exceeds the whole budget is held only while it is the last used one, alone. Otherwise it leaves as soon
   * as it is idle, and the others are held as if it were not there: dropping them would not help.
   */
  #keepBudget(): void {
    const { budgetBytes } = this.#limits;
    const lastUsed = [...this.#held.keys()].at(-1);
    let bytes = 0;
    const others: [string, AccountIndex][] = [];
    for (const [accountId, { accountIndex }] of this.#held) {
      const isTooLarge = accountIndex.byteLength > budgetBytes && accountId !== lastUsed;
      if (!isTooLarge) bytes += accountIndex.byteLength;
      if (accountIndex.isBusy || accountId === lastUsed) continue;
      if (isTooLarge) this.#leave(accountId, accountIndex, 'budget');
      else others.push([accountId, accountIndex]);
    }
    for (const [accountId, accountIndex] of others) {
      if (bytes <= budgetBytes) return;
      bytes -= accountIndex.byteLength;
      this.#leave(accountId, accountIndex, 'budget');
    }
  }

  #readOn(): void {
    // They grow without a query too, and one that was busy may leave now.
    this.#keepBudget();
    const now = Date.now();
    for (const [accountId, held] of this.#held) {
      const { accountIndex, usedAt } = held;
      // Reading changes would stop the writing.
      if (accountIndex.isBusy || accountIndex === this.#savedNow) continue;
      if (now - usedAt > this.#limits.idleMs) this.#leave(accountId, accountIndex, 'idle');
      else if (this.#savedNow === null && now >= held.saveFrom && accountIndex.wantsFile(false)) {
        this.#saveNow(accountId, held).catch(() => undefined);
      } else if (now - usedAt < READ_ON_FOR_MS) {
        // The next query reports a failure.
        accountIndex.ask(async () => undefined).catch(() => undefined);
      }
    }
  }

  #open(accountId: string): Held {
    const leaving = this.#leaving.get(accountId);
    this.#leaving.delete(accountId);
    return {
      accountIndex: leaving ?? this.#create(accountId),
      usedAt: 0,
      saveFrom: Date.now() + FIRST_SAVE_MS,
      failedSaves: 0,
    };
  }

  #create(accountId: string): AccountIndex {
    return new AccountIndex(this.#source, accountId, { files: this.#files, idleMs: this.#limits.idleMs });
  }

  async #saveNow(accountId: string, held: Held): Promise<void> {
    const outcome = await this.#save(accountId, held.accountIndex, () => !this.#isClosing);
    held.failedSaves = outcome === 'saved' ? 0 : held.failedSaves + 1;
    const pause = Math.min(RETRY_SAVE_MS * 2 ** held.failedSaves, RETRY_SAVE_MAX_MS);
    held.saveFrom = Date.now() + (outcome === 'saved' ? SAVE_AGAIN_MS : pause);
  }

  /** Out of the memory, to a file if that saves time. */
  #leave(accountId: string, accountIndex: AccountIndex, reason: 'budget' | 'idle'): void {
    this.drop(accountId);
    this.#limits.onDrop?.(reason);
    const waiting = [...this.#leaving.values()].reduce((sum, { byteLength }) => sum + byteLength, 0);
    if (waiting > this.#limits.budgetBytes * LEAVING_SHARE || !accountIndex.wantsFile(true)) return;
    this.#leaving.set(accountId, accountIndex);
    const isLeaving = () => this.#leaving.get(accountId) === accountIndex;
    this.#save(accountId, accountIndex)
      .catch(() => undefined)
      .finally(() => {
        if (isLeaving()) this.#leaving.delete(accountId);
      });
  }

  #save(
    accountId: string,
    accountIndex: AccountIndex,
    isWanted: () => boolean = () => true,
  ): Promise<SaveOutcome> {
    const isHere = () =>
      this.#held.get(accountId)?.accountIndex === accountIndex ||
      this.#leaving.get(accountId) === accountIndex;
    const mayGoOn = () => performance.now() < this.#saveUntil && isHere() && isWanted();
    const saved = this.#saving.then(async () => {
      if (!mayGoOn()) return 'stopped';
      this.#savedNow = accountIndex;
      try {
        const outcome = await accountIndex.save(mayGoOn);
        // It holds what it must not hold: the next query builds it anew.
        if (outcome === 'refused' && isHere()) this.drop(accountId);
        return outcome;
      } finally {
        this.#savedNow = null;
      }
    });
    this.#saving = saved.catch(() => undefined);
    return saved;
  }

  /** The last used first: there may not be time for all. */
  async #saveAtStop(): Promise<void> {
    for (const [accountId, { accountIndex }] of [...this.#held].reverse()) {
      if (performance.now() >= this.#saveUntil) return;
      for (let tries = 0; tries < MAX_TRIES_AT_STOP && accountIndex.wantsFile(true); tries++) {
        await accountIndex.idle();
        await this.#save(accountId, accountIndex).catch(() => undefined);
      }
    }
    await this.#saving;
  }
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, ms);
  await Promise.race([work, over.promise]).finally(() => clearTimeout(timer));
}
