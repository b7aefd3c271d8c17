/**
 * One account's messages, kept current: before every query it reads what has changed. A query gets a result read after
 * it was asked, so a message is found as soon as its send was answered, by any process.
 */
import { MessageIndex } from '../../../search-engine/messages/message-index.ts';
import { BUILD_SLICE_MS, createYielder, type Yielder } from '../../../search-engine/query/yielder.ts';
import type { Batch, MessageSource, Position } from './message-search.source.ts';

/** What is searched: all messages, or the newest ones if all do not fit into the memory. */
export interface Searched {
  index: MessageIndex;
  /** Messages up to this id are left out; null: none. */
  floorId: string | null;
  position: Position;
}

type Question = (searched: Searched) => Promise<void>;

const rebuildFromGarbage = 0.25;
const rebuildFromSlots = 50_000;
/** An index that does not fit is read again with this share of the messages that did, so that new ones have space. */
const keptShare = 0.8;
/** An index that has grown beyond its memory is rebuilt, with fewer messages. */
const rebuildFromMemory = 1.1;

export class MessageAccountIndex {
  readonly #source: MessageSource;
  readonly #accountId: string;
  readonly #maxBytes: number;
  #searched: Searched | null = null;
  #replacement: Searched | null = null;
  #waiting: { ask: Question; fail: (error: unknown) => void }[] = [];
  #isRunning = false;
  #isRebuilding = false;

  constructor(source: MessageSource, accountId: string, maxBytes: number) {
    this.#source = source;
    this.#accountId = accountId;
    this.#maxBytes = maxBytes;
  }

  get byteLength(): number {
    return this.#searched?.index.byteLength ?? 0;
  }

  get isBusy(): boolean {
    return this.#isRunning || this.#isRebuilding;
  }

  /** Everything committed before this call is in the index that the question gets. */
  ask<T>(question: (searched: Searched) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ ask: (searched) => question(searched).then(resolve, reject), fail: reject });
      if (!this.#isRunning) void this.#run();
    });
  }

  /** Concurrent callers share one read; those who come during it wait for the next. */
  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      const waiting = this.#waiting.splice(0);
      if (this.#replacement !== null) [this.#searched, this.#replacement] = [this.#replacement, null];
      try {
        const searched = await this.#readOn(this.#searched);
        this.#searched = searched;
        for (const { ask } of waiting) await ask(searched);
      } catch (error) {
        // Callers that came meanwhile would wait as long again for the same.
        for (const { fail } of [...waiting, ...this.#waiting.splice(0)]) fail(error);
      }
    }
    this.#isRunning = false;
    if (this.#searched && this.#needsRebuild(this.#searched.index)) await this.#rebuild(this.#searched.index);
  }

  /** The changes since the last read, or everything. A failed read is repeated: applying it twice changes nothing. */
  async #readOn(searched: Searched | null): Promise<Searched> {
    if (searched === null) return this.#load(null);
    const changes = await this.#source.readChanges(this.#accountId, searched.position);
    if (changes === null) return this.#load(null);
    const pause = createYielder(BUILD_SLICE_MS);
    for await (const batch of changes.batches) {
      if (batch.isRefill) return this.#load(null);
      await apply(searched.index, batch, searched.floorId, pause);
    }
    searched.position = changes.position;
    return searched;
  }

  /** `newest`: at most about this many messages; null: all, or as many as fit. */
  async #load(newest: number | null): Promise<Searched> {
    const floorId = newest === null ? null : await this.#source.floorOf(this.#accountId, newest);
    // The position first: changes during the full read are read again next time.
    const position = await this.#source.position(this.#accountId);
    const index = new MessageIndex();
    const pause = createYielder(BUILD_SLICE_MS);
    for await (const batch of this.#source.readAll(this.#accountId, floorId)) {
      await apply(index, batch, null, pause);
      if (index.byteLength > this.#maxBytes) return this.#load(Math.floor(index.slots * keptShare));
    }
    return { index, floorId, position };
  }

  #needsRebuild({ garbage, slots, byteLength }: MessageIndex): boolean {
    if (byteLength > this.#maxBytes * rebuildFromMemory) return true;
    return garbage > rebuildFromGarbage && slots > rebuildFromSlots;
  }

  /** Queries are answered from the old index meanwhile. */
  async #rebuild({ byteLength, alive }: MessageIndex): Promise<void> {
    if (this.#isRebuilding || this.#replacement !== null) return;
    this.#isRebuilding = true;
    try {
      const isTooLarge = byteLength > this.#maxBytes * rebuildFromMemory;
      this.#replacement = await this.#load(isTooLarge ? Math.floor(alive * keptShare) : null);
    } catch {
      // The database is unreachable: the old index still serves, and the next query retries.
    } finally {
      this.#isRebuilding = false;
    }
  }
}

async function apply(
  index: MessageIndex,
  batch: Batch,
  floorId: string | null,
  pause: Yielder,
): Promise<void> {
  index.removeSessions(batch.removedSessionIds);
  for (const session of batch.sessions) index.placeSession(session);
  for (const id of batch.removedIds) index.remove(id);
  for (const [i, message] of batch.messages.entries()) {
    if (floorId === null || message.id > floorId) index.upsert(message);
    const waiting = i % 16 === 0 ? pause() : undefined;
    if (waiting) await waiting;
  }
}
