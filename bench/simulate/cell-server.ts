/** One cell of a simulation: an embedded PostgreSQL of its own, small, that can be stopped and started again. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../server/platform/embedded-postgres/embedded-postgres.ts';
import { ADMIN_ROLE } from '../../server/platform/embedded-postgres/settings.ts';

export interface CellServer {
  name: string;
  url: string;
  connection: pg.PoolConfig;
  pid(): number | null;
  start(): Promise<void>;
  /** Further databases in the same PostgreSQL; their addresses. */
  createDatabases(names: readonly string[]): Promise<string[]>;
  /** Returns when no process of it is left. */
  stop(): Promise<void>;
}

/** Four of them share a machine with everything else. */
const small = {
  shared_buffers: '64MB',
  effective_cache_size: '512MB',
  work_mem: '4MB',
  max_connections: '120',
};
const quiet = { info() {}, warn() {}, error() {} };

/** `durable: false` for tests: a cell that is stopped properly loses nothing either. */
export async function startCellServer(parent: string, name: string, durable: boolean): Promise<CellServer> {
  const dataDir = join(parent, name);
  mkdirSync(dataDir, { mode: 0o700 });
  const settings = { ...small, cluster_name: name, ...(durable ? {} : { fsync: 'off' }) };
  let running: EmbeddedPostgres | null = await startEmbeddedPostgres({ dataDir, logger: quiet, settings });
  const { connection } = running;
  const urlOf = (database: string) =>
    `postgres://${connection.user}@${encodeURIComponent(connection.host)}:${connection.port}/${database}`;
  return {
    name,
    url: urlOf(connection.database),
    connection,
    pid: () => running?.pid() ?? null,
    async start() {
      running ??= await startEmbeddedPostgres({ dataDir, logger: quiet, settings });
    },
    async createDatabases(names) {
      const admin = new pg.Client({ ...connection, user: ADMIN_ROLE });
      await admin.connect();
      try {
        for (const one of names) await admin.query(`create database ${one} owner ${connection.user}`);
      } finally {
        await admin.end();
      }
      return names.map(urlOf);
    },
    async stop() {
      const stopping = running;
      running = null;
      await stopping?.stop();
    },
  };
}
