/**
 * Reads of a few rows by an index. Those that arrive in the same turn of the event loop share a connection, one network
 * write and one wake-up of a server process: together these cost more than such a read itself. A long read would keep
 * the others waiting, so it does not belong here.
 */
import type pg from 'pg';
import type { RunQuery } from '../query-deadlines.ts';
import type { Sql } from '../sql.ts';
import { type QueryOptions, type Reader, runOn } from '../transaction.ts';

/** More are spread over several connections: server processes run on all cores. */
const readsPerConnection = 8;

interface Waiting {
  statement: Sql;
  options: QueryOptions | undefined;
  resolve(rows: unknown[]): void;
  reject(error: unknown): void;
}

interface QuickReadsDeps {
  take(): Promise<pg.PoolClient>;
  runQuery: RunQuery;
  isConnectionLoss(error: unknown): boolean;
  /** The error for the client. */
  explain(error: unknown): Promise<unknown>;
}

export function createQuickReads({ take, runQuery, isConnectionLoss, explain }: QuickReadsDeps): Reader {
  let waiting: Waiting[] = [];

  const send = async (reads: readonly Waiting[]): Promise<void> => {
    let client: pg.PoolClient;
    try {
      client = await take();
    } catch (error) {
      for (const { reject } of reads) reject(error);
      return;
    }
    let left = reads.length;
    let isBroken = false;
    const leave = () => {
      if (--left === 0) client.release(isBroken);
    };
    for (const { statement, options, resolve, reject } of reads) {
      runOn(runQuery, client, statement, options).then(
        (rows) => {
          leave();
          resolve(rows);
        },
        (error) => {
          isBroken ||= isConnectionLoss(error);
          leave();
          explain(error).then(reject, reject);
        },
      );
    }
  };
  const sendAll = () => {
    const reads = waiting;
    waiting = [];
    for (let first = 0; first < reads.length; first += readsPerConnection) {
      void send(reads.slice(first, first + readsPerConnection));
    }
  };

  return {
    query: <R>(statement: Sql, options?: QueryOptions) =>
      new Promise<R[]>((resolve, reject) => {
        // After all sockets that are readable now were read.
        if (waiting.length === 0) setImmediate(sendAll);
        waiting.push({ statement, options, resolve: resolve as Waiting['resolve'], reject });
      }),
  };
}
