/**
 * The message indexes of this process, within a memory budget. An account without searches has none; the least
 * recently used one is dropped first.
 */
import { type DropReason, HeldByAccount, type HeldLimits } from '../../../platform/limits/held-by-account.ts';
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

export interface MemoryLimits extends HeldLimits {
  onDrop?: (reason: DropReason) => void;
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
  readonly #held: HeldByAccount<MessageAccountIndex>;
  readonly #workspaces: MessageWorkspace[] = [];
  readonly #threads = new Threads();
  readonly #timer: NodeJS.Timeout;

  constructor(source: MessageSource, limits: MemoryLimits) {
    this.#source = source;
    this.#limits = limits;
    this.#held = new HeldByAccount(limits, (_accountId, _accountIndex, reason) => this.#onDropped(reason));
    this.#timer = setInterval(() => this.#readOn(), readOnEveryMs).unref();
  }

  get byteLength(): number {
    return this.#held.byteLength;
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
      const create = () => new MessageAccountIndex(this.#source, accountId, this.#limits.budgetBytes);
      return await this.#held.use(accountId, create).ask(async ({ index, floorId }) => {
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
      this.#held.keepBudget();
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#held.clear();
    await this.#threads.close();
  }

  /** The next query reads the account again. */
  drop(accountId: string): void {
    this.#held.remove(accountId);
    this.#onDropped('moved');
  }

  #onDropped(reason: DropReason): void {
    this.#threads.forget();
    this.#limits.onDrop?.(reason);
  }

  #readOn(): void {
    this.#held.dropIdle();
    const now = Date.now();
    for (const { value: accountIndex, usedAt } of this.#held.entries()) {
      // The next query reports a failure.
      if (now - usedAt < readOnForMs && !accountIndex.isBusy) {
        accountIndex.ask(async () => undefined).catch(() => undefined);
      }
    }
  }
}
