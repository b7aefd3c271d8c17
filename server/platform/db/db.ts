/**
 * The pool and its transactions. Reads take a `Reader` (pool or transaction), writes take a `Tx`, a type that
 * the pool does not satisfy, so that no write can slip out of its transaction. Connections run in pipeline
 * mode: BEGIN costs no round trip of its own, and `queryAndCommit` saves the one of COMMIT.
 */
import pg from 'pg';
import { AppError, busy, unavailable } from '../http/errors.ts';
import { createSharedWrites, type SharedWrite } from './batched-writes.ts';
import {
  isConnectionLoss,
  isOverload,
  isPoolTimeout,
  isServerFault,
  isTransientConflict,
} from './database-errors.ts';
import { createQueryDeadlines, QueryTimeout, type RunQuery } from './query-deadlines.ts';
import { createReachability } from './reachability.ts';
import { createSharedConnections } from './shared-connections.ts';
import type { Sql } from './sql.ts';

export {
  conflictCode,
  isConflict,
  isForeignKeyViolation,
  isRefusedValue,
  isUniqueViolation,
  isUnstorableText,
} from './database-errors.ts';

export type Row = Record<string, unknown>;

export interface Reader {
  query<R = Row>(statement: Sql, options?: QueryOptions): Promise<R[]>;
}

export interface QueryOptions {
  /** For work that is known to be long (deleting a field of all records); requests keep the default. */
  timeoutMs?: number;
}

declare const insideTransaction: unique symbol;

export interface Tx extends Reader {
  readonly [insideTransaction]: true;
  /** The events emitted in this transaction, in order: the result of a dry run. */
  readonly emitted: EmittedEvent[];
  /** Every statement commits on its own: locks of one are released before the next. */
  readonly isOneStatement: boolean;
  /**
   * Sends a write or a lock without waiting for it: the next statement, or the COMMIT, follows at once, so that locks
   * are held for one round trip less (200 changes of one record then take 0.7 of the time). If it fails, the
   * transaction fails.
   */
  send(statement: Sql): void;
  /**
   * Whether it was written. Where the statement is the whole transaction, it is shared with the writes of other
   * requests that come at the same time.
   */
  writeBatched<Item>(write: SharedWrite<Item>, item: Item): Promise<boolean>;
  /** Sends the statement and the COMMIT together; nothing may be written afterwards. */
  queryAndCommit<R = Row>(statement: Sql): Promise<R[]>;
  /** The rule's last statement: commits along with it where whoever opened the transaction has nothing to add. */
  queryLast<R = Row>(statement: Sql): Promise<R[]>;
  /** Runs after the commit, never after a rollback: for wake-ups and cache drops, not for work that must happen. */
  afterCommit(action: () => void): void;
  /** If `run` throws, its writes are rolled back and the transaction continues. */
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

export interface Db extends Reader {
  transaction<T>(run: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * One writing statement that commits by itself: the hot path, twice as fast as a transaction around it. It must
   * return a row if and only if it wrote: after an empty answer it may be tried again.
   */
  autocommit<T>(run: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * Reads issued at the same time share one connection and one network write: each additional connection would wake
   * another server process, which costs more than most reads.
   */
  readPipelined<T>(run: (reader: Reader) => Promise<T>): Promise<T>;
  /** A separate connection, for advisory locks that outlive a transaction. */
  connect(): Promise<pg.PoolClient>;
  stats(): { total: number; idle: number; waiting: number };
  close(): Promise<void>;
}

export interface TransactionOptions {
  /** `queryLast` may commit. */
  endsWithRule?: boolean;
}

export interface DbOptions {
  connection: pg.PoolConfig;
  poolSize?: number;
  onError?: (error: Error) => void;
}

const waitForConnectionMs = 2_000;
const queryTimeoutMs = 4_500;
/** Requests that wait for a connection: sixteen connections serve this many within the maximum wait. */
const maxWaiting = 1_000;
const notReachable = 'the database is not reachable right now';
const transactionTries = 4;

// ms timestamps and counters fit a double; the default parser would return them as strings.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export function createDb({ connection, poolSize = 16, onError = () => {} }: DbOptions): Db {
  const pool = new pg.Pool({
    max: poolSize,
    connectionTimeoutMillis: waitForConnectionMs,
    idle_in_transaction_session_timeout: 30_000,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    pipeline: true,
    application_name: 'talkboard',
    ...connection,
  });
  // A broken connection emits an event, and without a listener the event ends the process. The pool listens to idle
  // connections only; a connection in use needs only this empty listener, since its statements fail anyway.
  pool.on('error', onError);
  pool.on('connect', (client) => client.on('error', () => {}));
  const reachability = createReachability(pool.options);
  const { runQuery, stop } = createQueryDeadlines(queryTimeoutMs, reachability.answered);

  const take = async () => {
    // A request behind this many could not be served in time: reject it immediately.
    if (pool.waitingCount >= maxWaiting) throw busy();
    try {
      return await pool.connect();
    } catch (error) {
      throw await explain(error);
    }
  };

  /** The error for the client. Overload and an unreachable database look the same here, so reachability decides. */
  const explain = async (error: unknown): Promise<unknown> => {
    if (error instanceof AppError) return error;
    if (isOverload(error)) return busy();
    if (isServerFault(error)) return unavailable('the database cannot take this request right now');
    if (isPoolTimeout(error) || error instanceof QueryTimeout) {
      return (await reachability.isReachable()) ? busy() : unavailable(notReachable);
    }
    return isConnectionLoss(error) ? unavailable(notReachable) : error;
  };

  const readPipelined = async <T>(run: (reader: Reader) => Promise<T>): Promise<T> => {
    const client = await take();
    const sent: Promise<unknown>[] = [];
    try {
      const result = await run({
        query: <R>(statement: Sql, options?: QueryOptions) => {
          const rows = runOn<R>(runQuery, client, statement, options);
          sent.push(rows);
          return rows;
        },
      });
      client.release();
      return result;
    } catch (error) {
      // The next user of the connection must not wait for the remaining statements.
      await Promise.allSettled(sent);
      client.release(isConnectionLoss(error));
      throw await explain(error);
    }
  };

  const query = async <R>(statement: Sql, options?: QueryOptions): Promise<R[]> => {
    const client = await take();
    return runOn<R>(runQuery, client, statement, options).then(
      (rows) => {
        client.release();
        return rows;
      },
      async (error) => {
        client.release(isConnectionLoss(error));
        throw await explain(error);
      },
    );
  };

  const attempt = async <T>(run: (tx: Tx) => Promise<T>, options: TransactionOptions): Promise<T> => {
    const client = await take();
    const state = new TransactionState(client, runQuery, options.endsWithRule ?? false);
    let broken = false;
    try {
      runQuery(client, 'begin').catch(() => {});
      const result = await run(state.tx);
      if (!state.committed) await state.commit();
      return result;
    } catch (thrown) {
      const error = state.failure ?? thrown;
      broken = isConnectionLoss(error);
      if (!broken && !state.committed) {
        await runQuery(client, 'rollback').catch(() => {
          broken = true;
        });
      }
      state.onCommit.length = 0;
      throw await explain(error);
    } finally {
      client.release(broken);
      for (const action of state.onCommit) action();
    }
  };

  const onShared = createSharedConnections(take, isConnectionLoss);
  const sharedWrites = createSharedWrites({
    sendTogether: (key, statement) =>
      onShared(key, (client) => runOn(runQuery, client, statement)).catch(async (error) => {
        throw await explain(error);
      }),
    sendAlone: query,
    isConnectionLoss,
  });
  const runAlone = async <T>(run: (tx: Tx) => Promise<T>): Promise<T> => {
    const actions: (() => void)[] = [];
    let written = false;
    const checkIsFirst = () => {
      if (written) throw new Error('autocommit wrote twice; open a transaction instead');
    };
    const once = async <R>(statement: Sql, options?: QueryOptions): Promise<R[]> => {
      checkIsFirst();
      const rows = await query<R>(statement, options);
      written = rows.length > 0;
      return rows;
    };
    const tx = {
      query: once,
      queryAndCommit: once,
      queryLast: once,
      writeBatched: async <Item>(write: SharedWrite<Item>, item: Item) => {
        checkIsFirst();
        written = await sharedWrites.add(write, item);
        return written;
      },
      send: () => {
        throw new Error('autocommit must know what became of its statement');
      },
      emitted: [] as EmittedEvent[],
      isOneStatement: true,
      afterCommit: (action: () => void) => void actions.push(action),
      savepoint: () => Promise.reject(new Error('autocommit has no savepoints')),
    } as unknown as Tx;
    const result = await run(tx);
    for (const action of actions) action();
    return result;
  };

  return {
    query,
    readPipelined,
    transaction: (run, options = {}) => withRetries(() => attempt(run, options)),
    autocommit: (run) => withRetries(() => runAlone(run)),
    connect: take,
    stats: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => pool.end().finally(stop),
  };
}

async function withRetries<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await run();
    } catch (error) {
      if (!isTransientConflict(error)) throw error;
      if (tries >= transactionTries) throw busy('too many concurrent changes, please retry');
    }
  }
}

class TransactionState {
  readonly onCommit: (() => void)[] = [];
  committed = false;
  readonly tx: Tx;
  readonly #client: pg.PoolClient;
  readonly #runQuery: RunQuery;
  /** Statements that were sent and not awaited yet. */
  readonly #sent: Promise<unknown>[] = [];
  /** The first failure of a sent statement: later ones failed only because the transaction was aborted. */
  failure: unknown = null;

  constructor(client: pg.PoolClient, runQuery: RunQuery, endsWithRule: boolean) {
    this.#client = client;
    this.#runQuery = runQuery;
    let savepoints = 0;
    this.tx = {
      emitted: [] as EmittedEvent[],
      isOneStatement: false,
      query: <R>(statement: Sql, options?: QueryOptions) => runOn<R>(runQuery, client, statement, options),
      send: (statement: Sql) => {
        const sent = runOn(runQuery, client, statement);
        sent.catch((error) => {
          this.failure ??= error;
        });
        this.#sent.push(sent);
      },
      writeBatched: async <Item>(write: SharedWrite<Item>, item: Item) =>
        (await this.tx.query(write.statement([item]))).length > 0,
      queryAndCommit: async <R>(statement: Sql): Promise<R[]> => {
        const rows = runOn<R>(runQuery, client, statement);
        this.#sent.push(rows);
        await this.commit();
        return rows;
      },
      queryLast: <R>(statement: Sql) =>
        endsWithRule ? this.tx.queryAndCommit<R>(statement) : this.tx.query<R>(statement),
      afterCommit: (action: () => void) => void this.onCommit.push(action),
      savepoint: async <T>(run: () => Promise<T>): Promise<T> => {
        const name = `s${++savepoints}`;
        const emittedBefore = this.tx.emitted.length;
        const actionsBefore = this.onCommit.length;
        await this.#settleSent();
        runQuery(client, `savepoint ${name}`).catch(() => {});
        try {
          const result = await run();
          await this.#settleSent();
          runQuery(client, `release savepoint ${name}`).catch(() => {});
          return result;
        } catch (thrown) {
          const error = this.failure ?? thrown;
          if (isConnectionLoss(error)) throw error;
          await runQuery(client, `rollback to savepoint ${name}`);
          this.#sent.length = 0;
          this.failure = null;
          this.tx.emitted.length = emittedBefore;
          this.onCommit.length = actionsBefore;
          throw error;
        }
      },
    } as unknown as Tx;
  }

  async commit(): Promise<void> {
    // After a failed statement PostgreSQL treats COMMIT as a rollback: report the error of the statement.
    const commit = this.#runQuery(this.#client, 'commit');
    commit.catch(() => {});
    await this.#settleSent();
    await commit;
    this.committed = true;
  }

  async #settleSent(): Promise<void> {
    await Promise.all(this.#sent.splice(0));
  }
}

async function runOn<R>(
  runQuery: RunQuery,
  client: pg.PoolClient,
  statement: Sql,
  options?: QueryOptions,
): Promise<R[]> {
  return (await runQuery(client, statement.statement(), options?.timeoutMs)) as R[];
}
