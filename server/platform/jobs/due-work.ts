/**
 * The pulse of a process in a database: one statement that asks for all background work that may be due, and renews the
 * row by which other processes know that this one is alive. A loop that waits for rows of other processes, or for a time,
 * says how to look for them and is woken when there are some. Loops that each ask in vain would keep an idle instance busy.
 */
import type { Db } from '../db/db.ts';
import { empty, join, type Sql, sql } from '../db/sql.ts';
import { type Lease, ProcessRow, type Renewed } from './process-row.ts';

/** A process wakes itself after its own commits. These are for times that come, and for the work of other processes. */
const aloneMs = 250;
const withOthersMs = 100;
const renewEveryMs = 1_000;
/** Leaves time for another renewal before the row of the process expires. */
const timeoutMs = 1_500;

export interface Look {
  /** Those who look for the same work share it by its name. */
  name: string;
  /** An expression of one value. */
  value: Sql;
  /** Asked for once a second only. */
  isRare?: boolean;
}

export interface Waiter<T> {
  look: Look;
  isDue(found: T): boolean;
  /** Also if the read has failed: its own claim then reports what is wrong. */
  wake(): void;
  /** The least time between two wakes. */
  everyMs?: number;
}

const pulses = new WeakMap<Db, Pulse>();

/** At the start of a process: the others know of it before it writes anything. */
export async function joinProcesses(db: Db): Promise<void> {
  const pulse = pulseOf(db);
  pulse.isMember = true;
  try {
    await pulse.insertRow();
  } catch (error) {
    await leaveProcesses(db);
    throw error;
  }
}

/** At its end. Otherwise the others would take it for alive for some seconds. */
export async function leaveProcesses(db: Db): Promise<void> {
  const pulse = pulses.get(db);
  if (!pulse) return;
  pulse.isMember = false;
  await pulse.endIfUnused();
}

/** For those that wait for work: the row of this process in this database. */
export function rowOfProcess(db: Db): ProcessRow {
  return pulseOf(db).row;
}

/** What this process may claim with. */
export async function takeLease(db: Db): Promise<Lease> {
  const pulse = pulseOf(db);
  await pulse.insertRow();
  return pulse.row.lease;
}

/** The returned function ends the wait; afterwards nothing is read for it any more. */
export function watchWork<T>(db: Db, waiter: Waiter<T>): () => Promise<void> {
  const pulse = pulseOf(db);
  const one = { waiter: waiter as Waiter<unknown>, wokenAt: Number.NEGATIVE_INFINITY };
  pulse.waiters.add(one);
  // Until now there was nothing to look for.
  if (pulse.waiters.size === 1) pulse.schedule(0);
  return () => {
    pulse.waiters.delete(one);
    return pulse.endIfUnused();
  };
}

/** Whether other processes may use this database at the moment. */
export function hasOtherProcesses(db: Db): boolean {
  return pulses.get(db)?.hasOthers ?? true;
}

function pulseOf(db: Db): Pulse {
  const pulse = pulses.get(db) ?? new Pulse(db);
  pulses.set(db, pulse);
  return pulse;
}

interface Answer extends Renewed {
  found: unknown[];
  hasOthers: boolean;
}

class Pulse {
  readonly row = new ProcessRow();
  readonly waiters = new Set<{ waiter: Waiter<unknown>; wokenAt: number }>();
  isMember = false;
  hasOthers = true;
  readonly #db: Db;
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<void> | null = null;
  #inserting: Promise<void> | null = null;
  #renewedAt = Number.NEGATIVE_INFINITY;
  #hasFailed = false;

  constructor(db: Db) {
    this.#db = db;
    this.schedule(0);
  }

  /** Unless it is there. */
  async insertRow(): Promise<void> {
    if (this.row.isInserted) return;
    this.#inserting ??= this.#insertRow().finally(() => {
      this.#inserting = null;
    });
    await this.#inserting;
  }

  async #insertRow(): Promise<void> {
    const begunAt = performance.now();
    await this.#db.query(this.row.renewal());
    this.row.renewed(begunAt, { isRenewed: true, isThere: true });
  }

  /** Waits for the current beat in any case. */
  readonly endIfUnused = async (): Promise<void> => {
    const ends = !this.isMember && this.waiters.size === 0 && pulses.get(this.#db) === this;
    if (ends) {
      pulses.delete(this.#db);
      clearTimeout(this.#timer);
    }
    await this.#beating;
    if (!ends) return;
    await this.#db.query(sql`delete from processes where id = ${this.row.id}`).catch(() => {});
    this.row.lost();
  };

  schedule(delayMs: number): void {
    if (this.#beating) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#run(), delayMs);
  }

  #run(): void {
    const begunAt = performance.now();
    this.#beating = this.#beat(begunAt).finally(() => {
      this.#beating = null;
      if (pulses.get(this.#db) !== this) return;
      this.schedule(Math.max(0, begunAt + this.#everyMs - performance.now()));
    });
  }

  get #everyMs(): number {
    if (this.#hasFailed) return aloneMs;
    if (this.waiters.size === 0) return renewEveryMs;
    return this.hasOthers ? withOthersMs : aloneMs;
  }

  async #beat(begunAt: number): Promise<void> {
    const { row } = this;
    const renews = !row.isInserted || begunAt - this.#renewedAt > renewEveryMs - withOthersMs / 2;
    const looks = new Map([...this.waiters].map(({ waiter: { look } }) => [look.name, look]));
    // Whatever made the last statement fail or slow must not keep the row from being renewed.
    const asked =
      renews && this.#hasFailed ? [] : [...looks.values()].filter((look) => renews || !look.isRare);
    try {
      const statement = this.#statement(asked, renews);
      const [answer] = (await this.#db.query<Answer>(statement, { timeoutMs })) as [Answer];
      this.#hasFailed = false;
      this.hasOthers = answer.hasOthers;
      if (renews) {
        this.#renewedAt = begunAt;
        row.renewed(begunAt, answer);
      }
      this.#wake(new Map(asked.map(({ name }, index) => [name, answer.found[index]])));
    } catch {
      this.#hasFailed = true;
      this.#wake(null);
    }
  }

  #wake(found: ReadonlyMap<string, unknown> | null): void {
    const now = performance.now();
    for (const one of this.waiters) {
      const { look, isDue, wake, everyMs = 0 } = one.waiter;
      // Added meanwhile, or asked for later.
      if (found && !found.has(look.name)) continue;
      if (now - one.wokenAt < everyMs || (found && !isDue(found.get(look.name)))) continue;
      one.wokenAt = now;
      wake();
    }
  }

  #statement(asked: readonly Look[], renews: boolean): Sql {
    const { id } = this.row;
    const values = asked.map(({ value }) => sql`to_jsonb(${value})`);
    const renewal = sql`with renewed as (${this.row.renewal()})`;
    const renewed = sql`exists (select from renewed) as "isRenewed",
      exists (select from processes where id = ${id}::uuid) as "isThere",`;
    return sql`${renews ? renewal : empty}
      select jsonb_build_array(${join(values, ', ')}) as found, ${renews ? renewed : empty}
        exists (select from processes where id <> ${id}::uuid and alive_until > now()) as "hasOthers"`;
  }
}
