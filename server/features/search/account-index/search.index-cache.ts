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
import { AccountIndex } from './search.account-index.ts';
import type { SearchSource } from './search.source.ts';

export type MirrorLimits = {
  budgetBytes: number;
  idleMs: number;
  onDrop?: (reason: 'budget' | 'idle' | 'moved') => void;
};
type Held = { accountIndex: AccountIndex; usedAt: number };

/**
 * An index in use is kept current in the background, so that a search after a minute of imports has little left to
 * read.
 */
const READ_ON_EVERY_MS = 1000;
const READ_ON_FOR_MS = 60_000;
/** With fewer tokens a query takes a millisecond or two, compiled or not. */
const WARM_UP_FROM = 50_000;

export class IndexCache {
  readonly #source: SearchSource;
  readonly #limits: MirrorLimits;
  /** In the order of their last use. */
  readonly #held = new Map<string, Held>();
  readonly #workspaces: Workspace[] = [];
  readonly #threads: Threads;
  readonly #timer: NodeJS.Timeout;
  #isWarm = false;

  constructor(source: SearchSource, limits: MirrorLimits, threads = new Threads()) {
    this.#source = source;
    this.#limits = limits;
    this.#threads = threads;
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
    this.#threads.forget();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#held.clear();
    await this.#threads.close();
  }

  /** Runs a question on the account's index, current as of now. */
  async ask<T>(accountId: string, question: (index: SearchIndex, work: Workspace) => Promise<T>): Promise<T> {
    const held = this.#held.get(accountId) ?? {
      accountIndex: new AccountIndex(this.#source, accountId),
      usedAt: 0,
    };
    held.usedAt = Date.now();
    this.#held.delete(accountId);
    this.#held.set(accountId, held);
    try {
      return await held.accountIndex.ask(async (index) => {
        const work = this.#workspaces.pop() ?? new Workspace(this.#threads);
        try {
          if (!this.#isWarm && index.values.tokens.size >= WARM_UP_FROM) {
            this.#isWarm = true;
            // It helps later queries: its failure must not fail this one.
            await warmUp(index, work).catch(() => undefined);
          }
          return await question(index, work);
        } finally {
          this.#workspaces.push(work);
        }
      });
    } finally {
      this.#keepBudget();
    }
  }

  /** A single index may exceed the whole budget: it is then the only one. */
  #keepBudget(): void {
    let bytes = this.byteLength;
    for (const [accountId, { accountIndex }] of this.#held) {
      if (bytes <= this.#limits.budgetBytes || this.#held.size === 1) return;
      if (accountIndex.isBusy) continue;
      bytes -= accountIndex.byteLength;
      this.drop(accountId);
      this.#limits.onDrop?.('budget');
    }
  }

  #readOn(): void {
    const now = Date.now();
    for (const [accountId, { accountIndex, usedAt }] of this.#held) {
      if (now - usedAt > this.#limits.idleMs && !accountIndex.isBusy) {
        this.drop(accountId);
        this.#limits.onDrop?.('idle');
      } else if (now - usedAt < READ_ON_FOR_MS && !accountIndex.isBusy) {
        // The next query reports a failure.
        accountIndex.ask(async () => undefined).catch(() => undefined);
      }
    }
  }
}
