/**
 * The message indexes of this process, within a memory budget. An account without searches has none; the least
 * recently used one is dropped first.
 */
import { compileQuery } from '../../../search-engine/match/match.ts';
import type { MessageFilter } from '../../../search-engine/messages/message-filter.ts';
import {
  type MessagePage,
  MessageWorkspace,
  searchMessages,
} from '../../../search-engine/messages/message-query.ts';
import { createYielder } from '../../../search-engine/query/yielder.ts';
import { allowedInMessages } from '../../../search-engine/store/text.ts';
import { Threads } from '../../../search-engine/threads/threads.ts';
import { MessageAccountIndex } from './message-search.account-index.ts';
import type { MessageSource } from './message-search.source.ts';

export interface MemoryLimits {
  budgetBytes: number;
  idleMs: number;
  onDrop?: (reason: 'budget' | 'idle' | 'moved') => void;
}

export interface FoundPage extends MessagePage {
  /** Messages up to this id were not searched; null: all were. */
  floorId: string | null;
}

/** An index in use is kept current in the background, so that a search after a minute of sends has little to read. */
const readOnEveryMs = 1_000;
const readOnForMs = 60_000;

export class MessageIndexCache {
  readonly #source: MessageSource;
  readonly #limits: MemoryLimits;
  /** In the order of their last use. */
  readonly #held = new Map<string, { accountIndex: MessageAccountIndex; usedAt: number }>();
  readonly #workspaces: MessageWorkspace[] = [];
  readonly #threads = new Threads();
  readonly #timer: NodeJS.Timeout;

  constructor(source: MessageSource, limits: MemoryLimits) {
    this.#source = source;
    this.#limits = limits;
    this.#timer = setInterval(() => this.#readOn(), readOnEveryMs).unref();
  }

  get byteLength(): number {
    let sum = 0;
    for (const { accountIndex } of this.#held.values()) sum += accountIndex.byteLength;
    return sum;
  }

  get size(): number {
    return this.#held.size;
  }

  async search(
    accountId: string,
    q: string,
    filter: MessageFilter,
    offset: number,
    count: number,
  ): Promise<FoundPage> {
    try {
      return await this.#of(accountId).ask(async ({ index, floorId }) => {
        const work = this.#workspaces.pop() ?? new MessageWorkspace(this.#threads);
        try {
          const terms = compileQuery(q, allowedInMessages);
          const page = await searchMessages(index, terms, filter, offset, count, work, createYielder());
          return { ...page, floorId };
        } finally {
          this.#workspaces.push(work);
        }
      });
    } finally {
      this.#keepBudget();
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#held.clear();
    await this.#threads.close();
  }

  #of(accountId: string): MessageAccountIndex {
    const accountIndex =
      this.#held.get(accountId)?.accountIndex ??
      new MessageAccountIndex(this.#source, accountId, this.#limits.budgetBytes);
    this.#held.delete(accountId);
    this.#held.set(accountId, { accountIndex, usedAt: Date.now() });
    return accountIndex;
  }

  #keepBudget(): void {
    let bytes = this.byteLength;
    for (const [accountId, { accountIndex }] of this.#held) {
      if (bytes <= this.#limits.budgetBytes || this.#held.size === 1) return;
      if (accountIndex.isBusy) continue;
      bytes -= accountIndex.byteLength;
      this.#drop(accountId, 'budget');
    }
  }

  /** The next query reads the account again. */
  drop(accountId: string): void {
    this.#drop(accountId, 'moved');
  }

  #drop(accountId: string, reason: 'budget' | 'idle' | 'moved'): void {
    this.#held.delete(accountId);
    this.#threads.forget();
    this.#limits.onDrop?.(reason);
  }

  #readOn(): void {
    const now = Date.now();
    for (const [accountId, { accountIndex, usedAt }] of this.#held) {
      if (accountIndex.isBusy) continue;
      if (now - usedAt > this.#limits.idleMs) this.#drop(accountId, 'idle');
      // The next query reports a failure.
      else if (now - usedAt < readOnForMs) accountIndex.ask(async () => undefined).catch(() => undefined);
    }
  }
}
