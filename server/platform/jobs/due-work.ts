/**
 * The pulse of a process in a database: one statement that asks for all background work that may be due, and renews the
 * rows by which other processes know that this one is alive. A loop that waits for rows of other processes, or for a time,
 * says how to look for them and is woken when there are some. Loops that each ask in vain would keep an idle instance busy.
 */
import type { Db } from '../db/db.ts';
import { empty, join, Sql, sql } from '../db/sql.ts';
import { newId } from '../ids.ts';

/** A process wakes itself after its own commits. These are for times that come, and for the work of other processes. */
const aloneMs = 250;
const withOthersMs = 100;
const renewEveryMs = 1_000;
/** Leaves time for another renewal before what is valid for three seconds expires. */
const timeoutMs = 1_500;
/** Of a process that was killed: until then the others look as often as if it were alive. */
const aliveSeconds = 5;
const keptSeconds = 3_600;

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

/** A row that this process renews, once a second. */
export interface Renewal<T> {
  /** A statement that returns what it has renewed. It must not wait for locks: everything else would wait with it. */
  statement: Sql;
  renewed(rows: T[]): void;
  failed(error: unknown): void;
}

const pulses = new WeakMap<Db, Pulse>();

/** At the start of a process: the others know of it before it writes anything. */
export async function joinProcesses(db: Db): Promise<void> {
  const pulse = pulseOf(db);
  pulse.isMember = true;
  try {
    await db.query(sql`
      with gone as (delete from processes where seen_at < now() - ${keptSeconds}::int * interval '1 second')
      insert into processes (id) values (${pulse.id}) on conflict (id) do update set seen_at = now()`);
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

/** `begin` is called for each renewal. The returned function ends them. */
export function renewWithPulse<T>(db: Db, begin: () => Renewal<T>): () => Promise<void> {
  const { renewals, endIfUnused } = pulseOf(db);
  renewals.add(begin as () => Renewal<unknown>);
  return () => {
    renewals.delete(begin as () => Renewal<unknown>);
    return endIfUnused();
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

interface Answer {
  found: unknown[];
  renewed: unknown[][];
  hasOthers: boolean;
}

class Pulse {
  readonly id = newId();
  readonly waiters = new Set<{ waiter: Waiter<unknown>; wokenAt: number }>();
  readonly renewals = new Set<() => Renewal<unknown>>();
  isMember = false;
  hasOthers = true;
  readonly #db: Db;
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<void> | null = null;
  #renewedAt = Number.NEGATIVE_INFINITY;
  #hasFailed = false;

  constructor(db: Db) {
    this.#db = db;
    this.schedule(0);
  }

  /** Waits for the current beat in any case. */
  readonly endIfUnused = async (): Promise<void> => {
    const isUnused = !this.isMember && this.waiters.size + this.renewals.size === 0;
    const ends = isUnused && pulses.get(this.#db) === this;
    if (ends) {
      pulses.delete(this.#db);
      clearTimeout(this.#timer);
    }
    await this.#beating;
    if (ends) await this.#db.query(sql`delete from processes where id = ${this.id}`).catch(() => {});
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
    const renews = begunAt - this.#renewedAt > renewEveryMs - withOthersMs / 2;
    const renewals = renews ? [...this.renewals].map((begin) => begin()) : [];
    const looks = new Map([...this.waiters].map(({ waiter: { look } }) => [look.name, look]));
    // Whatever made the last statement fail or slow must not keep the rows from being renewed.
    const asked =
      renews && this.#hasFailed ? [] : [...looks.values()].filter((look) => renews || !look.isRare);
    try {
      const statement = this.#statement(asked, renewals, renews);
      const [answer] = (await this.#db.query<Answer>(statement, { timeoutMs })) as [Answer];
      this.#hasFailed = false;
      if (renews) this.#renewedAt = begunAt;
      this.hasOthers = answer.hasOthers;
      for (const [index, { renewed }] of renewals.entries()) renewed(answer.renewed[index]!);
      this.#wake(new Map(asked.map(({ name }, index) => [name, answer.found[index]])));
    } catch (error) {
      this.#hasFailed = true;
      for (const { failed } of renewals) failed(error);
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

  #statement(asked: readonly Look[], renewals: readonly Renewal<unknown>[], renews: boolean): Sql {
    const values = asked.map(({ value }) => sql`to_jsonb(${value})`);
    const named = renewals.map(({ statement }, index) => ({ name: cteName(index), statement }));
    const rows = named.map(({ name }) => sql`(select coalesce(jsonb_agg(to_jsonb(r)), '[]') from ${name} r)`);
    const own = sql`with own as (
        insert into processes (id) values (${this.id}::uuid) on conflict (id) do update set seen_at = now())`;
    const ctes = [own, ...named.map(({ name, statement }) => sql`${name} as (${statement})`)];
    return sql`${renews ? join(ctes, ', ') : empty}
      select jsonb_build_array(${join(values, ', ')}) as found, jsonb_build_array(${join(rows, ', ')}) as renewed,
        exists (select from processes where id <> ${this.id}::uuid
          and seen_at > now() - ${aliveSeconds}::int * interval '1 second') as "hasOthers"`;
  }
}

const cteName = (index: number) => new Sql([`renewed_${index}`], []);
