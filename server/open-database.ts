/** Apart from service.ts, so that the database starts while the modules of the service are loaded. */
import type { PoolConfig } from 'pg';
import type { Config } from './config.ts';
import { requireDatabase } from './platform/db/database-check.ts';
import { createDb, type Db } from './platform/db/db.ts';
import { startEmbeddedPostgres } from './platform/embedded-postgres/embedded-postgres.ts';
import type { Logger } from './platform/logger.ts';
import { ensureDataDir } from './platform/start/data-dir.ts';
import { againAfterTimeout } from './platform/start/start-error.ts';

export interface Database {
  connection: PoolConfig;
  queryTimeoutMs?: number;
  stop(): Promise<void>;
}

/** The server of DATABASE_URL, or the embedded one. `onBegun`: its process runs, or the first connection to it was begun. */
export async function openDatabase(
  config: Config,
  logger: Logger,
  onBegun: () => void = () => {},
): Promise<Database> {
  // Also if database and files are elsewhere: uploads check the free space there.
  ensureDataDir(config.dataDir);
  if (config.databaseUrl) {
    const connection = { connectionString: config.databaseUrl };
    const found = againAfterTimeout(() => requireDatabase(connection));
    onBegun();
    await found;
    return { connection, stop: async () => {} };
  }
  const embedded = await startEmbeddedPostgres({ dataDir: config.dataDir, logger, onSpawn: onBegun });
  return { connection: embedded.connection, stop: () => embedded.stop() };
}

export function connectDb(database: Database, logger: Logger): Db {
  return createDb({
    connection: database.connection,
    queryTimeoutMs: database.queryTimeoutMs,
    // Without a stack: it leads to the driver's socket, not to the caller.
    onError: ({ message }) => logger.warn({ reason: message }, 'a database connection was lost'),
    onFollowUpError: (error) => logger.error({ err: error }, 'what follows a commit failed'),
  });
}
