/**
 * Starts the process and stops its parts in reverse order. It imports little, so that the database starts before the
 * modules of the service are loaded, and beside them.
 */
import { flushCompileCache } from 'node:module';
import { createServer } from 'node:net';
import { type Config, readConfig } from './config.ts';
import { connectDb, openDatabase } from './open-database.ts';
import type { Db } from './platform/db/db.ts';
import { migrate } from './platform/db/migrate.ts';
import { createLogger } from './platform/logger.ts';
import { exitOnFatalErrors } from './platform/start/fatal-errors.ts';
import { describeListenError } from './platform/start/listen-error.ts';
import { expectParts } from './platform/start/optional-parts.ts';
import { StartError } from './platform/start/start-error.ts';
import { releaseStartMemory } from './platform/start/start-memory.ts';
import { startTelemetry } from './platform/telemetry/telemetry.ts';

const stopWithinMs = 14_000;

export async function run(): Promise<void> {
  await runUntilStopped().catch((error: Error) => {
    const told = error instanceof StartError ? error.message : (error.stack ?? error.message);
    console.error(`\nTalkboard could not start: ${told}\n`);
    process.exit(1);
  });
}

async function runUntilStopped(): Promise<void> {
  const config = readConfig();
  const logger = createLogger(config.logLevel);
  exitOnFatalErrors(logger);
  const closers: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const step of closers.splice(0).reverse()) {
      await step().catch((error) => logger.error({ err: error }, 'stopping a part failed'));
    }
  };

  let stopping = false;
  const stop = async (signal: string) => {
    if (stopping) return;
    stopping = true;
    logger.info({ signal }, 'stopping');
    // A hanging part must not keep the process alive: unfinished work is resumed by the next start.
    setTimeout(() => {
      logger.error({}, 'stopping took too long');
      process.exit(1);
    }, stopWithinMs).unref();
    await started.catch(() => {});
    await close();
    process.exit(0);
  };
  process.on('SIGTERM', () => void stop('SIGTERM'));
  process.on('SIGINT', () => void stop('SIGINT'));

  const start = async () => {
    // Before anything is created: a first start that cannot listen would print a password and then fail.
    if (config.role !== 'worker') await checkPort(config);
    // Stopped last: it sends what the other parts still record while they stop.
    const telemetry = await startTelemetry(config.telemetry);
    if (telemetry) closers.push(() => telemetry.stop());
    const prepareDatabase = async (): Promise<Db> => {
      const database = await openDatabase(config, logger);
      closers.push(() => database.stop());
      const db = connectDb(database, logger);
      closers.push(() => db.close());
      const applied = await migrate(db, { onWait: (message) => logger.warn({}, message) });
      if (applied.length > 0) logger.info({ applied }, 'migrated');
      return db;
    };
    const parts = expectParts(logger, { isFetched: config.fetchesParts });
    const [db, { serve }] = await Promise.all([prepareDatabase(), import('./serve.ts')]);
    try {
      await serve({ config, logger, db, telemetry, closers });
    } finally {
      // Stopped first: jobs of the worker may wait for them.
      closers.push(() => parts.stop());
    }
    logger.info({ role: config.role }, 'started');
    releaseStartMemory();
    flushCompileCache();
    parts.add();
  };
  const started = start();
  try {
    await started;
  } catch (error) {
    await close();
    throw error;
  }
}

async function checkPort(config: Config): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(describeListenError(error, config)));
    server.listen({ host: config.host, port: config.port }, () => server.close(() => resolve()));
  });
}
