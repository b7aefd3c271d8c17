// One run of the server process, from spawn until the service's database is ready.
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { type Cluster, directoryArguments, spawnOptions } from './cluster.ts';
import { logSize, readLogSince, trimLog, withLogFile } from './log.ts';
import { endServer } from './processes.ts';
import { ADMIN_ROLE, DATABASE, SERVICE_ROLE } from './settings.ts';

export interface Connection {
  host: string;
  port: number;
  user: string;
  database: string;
  password?: string;
}

export interface ServerRun {
  pid: number;
  /** Resolves with the reason when the process has ended. */
  exited: Promise<string>;
  /** Starts a fast shutdown without waiting. */
  interrupt(): void;
}

const POLL_MS = 15;
const SILENCE_LIMIT_MS = 60_000;
const STARTING_UP = '57P03';
const NO_SUCH_DATABASE = '3D000';
const NO_SUCH_ROLE = '28000';
/**
 * Not listening yet, disconnected, overtaken by a pool that reconnects, or (no code) no answer within the timeout.
 */
const PASSING = new Set(['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EAGAIN', 'EPIPE', '57P01', '53300', '']);

interface RunOptions {
  stopped: AbortSignal;
  onSpawn?: () => void;
}

export async function runServer(
  cluster: Cluster,
  connection: Connection,
  { stopped, onSpawn }: RunOptions,
): Promise<ServerRun> {
  await trimLog(cluster.logFile);
  const logStart = await logSize(cluster.logFile);
  stopped.throwIfAborted();
  const run = spawnServer(cluster);
  onSpawn?.();
  let exitReason: string | null = null;
  void run.exited.then((reason) => {
    exitReason = reason;
  });
  try {
    await waitUntilUsable(connection, () => {
      stopped.throwIfAborted();
      if (exitReason !== null) throw new Error(`PostgreSQL ended while starting (${exitReason})`);
    });
    return run;
  } catch (error) {
    await endServer(cluster);
    const said = await readLogSince(cluster.logFile, logStart);
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`${message}${said ? `. It said:\n${said}` : ''}`, { cause: error });
  }
}

function spawnServer(cluster: Cluster): ServerRun {
  return withLogFile(cluster.logFile, (log) => {
    const child = spawn(cluster.binaries.postgres, directoryArguments(cluster), {
      ...spawnOptions(cluster),
      stdio: ['ignore', log, log],
      // A separate session: Ctrl-C in the terminal reaches only the service, which then stops the server last.
      detached: true,
    });
    const exited = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
    });
    return { pid: child.pid ?? 0, exited, interrupt: () => child.kill('SIGINT') };
  });
}

/** Recovery after a crash may take minutes: wait as long as the server answers that it is starting. */
async function waitUntilUsable(connection: Connection, checkRunning: () => void): Promise<void> {
  let lastAnswer = Date.now();
  let created = false;
  for (;;) {
    checkRunning();
    try {
      await withClient(connection, async () => {});
      return;
    } catch (error) {
      const { code = '' } = error as { code?: string };
      if (!created && (code === NO_SUCH_DATABASE || code === NO_SUCH_ROLE)) {
        await createRoleAndDatabase(connection);
        created = true;
      } else if (code === STARTING_UP) {
        lastAnswer = Date.now();
      } else if (!PASSING.has(code) || Date.now() - lastAnswer > SILENCE_LIMIT_MS) {
        throw error;
      }
    }
    await sleep(POLL_MS);
  }
}

/**
 * The service's role owns its database but is not a superuser, so an injected statement could not run programs or
 * read files; the extensions it needs are trusted, which an owner may create.
 */
async function createRoleAndDatabase(connection: Connection): Promise<void> {
  await withClient({ ...connection, user: ADMIN_ROLE, database: 'postgres' }, async (client) => {
    const roles = await client.query('select rolname from pg_roles where rolname = $1', [SERVICE_ROLE]);
    if (roles.rowCount === 0) await client.query(`create role ${SERVICE_ROLE} login createdb`);
    const databases = await client.query('select datname from pg_database where datname = $1', [DATABASE]);
    if (databases.rowCount === 0) await client.query(`create database ${DATABASE} owner ${SERVICE_ROLE}`);
  });
}

async function withClient(connection: Connection, use: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ ...connection, ssl: false, connectionTimeoutMillis: 5_000 });
  // A connection lost with a dying server also fails the pending call; without a listener it would end the process.
  client.on('error', () => {});
  try {
    await client.connect();
    await use(client);
  } finally {
    await client.end().catch(() => {});
  }
}
