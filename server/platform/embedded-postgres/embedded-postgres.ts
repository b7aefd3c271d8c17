// A real PostgreSQL under DATA_DIR, for a service without DATABASE_URL: created at the first start, reachable only
// through a unix socket inside DATA_DIR, restarted when it dies, and never run twice on the same data.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Cluster, prepareCluster } from './cluster.ts';
import { acquireAfterCommands } from './data-dir-lock.ts';
import { trimLogRegularly } from './log.ts';
import { clearLeftovers, endServer } from './processes.ts';
import { type Connection, runServer, type ServerRun } from './server.ts';
import { DATABASE, PORT, SERVICE_ROLE, writeSettings } from './settings.ts';
import { openSocketDir } from './socket.ts';

export interface EmbeddedPostgresOptions {
  dataDir: string;
  logger: {
    info(o: object, m: string): void;
    warn(o: object, m: string): void;
    error(o: object, m: string): void;
  };
  /** The server's process runs; it may not answer yet. */
  onSpawn?: () => void;
  /** The server had died and can be used again; connections made before are broken. */
  onRestart?: () => void;
  /** PostgreSQL settings that differ from the defaults here, such as `fsync: 'off'` for a throw-away cluster. */
  settings?: Record<string, string>;
}

export interface EmbeddedPostgres {
  /** For pg.Pool and pg.Client: host is the directory of the socket. */
  connection: Connection;
  /** Null while the server is down. */
  pid(): number | null;
  /** Ends the server and releases the lock on DATA_DIR; waits for both. */
  stop(): Promise<void>;
}

const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 2_000;
/** A server that dies sooner may die again immediately; one that ran for a while was killed and is restarted. */
const STEADY_AFTER_MS = 2_000;

/** Takes the lock on DATA_DIR, for as long as the server runs. */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { dataDir, settings = {}, logger } = options;
  const lock = await acquireAfterCommands(dataDir, () =>
    logger.info({ dataDir }, 'waiting for a talkboard command that uses DATA_DIR'),
  );
  try {
    const cluster = await prepareCluster(dataDir, settings);
    const socket = await openSocketDir(cluster.dir);
    const connection = { host: socket.path, port: PORT, user: SERVICE_ROLE, database: DATABASE };
    try {
      const supervisor = await superviseServer(cluster, connection, options);
      const release = async () => {
        await supervisor.stop();
        await socket.close();
        await lock.release();
      };
      let stopping: Promise<void> | null = null;
      const stop = () => {
        stopping ??= release();
        return stopping;
      };
      return { connection, pid: supervisor.pid, stop };
    } catch (error) {
      await socket.close();
      throw error;
    }
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function superviseServer(cluster: Cluster, connection: Connection, options: EmbeddedPostgresOptions) {
  const { logger, onSpawn, onRestart, settings = {} } = options;
  const stopping = new AbortController();

  async function launch(): Promise<ServerRun> {
    const { endedPids } = await clearLeftovers(cluster);
    if (endedPids.length > 0) logger.warn({ endedPids }, 'ended PostgreSQL processes left by an earlier run');
    await writeSettings(cluster.dir, cluster.user, settings);
    const began = Date.now();
    const run = await runServer(cluster, connection, { onSpawn, stopped: stopping.signal });
    logger.info({ pid: run.pid, user: cluster.user.name, ms: Date.now() - began }, 'PostgreSQL is ready');
    return run;
  }

  let current: ServerRun | null = await launch();

  async function keepRunning(): Promise<void> {
    let delay = FIRST_DELAY_MS;
    while (!stopping.signal.aborted) {
      try {
        if (current === null) {
          await sleep(delay, undefined, { signal: stopping.signal });
          current = await launch();
          onRestart?.();
        }
        const since = Date.now();
        const reason = await current.exited;
        current = null;
        delay = Date.now() - since > STEADY_AFTER_MS ? FIRST_DELAY_MS : Math.min(delay * 2, MAX_DELAY_MS);
        if (!stopping.signal.aborted)
          logger.error({ reason }, 'PostgreSQL ended unexpectedly, restarting it');
      } catch (error) {
        delay = Math.min(delay * 2, MAX_DELAY_MS);
        if (!stopping.signal.aborted) logger.error({ err: error }, 'PostgreSQL could not be restarted');
      }
    }
  }

  // If the process ends without stop() (an uncaught error, process.exit), the server still shuts down.
  const shutDownAtExit = () => current?.interrupt();
  process.once('exit', shutDownAtExit);
  const log = trimLogRegularly(cluster.logFile, (err) =>
    logger.warn({ err }, "PostgreSQL's log was not trimmed"),
  );
  const supervision = keepRunning();

  return {
    pid: () => current?.pid ?? null,
    stop: async () => {
      stopping.abort();
      await endServer(cluster);
      // A running restart has seen the signal by now and ended what it had started.
      await supervision;
      await endServer(cluster);
      log.stop();
      process.off('exit', shutDownAtExit);
    },
  };
}
