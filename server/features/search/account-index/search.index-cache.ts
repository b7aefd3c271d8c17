// The indexes of this process, within a memory budget. An account without searches has none; the least recently used
// one is dropped first.

import { type DropReason, HeldByAccount, type HeldLimits } from '../../../platform/limits/held-by-account.ts';
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

export type MirrorLimits = HeldLimits & { onDrop?: (reason: DropReason) => void };

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
  readonly #held: HeldByAccount<AccountIndex>;
  /** When its file is written next. */
  readonly #saves = new WeakMap<AccountIndex, { from: number; failures: number }>();
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
    this.#held = new HeldByAccount(limits, (...left) => this.#leave(...left));
    this.#threads = threads;
    this.#files = files;
    this.#timer = setInterval(() => this.#readOn(), READ_ON_EVERY_MS).unref();
  }

  get byteLength(): number {
    return this.#held.byteLength;
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
    this.#held.remove(accountId);
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
    const accountIndex = this.#held.use(accountId, () => this.#open(accountId));
    try {
      return await accountIndex.ask((index) => this.#work(index, question), textColumns);
    } finally {
      this.#held.keepBudget();
      if (!this.#isWarm && accountIndex.tokens >= WARM_UP_FROM) {
        this.#isWarm = true;
        // It helps later queries: its failure is none of theirs.
        warmUp(async (asked) => {
          if (this.#isClosing) throw new Error('the service is stopping');
          await accountIndex.ask((index) => this.#work(index, asked));
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

  #readOn(): void {
    // They grow without a query too, and one that was busy may leave now.
    this.#held.keepBudget();
    this.#held.dropIdle();
    const now = Date.now();
    for (const { accountId, value: accountIndex, usedAt } of this.#held.entries()) {
      // Reading changes would stop the writing.
      if (accountIndex.isBusy || accountIndex === this.#savedNow) continue;
      if (this.#savedNow === null && this.#isSaveDue(accountIndex, now) && accountIndex.wantsFile(false)) {
        this.#saveNow(accountId, accountIndex).catch(() => undefined);
      } else if (now - usedAt < READ_ON_FOR_MS) {
        // The next query reports a failure.
        accountIndex.ask(async () => undefined).catch(() => undefined);
      }
    }
  }

  #open(accountId: string): AccountIndex {
    const accountIndex = this.#leaving.get(accountId) ?? this.#create(accountId);
    this.#leaving.delete(accountId);
    this.#saves.set(accountIndex, { from: Date.now() + FIRST_SAVE_MS, failures: 0 });
    return accountIndex;
  }

  #create(accountId: string): AccountIndex {
    return new AccountIndex(this.#source, accountId, { files: this.#files, idleMs: this.#limits.idleMs });
  }

  #isSaveDue(accountIndex: AccountIndex, now: number): boolean {
    return now >= this.#saves.get(accountIndex)!.from;
  }

  async #saveNow(accountId: string, accountIndex: AccountIndex): Promise<void> {
    const outcome = await this.#save(accountId, accountIndex, () => !this.#isClosing);
    const failures = outcome === 'saved' ? 0 : this.#saves.get(accountIndex)!.failures + 1;
    const pause = Math.min(RETRY_SAVE_MS * 2 ** failures, RETRY_SAVE_MAX_MS);
    this.#saves.set(accountIndex, {
      from: Date.now() + (outcome === 'saved' ? SAVE_AGAIN_MS : pause),
      failures,
    });
  }

  /** Out of the memory, to a file if that saves time. */
  #leave(accountId: string, accountIndex: AccountIndex, reason: 'budget' | 'idle'): void {
    this.#threads.forget();
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
      this.#held.get(accountId) === accountIndex || this.#leaving.get(accountId) === accountIndex;
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
    for (const { accountId, value: accountIndex } of this.#held.entries().reverse()) {
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
