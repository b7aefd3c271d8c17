/**
 * One transaction on one connection. It is opened by its first statement. Statements go out in the order in which they
 * are asked for, without waiting for each other, so BEGIN costs no round trip.
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
  /** The events that were emitted in this transaction, in order: what a dry run reports. */
  readonly emitted: EmittedEvent[];
  /** It holds a connection. Until then, reads through the pool leave it free to be a single statement. */
  readonly hasBegun: boolean;
  /**
   * Sends a write or a lock without waiting for it: the next statement, or the COMMIT, follows at once, so that locks
   * are held for one round trip less (200 changes of one record then take 0.7 of the time). If it fails, the
   * transaction fails.
   */
  send(statement: Sql): void;
  /**
   * Lets `commit` write in a transaction that several requests share, instead of this one. Null where that is not
   * possible (this transaction was used before, or holds more than the rule), or where `commit` answers null.
   */
  commitElsewhere<T>(commit: () => Promise<T | null>): Promise<T | null>;
  /** Sends the statement and the COMMIT together; nothing may be written afterwards. */
  queryAndCommit<R = Row>(statement: Sql): Promise<R[]>;
  /**
   * The rule's last write: in `runRule` the COMMIT goes out with it. Not inside a savepoint: what ends a part of a rule
   * does not end the rule.
   */
  queryLast<R = Row>(statement: Sql): Promise<R[]>;
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

export interface EmittedEvent {
  id: string;
  event: string;
  kanbanId: string | null;
  fieldId: string | null;
  /** The bytes that every delivery sends. */
  body: string;
}

export type Claim = (tx: Tx, value: string, accountId: string) => Promise<boolean>;

interface TransactionDeps {
  connect(): Promise<pg.PoolClient>;
  runQuery: RunQuery;
  invalidate(topic: string, key: string): void;
  wake(work: string, kind?: string): void;
  /** By kind. */
  claims: ReadonlyMap<string, Claim>;
  /** The transaction holds nothing but one rule, so its last statement may commit. */
  mayCommitWithLastQuery: boolean;
}

export class Transaction {
  readonly onCommit: (() => void)[] = [];
  readonly tx: Tx;
  readonly #deps: TransactionDeps;
  #client: Promise<pg.PoolClient> | null = null;
  #committed = false;
  /** Sent statements that were not awaited yet. */
  readonly #sent: Promise<unknown>[] = [];
  /** Why a sent statement failed. What came after it failed only because the transaction was lost. */
  failure: unknown = null;

  constructor(deps: TransactionDeps) {
    this.#deps = deps;
    this.tx = this.#createTx();
  }

  open(): Promise<pg.PoolClient> {
    if (!this.#client) {
      if (this.#committed)
        return Promise.reject(new Error('the rule was committed elsewhere and cannot use its transaction'));
      this.#client = this.#deps.connect().then((client) => {
        this.#deps.runQuery(client, 'begin').catch(() => {});
        return client;
      });
    }
    return this.#client;
  }

  get isCommitted(): boolean {
    return this.#committed;
  }

  async commitIfOpen(): Promise<void> {
    if (this.#client && !this.#committed) await this.#commit();
  }

  /** False: the connection cannot be used again. */
  async rollback(): Promise<boolean> {
    if (!this.#client || this.#committed) return true;
    return this.#command('rollback').then(
      () => true,
      () => false,
    );
  }

  async release(isBroken: boolean): Promise<void> {
    const client = await this.#client?.catch(() => null);
    client?.release(isBroken);
  }

  #command(text: string): Promise<unknown> {
    return this.open().then((client) => this.#deps.runQuery(client, text));
  }

  #run<R>(statement: Sql, options?: QueryOptions): Promise<R[]> {
    return this.open().then((client) => runOn<R>(this.#deps.runQuery, client, statement, options));
  }

  async #commit(): Promise<void> {
    // After a failed statement PostgreSQL takes COMMIT for a rollback: the statement's error is the one to report.
    const commit = this.#command('commit');
    commit.catch(() => {});
    await this.#settleSent();
    await commit;
    this.#committed = true;
  }

  async #settleSent(): Promise<void> {
    await Promise.all(this.#sent.splice(0));
  }

  #createTx(): Tx {
    const { mayCommitWithLastQuery, invalidate, wake, claims } = this.#deps;
    const hasBegun = () => this.#client !== null;
    const tx = {
      emitted: [] as EmittedEvent[],
      get hasBegun() {
        return hasBegun();
      },
      query: <R>(statement: Sql, options?: QueryOptions) => this.#run<R>(statement, options),
      send: (statement: Sql) => {
        const sent = this.#run(statement);
        sent.catch((error) => {
          this.failure ??= error;
        });
        this.#sent.push(sent);
      },
      commitElsewhere: async <T>(commit: () => Promise<T | null>): Promise<T | null> => {
        if (hasBegun() || !mayCommitWithLastQuery) return null;
        const result = await commit();
        if (result !== null) this.#committed = true;
        return result;
      },
      queryAndCommit: async <R>(statement: Sql): Promise<R[]> => {
        const rows = this.#run<R>(statement);
        this.#sent.push(rows);
        await this.#commit();
        return rows;
      },
      queryLast: <R>(statement: Sql) =>
        mayCommitWithLastQuery && this.#openSavepoints === 0
          ? tx.queryAndCommit<R>(statement)
          : this.#run<R>(statement),
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
  #openSavepoints = 0;

  async #savepoint<T>(run: () => Promise<T>): Promise<T> {
    const name = `s${++this.#savepoints}`;
    const { emitted } = this.tx;
    const emittedBefore = emitted.length;
    const actionsBefore = this.onCommit.length;
    await this.#settleSent();
    this.#command(`savepoint ${name}`).catch(() => {});
    this.#openSavepoints++;
    try {
      const result = await run();
      await this.#settleSent();
      this.#command(`release savepoint ${name}`).catch(() => {});
      return result;
    } catch (thrown) {
      const error = this.failure ?? thrown;
      if (isConnectionLoss(error)) throw error;
      await this.#command(`rollback to savepoint ${name}`);
      this.#sent.length = 0;
      this.failure = null;
      emitted.length = emittedBefore;
      this.onCommit.length = actionsBefore;
      throw error;
    } finally {
      this.#openSavepoints--;
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
