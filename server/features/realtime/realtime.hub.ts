/**
 * Passes the changes of all accounts to the connections of this process. One reader for all of them: it reads from
 * the last position it passed on, so that every connection gets every change after it was added, once and in order.
 * It reads only while someone is connected: after commits of this process, when the pulse finds changes of others, and
 * every 25 ms while others are alive that cannot wake it.
 */
import type { Db } from '../../platform/db/db.ts';
import { hasOtherProcesses, watchWork } from '../../platform/jobs/due-work.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Definitions, DefinitionsCache } from '../kanbans/kanbans.ts';
import { type LiveEvent, loadEvents } from './realtime.events.ts';
import { selectVersions } from './realtime.load.sql.ts';
import { type LiveState, type LoggedChange, liveState, tick } from './realtime.log.sql.ts';
import type { Signal, SignalBus } from './realtime.wake.ts';

export interface Subscriber {
  readonly accountId: string;
  /** What it may see depends on the account's boards. */
  readonly needsDefinitions: boolean;
  define(definitions: Definitions): void;
  deliver(event: LiveEvent): void;
  signal(signal: Signal): void;
  /** Changes numbered so far have been lost. */
  reload(epoch: string): void;
}

export interface HubDeps {
  db: Db;
  logger: Logger;
  definitions: DefinitionsCache;
}

const pollMs = 25;
/** The minimum time between two reads, relative to their own duration: many changes share the cost of a read. */
const shortestGapMs = 10;
const gapShare = 3;
const longestGapMs = 100;
const longestBackoffMs = 1_000;
const batch = 500;

const clamp = (value: number, least: number, most: number) => Math.min(Math.max(value, least), most);

export class LiveHub {
  readonly #deps: HubDeps;
  readonly #subscribers = new Map<string, Set<Subscriber>>();
  readonly #versions = new Map<string, number>();
  bus!: SignalBus;
  #position: number | null = null;
  #epoch = '';
  #lastSignal = 0;
  #endWatch: (() => Promise<void>) | null = null;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  #again = false;
  #mayRunAt = 0;
  #closed = false;
  #failures = 0;

  constructor(deps: HubDeps) {
    this.#deps = deps;
  }

  /** From here on it receives everything; earlier changes must be read from the log. */
  async add(subscriber: Subscriber): Promise<void> {
    const { accountId } = subscriber;
    const others = this.#subscribers.get(accountId) ?? new Set();
    this.#subscribers.set(accountId, others.add(subscriber));
    if (this.#position === null) await this.#begin();
    if (subscriber.needsDefinitions) await this.#defineAnew(accountId);
  }

  remove(subscriber: Subscriber): void {
    const others = this.#subscribers.get(subscriber.accountId);
    if (!others?.delete(subscriber) || others.size > 0) return;
    this.#subscribers.delete(subscriber.accountId);
    this.#versions.delete(subscriber.accountId);
    if (this.#subscribers.size === 0 && !this.#running) this.#end();
  }

  /** Reads now. */
  readonly wake = (): void => {
    if (this.#position === null || this.#closed) return;
    this.#again = true;
    if (!this.#running) this.#schedule(Math.max(0, this.#mayRunAt - performance.now()));
  };

  readonly hear = (signal: Signal): void => {
    for (const subscriber of this.#subscribers.get(signal.accountId) ?? []) subscriber.signal(signal);
  };

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer) clearTimeout(this.#timer);
    await this.#running;
    await this.#endWatch?.();
  }

  async #begin(): Promise<void> {
    const { epoch, head, lastSignal } = await tick(this.#deps.db, Number.MAX_SAFE_INTEGER, 0);
    await this.bus.read(lastSignal);
    // Of two simultaneous calls the first may have started already, and perhaps passed something on.
    if (this.#position !== null || this.#closed) return;
    this.#position = head;
    this.#epoch = epoch;
    this.#lastSignal = lastSignal;
    this.#endWatch = watchWork<LiveState | null>(this.#deps.db, {
      look: liveState,
      isDue: (found) => this.#isBehind(found),
      wake: () => {
        // After a failure it tries again in its own time.
        if (this.#failures === 0) this.wake();
      },
    });
    this.#schedule(pollMs);
  }

  #isBehind(found: LiveState | null): boolean {
    if (found === null || found.isUnnumbered || found.epoch !== this.#epoch) return true;
    if (found.head !== this.#position || found.lastSignal !== this.#lastSignal) return true;
    return this.#timer === null && this.#readsOften;
  }

  get #readsOften(): boolean {
    return !this.bus.wakesAtOnce && hasOtherProcesses(this.#deps.db);
  }

  #schedule(delayMs: number): void {
    if (this.#timer) clearTimeout(this.#timer);
    if (!this.#closed) this.#timer = setTimeout(() => this.#run(), delayMs);
  }

  #run(): void {
    this.#timer = null;
    this.#running ??= this.#readOn().finally(() => {
      this.#running = null;
      if (this.#closed) return;
      if (this.#subscribers.size === 0) this.#end();
      else if (this.#again) this.#schedule(Math.max(0, this.#mayRunAt - performance.now()));
      else if (this.#failures > 0) this.#schedule(Math.min(pollMs * 2 ** this.#failures, longestBackoffMs));
      else if (this.#readsOften) this.#schedule(pollMs);
    });
  }

  #end(): void {
    this.#position = null;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    void this.#endWatch?.();
    this.#endWatch = null;
  }

  async #readOn(): Promise<void> {
    this.#again = false;
    const began = performance.now();
    this.#mayRunAt = began + shortestGapMs;
    try {
      const { epoch, head, lastSignal, changes } = await tick(this.#deps.db, this.#position!, batch);
      if (epoch !== this.#epoch) return this.#startOver(epoch, head);
      await this.#handOut(changes);
      this.#position = changes[changes.length - 1]?.position ?? this.#position;
      await this.bus.read(lastSignal);
      this.#lastSignal = lastSignal;
      this.#failures = 0;
      const took = performance.now() - began;
      if (changes.length < batch)
        this.#mayRunAt = began + clamp(took * gapShare, shortestGapMs, longestGapMs);
      else {
        this.#again = true;
        this.#mayRunAt = began;
      }
    } catch (error) {
      // Nothing of the read was passed on: it is read again.
      if (this.#failures++ === 0) this.#deps.logger.warn({ err: error }, 'reading live changes failed');
    }
  }

  /** The database has crashed or was restored: it is unknown what was missed. */
  #startOver(epoch: string, head: number): void {
    this.#epoch = epoch;
    this.#position = head;
    for (const subscribers of this.#subscribers.values()) for (const one of subscribers) one.reload(epoch);
  }

  async #handOut(changes: readonly LoggedChange[]): Promise<void> {
    const wanted = changes.filter((change) => this.#subscribers.has(change.accountId));
    if (wanted.length === 0) return;
    const events = await loadEvents(this.#deps.db, wanted);
    // After the read: a user who lost a board before this moment does not receive its changes.
    await this.#refreshAccess(new Set(wanted.map((change) => change.accountId)));
    for (const event of events) {
      for (const subscriber of this.#subscribers.get(event.accountId) ?? []) subscriber.deliver(event);
    }
  }

  async #refreshAccess(accountIds: Set<string>): Promise<void> {
    const restricted = [...accountIds].filter((id) => this.#restricted(id).length > 0);
    if (restricted.length === 0) return;
    for (const { accountId, version } of await selectVersions(this.#deps.db, restricted)) {
      if (this.#versions.get(accountId) !== version) await this.#defineAnew(accountId);
    }
  }

  #restricted(accountId: string): Subscriber[] {
    return [...(this.#subscribers.get(accountId) ?? [])].filter((one) => one.needsDefinitions);
  }

  async #defineAnew(accountId: string): Promise<void> {
    const definitions = await this.#deps.definitions.fresh(accountId);
    this.#versions.set(accountId, definitions.version);
    for (const subscriber of this.#restricted(accountId)) subscriber.define(definitions);
  }
}
