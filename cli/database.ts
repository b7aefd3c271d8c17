/**
 * The database of a command: that of DATABASE_URL, the embedded one of the running service, or, if none runs, the
 * embedded one started for the command and stopped after it.
 */
import { chownSync, existsSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { PoolConfig } from 'pg';
import { type Config, readConfig } from '../server/config.ts';
import { homeCell } from '../server/platform/cells/cell-settings.ts';
import { findConnectionProblem, requireDatabase } from '../server/platform/db/database-check.ts';
import { createDb, type Db } from '../server/platform/db/db.ts';
import { findSchemaProblem, migrationStatus } from '../server/platform/db/migrate.ts';
import {
  acquireDataDirLock,
  commandDir,
  DataDirInUse,
  type DataDirLock,
} from '../server/platform/embedded-postgres/data-dir-lock.ts';
import { startEmbeddedPostgres } from '../server/platform/embedded-postgres/embedded-postgres.ts';
import { DATABASE, PORT, SERVICE_ROLE } from '../server/platform/embedded-postgres/settings.ts';
import { openSocketDir } from '../server/platform/embedded-postgres/socket.ts';
import { ensureDataDir } from '../server/platform/start/data-dir.ts';
import { reasonOf } from '../server/platform/start/start-error.ts';
import { CommandError, type Terminal } from './command.ts';

export interface OpenedDatabase {
  connection: PoolConfig;
  /** `attached`: to the embedded server of a running service. */
  how: 'url' | 'attached' | 'started';
  close(): Promise<void>;
}

const startingServiceMs = 30_000;
const otherCommandMs = 60_000;
const retryMs = 50;

/** `npm start` runs in the project's folder, a command anywhere: without DATA_DIR both mean the folder there. */
export function readSettings({ env }: Terminal): Config {
  const dataDir = env.DATA_DIR?.trim() || resolve(fileURLToPath(new URL('..', import.meta.url)), 'data');
  return readConfig({ ...env, DATA_DIR: dataDir });
}

export async function openDatabase(config: Config, terminal: Terminal): Promise<OpenedDatabase> {
  if (config.databaseUrl) {
    const connection = { connectionString: config.databaseUrl };
    await requireDatabase(connection);
    return { connection, how: 'url', close: async () => {} };
  }
  ensureDataDir(config.dataDir);
  const turn = await waitForTurn(config.dataDir);
  try {
    const logger = {
      info() {},
      warn: (_: object, message: string) => terminal.say(message),
      error: (_: object, message: string) => terminal.say(message),
    };
    const server = await startEmbeddedPostgres({ dataDir: config.dataDir, logger });
    const close = async () => {
      await server.stop();
      await turn.release();
    };
    return { connection: server.connection, how: 'started', close };
  } catch (error) {
    await turn.release();
    if (error instanceof DataDirInUse) return attach(config.dataDir);
    throw error;
  }
}

/** The database of a cell; home, or no name: as above. */
export async function openCellDatabase(
  config: Config,
  terminal: Terminal,
  cell: string | undefined,
): Promise<OpenedDatabase & { cell: string | null }> {
  if (cell === undefined || cell === homeCell) {
    return { ...(await openDatabase(config, terminal)), cell: null };
  }
  const settings = config.cells.find(({ name }) => name === cell);
  if (!settings) {
    const names = [homeCell, ...config.cells.map(({ name }) => name)];
    throw new CommandError(`there is no cell "${cell}", only ${names.join(', ')}`);
  }
  const connection = { connectionString: settings.url };
  await requireDatabase(connection, `of the cell ${cell}`);
  return { connection, how: 'url', close: async () => {}, cell };
}

/**
 * A command that has started the server keeps its lock until it has stopped it; otherwise a second command would
 * attach to that server and lose it half-way. Beside a running service the lock is held only for a moment.
 */
async function waitForTurn(dataDir: string): Promise<DataDirLock> {
  const folder = commandDir(dataDir);
  const deadline = Date.now() + otherCommandMs;
  for (;;) {
    try {
      const lock = await acquireDataDirLock(folder);
      lendToOwner(dataDir, [folder, join(folder, 'service.lock')]);
      return lock;
    } catch (error) {
      if (!(error instanceof DataDirInUse)) throw error;
      if (Date.now() > deadline) {
        throw new CommandError(`another talkboard command has been using ${dataDir} for a minute`);
      }
    }
    await sleep(retryMs);
  }
}

/** Files that root creates in another user's folder must not lock that user out. */
export function lendToOwner(dataDir: string, paths: string[]): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dataDir);
  if (uid !== 0) for (const path of paths) chownSync(path, uid, gid);
}

/** The service may just be starting: wait for its server. */
async function attach(dataDir: string): Promise<OpenedDatabase> {
  const clusterDir = join(realpathSync(dataDir), 'postgres', 'data');
  const deadline = Date.now() + startingServiceMs;
  for (;;) {
    const socket = existsSync(clusterDir) ? await openSocketDir(clusterDir) : null;
    const host = socket?.path ?? clusterDir;
    const connection = { host, port: PORT, user: SERVICE_ROLE, database: DATABASE };
    const problem = await findConnectionProblem(connection);
    if (problem === null) return { connection, how: 'attached', close: async () => socket?.close() };
    await socket?.close();
    if (Date.now() > deadline || (problem as { code?: string }).code === 'EACCES') {
      throw new CommandError(
        `a service uses ${dataDir}, but its database cannot be reached (${reasonOf(problem)}). ` +
          'Run the command as the user who runs the service, or as root.',
      );
    }
    await sleep(retryMs);
  }
}

/** For commands that use the service's tables: these must exist, as this release knows them. */
export async function withService<T>(
  terminal: Terminal,
  use: (db: Db, config: Config) => Promise<T>,
): Promise<T> {
  return withDatabase(terminal, async (db, config) => {
    const problem = await findSchemaProblem(db);
    if (problem) throw new CommandError(problem);
    const { pending } = await migrationStatus(db);
    if (pending.length > 0) {
      throw new CommandError(
        `the database (${config.databaseUrl ? 'of DATABASE_URL' : config.dataDir}) lacks ${pending.length} ` +
          'migration(s): start the service, or run talkboard migrate. If the service runs elsewhere, give this command ' +
          'the same DATA_DIR or DATABASE_URL.',
      );
    }
    return use(db, config);
  });
}

export async function withDatabase<T>(
  terminal: Terminal,
  use: (db: Db, config: Config) => Promise<T>,
): Promise<T> {
  const config = readSettings(terminal);
  const database = await openDatabase(config, terminal);
  try {
    const db = createDb({
      connection: { ...database.connection, application_name: 'talkboard-cli' },
      poolSize: 4,
    });
    try {
      return await use(db, config);
    } finally {
      await db.close();
    }
  } finally {
    await database.close();
  }
}
