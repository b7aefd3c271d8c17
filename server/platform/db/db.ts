/**
 * The pool and its transactions. Reads take a `Reader` (pool or transaction), writes take a `Tx`, a type that
 * the pool does not satisfy, so that no write can slip out of its transaction. Connections run in pipeline
 * mode: BEGIN costs no round trip of its own.
 */
import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { AppError, busy, unavailable } from '../http/errors.ts';
import {
  createSlowStatements,
  outsideHousekeeping,
  type SlowStatement,
} from '../telemetry/slow-statements.ts';
import { outsideTraces } from '../telemetry/tracing.ts';
import {
  isAccountMoving,
  isConnectionLoss,
  isConnectTimeout,
  isOverload,
  isPoolTimeout,
  isServerFault,
  isTransientConflict,
} from './database-errors.ts';
import { createQueryDeadlines, QueryTimeout } from './query-deadlines.ts';
import { createReachability } from './reachability.ts';
import { checkWritable, createServerSearch, type Located, readOnlyCode, serversOf } from './servers.ts';
import { createQuickReads } from './shared/quick-reads.ts';
import { createSharedConnections } from './shared/shared-connections.ts';
import type { Sql } from './sql.ts';
import {
  type Claim,
  type QueryOptions,
  type Reader,
  type Row,
  runOn,
  Transaction,
  type Tx,
} from './transaction.ts';

export {
  conflictCode,
  isConflict,
  isForeignKeyViolation,
  isRefusedValue,
  isUniqueViolation,
  isUnstorableText,
} from './database-errors.ts';
export type { Reader, Row, Tx } from './transaction.ts';

export interface Db extends Reader {
  transaction<T>(run: Rule<T>): Promise<T>;
  /**
   * One writing statement that commits itself, without BEGIN and COMMIT. Retried after a deadlock. `isSilent`: it changes
   * nothing that clients see, so its commit is not reported. Statements with the same `shareKey` run one after
   * the other on a connection that they share.
   */
  autocommit<R = Row>(statement: Sql, options?: { isSilent?: boolean; shareKey?: string }): Promise<R[]>;
  /** Listens to `Tx.invalidate`. */
  onInvalidate(topic: string, drop: (key: string) => void): void;
  /** Listens to `Tx.wake` and `wake`; the returned function ends that. */
  onWake(work: string, look: (kind?: string) => void): () => void;
  /** After each commit of this process, whatever it wrote. The returned function ends that. */
  onCommit(look: () => void): () => void;
  /** For work that is already committed. */
  wake(work: string, kind?: string): void;
  /** Answers `Tx.claim` from now on; needed where accounts live in several databases. */
  onClaim(kind: string, claim: Claim): void;
  /**
   * Reads issued at the same time share one connection and one network write: each additional connection would wake
   * another server process, which costs more than most reads.
   */
  readPipelined<T>(run: (reader: Reader) => Promise<T>): Promise<T>;
  /** For reads of a few rows by an index: those that are asked for at the same time share a connection. */
  readonly quick: Reader;
  /** For a connection outside the pool. */
  readonly connection: pg.PoolConfig;
  /** A separate connection, for advisory locks that outlive a transaction. */
  connect(): Promise<pg.PoolClient>;
  stats(): { total: number; idle: number; waiting: number };
  /** Those of this process. */
  slowStatements(): SlowStatement[];
  close(): Promise<void>;
}

export type Rule<T> = (tx: Tx) => Promise<T>;

export interface DbOptions {
  connection: pg.PoolConfig;
  poolSize?: number;
  /** A statement that takes longer is ended, with its connection. */
  queryTimeoutMs?: number;
  onError?: (error: Error) => void;
  /** A step after a commit failed: the commit is valid, and its caller does not see the error. */
  onFollowUpError?: (error: unknown) => void;
}

const waitForConnectionMs = 2_000;
const usualQueryTimeoutMs = 4_500;
/** With several servers, a connection that fails this soon is tried once more. */
const retryWithinMs = 500;
/** Requests that wait for a connection: sixteen connections serve this many within the maximum wait. */
const maxWaiting = 1_000;
const notReachable = 'the database is not reachable right now';
const transactionTries = 10;
/** Before each next try, at random and up to this and twice as much each time: those in conflict must not meet again. */
const firstRetryPauseMs = 2;
const longestRetryPauseMs = 50;

// ms timestamps and counters fit a double; the default parser would return them as strings.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export function createDb({
  connection,
  poolSize = 16,
  queryTimeoutMs = usualQueryTimeoutMs,
  onError = () => {},
  onFollowUpError = () => {},
}: DbOptions): Db {
  const servers = serversOf(connection);
  const hasStandbys = servers.length > 1;
  const search = createServerSearch(servers, waitForConnectionMs);
  /** Connects to the server in use at that moment, and remembers it. */
  class LocatedClient extends pg.Client {
    readonly located: Located;

    constructor(options: pg.ClientConfig) {
      const located = search.latest;
      super(hasStandbys ? { ...options, ...located.server.connection } : options);
      this.located = located;
    }
  }
  const locatedOf = (client: pg.ClientBase) => (client as unknown as LocatedClient).located;
  const pool = new pg.Pool({
    max: poolSize,
    connectionTimeoutMillis: waitForConnectionMs,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    pipeline: true,
    application_name: 'talkboard',
    ...connection,
    Client: LocatedClient,
    // A server that is a standby now must not answer reads with old data. One server is taken as it is.
    ...(hasStandbys && { onConnect: (client: pg.Client) => checkWritable(client, waitForConnectionMs) }),
  } as unknown as pg.PoolConfig);
  // A broken connection emits an event, and without a listener the event ends the process. The pool listens to idle
  // connections only; a connection in use needs only this empty listener, since its statements fail anyway.
  pool.on('error', (error, client) => {
    search.lost(locatedOf(client));
    onError(error);
  });
  pool.on('connect', (client) => client.on('error', () => {}));
  const reachability = createReachability(pool.options);
  const slow = createSlowStatements();
  const { runQuery, stop } = createQueryDeadlines(
    queryTimeoutMs,
    reachability.answered,
    (client, error) => noteFailure(locatedOf(client), error),
    slow.note,
  );

  const noteFailure = (located: Located | null, error: unknown) => {
    if ((error as { code?: string } | null)?.code === readOnlyCode) search.isReadOnly(located);
    else if (isConnectionLoss(error)) search.lost(located);
  };

  const connectOnce = async (): Promise<pg.PoolClient> => {
    for (;;) {
      const located = search.current ?? (await search.locate());
      try {
        const client = await pool.connect();
        if (locatedOf(client) === search.current) return client;
        // Made before the service moved to another server.
        client.release(true);
      } catch (error) {
        noteFailure(located, error);
        throw error;
      }
    }
  };

  const take = async (): Promise<pg.PoolClient> => {
    // A request behind this many could not be served in time: reject it immediately.
    if (pool.waitingCount >= maxWaiting) throw busy();
    const began = performance.now();
    try {
      return await connectOnce().catch((error) => {
        // Nothing was sent yet: if the server has just gone, another may be there already.
        const isServerGone = hasStandbys && !search.current && performance.now() - began < retryWithinMs;
        // The pool ties a request to the connection that it makes. Meanwhile others may have become free.
        const mayUseOther = isConnectTimeout(error) && pool.idleCount > 0;
        if (!isServerGone && !mayUseOther) throw error;
        return connectOnce();
      });
    } catch (error) {
      throw await explain(error);
    }
  };

  /** The error for the client. Overload and an unreachable database look the same here, so reachability decides. */
  const explain = async (error: unknown): Promise<unknown> => {
    if (error instanceof AppError) return error;
    if (isOverload(error)) return busy();
    if (isAccountMoving(error)) return unavailable('the account is moving to another database', 1);
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

  const onShared = createSharedConnections(take, isConnectionLoss);
  const queryShared = <R>(shareKey: string, statement: Sql): Promise<R[]> =>
    onShared(shareKey, (client) => runOn<R>(runQuery, client, statement)).catch(async (error) => {
      throw await explain(error);
    });

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

  const claims = new Map<string, Claim>();
  const invalidation = new EventEmitter().setMaxListeners(0);
  const wakes = new EventEmitter().setMaxListeners(0);
  const wake = (work: string, kind?: string) => void wakes.emit(work, kind);
  const commits = new EventEmitter().setMaxListeners(0);
  const committed = () => void commits.emit('commit');
  /** A caller that sees a failure would repeat what is committed. */
  const followUp = (action: () => void) => {
    try {
      outsideTraces(() => outsideHousekeeping(action));
    } catch (error) {
      onFollowUpError(error);
    }
  };
  const attempt = async <T>(run: Rule<T>): Promise<T> => {
    const transaction = new Transaction({
      connect: take,
      runQuery,
      invalidate: (topic, key) => void invalidation.emit(topic, key),
      wake,
      claims,
    });
    let broken = false;
    try {
      const result = await run(transaction.tx);
      await transaction.commit();
      return result;
    } catch (error) {
      broken = isConnectionLoss(error) || !(await transaction.rollback());
      transaction.onCommit.length = 0;
      throw await explain(error);
    } finally {
      await transaction.release(broken);
      for (const action of transaction.onCommit) followUp(action);
      if (transaction.isCommitted) followUp(committed);
    }
  };

  return {
    query,
    readPipelined,
    quick: createQuickReads({ take, runQuery, isConnectionLoss, explain }),
    transaction: (run) => withRetries(() => attempt(run)),
    async autocommit<R>(
      statement: Sql,
      { isSilent = false, shareKey }: { isSilent?: boolean; shareKey?: string } = {},
    ) {
      const rows = await withRetries(() =>
        shareKey === undefined ? query<R>(statement) : queryShared<R>(shareKey, statement),
      );
      if (!isSilent) followUp(committed);
      return rows;
    },
    onInvalidate: (topic, drop) => void invalidation.on(topic, drop),
    onWake: (work, look) => {
      wakes.on(work, look);
      return () => void wakes.off(work, look);
    },
    onCommit: (look) => {
      commits.on('commit', look);
      return () => void commits.off('commit', look);
    },
    wake,
    onClaim: (kind, claim) => void claims.set(kind, claim),
    connection,
    connect: take,
    stats: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    slowStatements: slow.list,
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
      await delay(Math.random() * Math.min(firstRetryPauseMs * 2 ** (tries - 1), longestRetryPauseMs));
    }
  }
}
