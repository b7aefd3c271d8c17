/**
 * One transaction on one connection, which its first statement takes. Statements go out in the order in which they are
 * asked for, without waiting for each other, so BEGIN costs no round trip, and those that are awaited together cost one.
 */
import type pg from 'pg';
import { isConnectionLoss } from './database-errors.ts';
import type { RunQuery } from './query-deadlines.ts';
import type { Sql } from './sql.ts';

export type Row = Record<string, unknown>;

export interface Reader {
  query<R = Row>(statement: Sql, options?: QueryOptions): Promise<R[]>;
}

export interface QueryOptions {
  /** For work that is known to be long (a field's deletion over all records); requests keep the default. */
  timeoutMs?: number;
}

declare const insideTransaction: unique symbol;

export interface Tx extends Reader {
  readonly [insideTransaction]: true;
  /** The ids of the events that this transaction has written, in order: what a dry run reports. */
  readonly emitted: string[];
  /** Runs after the commit, never after a rollback: for wake-ups, not for work that must happen. */
  afterCommit(action: () => void): void;
  /** After the commit, the caches of this process that listen to the topic drop the key. */
  invalidate(topic: string, key: string): void;
  /** After the commit, the workers of this process that listen for such work in this database look for it at once. */
  wake(work: string, kind?: string): void;
  /**
   * Reserves a value for the account in the whole instance; false: it is another account's. Outlives a rollback outside
   * the home cell. With one database its unique index is enough, and this is always true.
   */
  claim(kind: string, value: string, accountId: string): Promise<boolean>;
  /** What `run` wrote is undone when it throws, and the transaction goes on. */
  savepoint<T>(run: () => Promise<T>): Promise<T>;
}

export type Claim = (tx: Tx, value: string, accountId: string) => Promise<boolean>;

interface TransactionDeps {
  connect(): Promise<pg.PoolClient>;
  runQuery: RunQuery;
  invalidate(topic: string, key: string): void;
  wake(work: string, kind?: string): void;
  /** By kind. */
  claims: ReadonlyMap<string, Claim>;
}

export class Transaction {
  readonly onCommit: (() => void)[] = [];
  readonly tx: Tx;
  isCommitted = false;
  readonly #deps: TransactionDeps;
  #client: Promise<pg.PoolClient> | null = null;
  /** After it PostgreSQL takes COMMIT for a rollback. */
  #failure: { error: unknown } | null = null;

  constructor(deps: TransactionDeps) {
    this.#deps = deps;
    this.tx = this.#createTx();
  }

  async commit(): Promise<void> {
    if (!this.#client) return;
    await this.#command('commit');
    // A rule that has not seen this must not believe that it has written.
    if (this.#failure) throw this.#failure.error;
    this.isCommitted = true;
  }

  /** False: the connection cannot be used again. */
  async rollback(): Promise<boolean> {
    if (!this.#client || this.isCommitted) return true;
    return this.#command('rollback').then(
      () => true,
      () => false,
    );
  }

  async release(isBroken: boolean): Promise<void> {
    const client = await this.#client?.catch(() => null);
    client?.release(isBroken);
  }

  #open(): Promise<pg.PoolClient> {
    this.#client ??= this.#deps.connect().then((client) => {
      this.#deps.runQuery(client, 'begin').catch(() => {});
      return client;
    });
    return this.#client;
  }

  #command(text: string): Promise<unknown> {
    return this.#open().then((client) => this.#deps.runQuery(client, text));
  }

  #query<R>(statement: Sql, options?: QueryOptions): Promise<R[]> {
    const rows = this.#open().then((client) => runOn<R>(this.#deps.runQuery, client, statement, options));
    rows.catch((error) => {
      this.#failure ??= { error };
    });
    return rows;
  }

  #createTx(): Tx {
    const { invalidate, wake, claims } = this.#deps;
    const tx = {
      emitted: [] as string[],
      query: <R>(statement: Sql, options?: QueryOptions) => this.#query<R>(statement, options),
      afterCommit: (action: () => void) => void this.onCommit.push(action),
      invalidate: (topic: string, key: string) => tx.afterCommit(() => invalidate(topic, key)),
      wake: (work: string, kind?: string) => tx.afterCommit(() => wake(work, kind)),
      claim: async (kind: string, value: string, accountId: string) =>
        claims.get(kind)?.(tx as unknown as Tx, value, accountId) ?? true,
      savepoint: <T>(run: () => Promise<T>) => this.#savepoint(run),
    };
    return tx as unknown as Tx;
  }

  #savepoints = 0;

  async #savepoint<T>(run: () => Promise<T>): Promise<T> {
    const name = `s${++this.#savepoints}`;
    const { emitted } = this.tx;
    const emittedBefore = emitted.length;
    const actionsBefore = this.onCommit.length;
    this.#command(`savepoint ${name}`).catch(() => {});
    try {
      const result = await run();
      this.#command(`release savepoint ${name}`).catch(() => {});
      return result;
    } catch (error) {
      if (isConnectionLoss(error)) throw error;
      await this.#command(`rollback to savepoint ${name}`);
      this.#failure = null;
      emitted.length = emittedBefore;
      this.onCommit.length = actionsBefore;
      throw error;
    }
  }
}

export function runOn<R>(
  runQuery: RunQuery,
  client: pg.PoolClient,
  statement: Sql,
  options?: QueryOptions,
): Promise<R[]> {
  return runQuery(client, statement.statement(), options?.timeoutMs) as Promise<R[]>;
}
