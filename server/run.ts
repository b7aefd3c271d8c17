/**
 * Starts the process and stops its parts in reverse order. It imports little, so that the database starts before the
 * modules of the service are loaded, and beside them.
 */
import { flushCompileCache } from 'node:module';
import { readConfig, withPort } from './config.ts';
import { connectDb, openDatabase } from './open-database.ts';
import type { Db } from './platform/db/db.ts';
import { migrate } from './platform/db/migrate.ts';
import { createLogger } from './platform/logger.ts';
import { exitOnFatalErrors } from './platform/start/fatal-errors.ts';
import { reservePort } from './platform/start/reserve-port.ts';
import { againAfterTimeout, StartError } from './platform/start/start-error.ts';
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
  const settings = readConfig();
  const logger = createLogger(settings.logLevel);
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
    const reserved = settings.role === 'worker' ? null : await reservePort(settings);
    if (reserved) closers.push(() => reserved.release());
    const config = reserved ? withPort(settings, reserved.port) : settings;
    // Stopped last: it sends what the other parts still record while they stop.
    const telemetry = await startTelemetry(config.telemetry);
    if (telemetry) closers.push(() => telemetry.stop());
    const begun = Promise.withResolvers<void>();
    const prepareDatabase = async (): Promise<Db> => {
      const database = await openDatabase(config, logger, begun.resolve);
      closers.push(() => database.stop());
      const db = connectDb(database, logger);
      closers.push(() => db.close());
      const onWait = (message: string) => logger.warn({}, message);
      const applied = await againAfterTimeout(() => migrate(db, { onWait }));
      if (applied.length > 0) logger.info({ applied }, 'migrated');
      return db;
    };
    const preparing = prepareDatabase();
    // Node loads the modules in one block, in which nothing else happens: the database must be on its way before.
    const loading = Promise.race([begun.promise, preparing]).then(() => import('./serve.ts'));
    const [db, { serve, warmUp }] = await Promise.all([preparing, loading]);
    await serve({ config, logger, db, telemetry, closers, releasePort: reserved?.release ?? null });
    logger.info({ role: config.role }, 'started');
    releaseStartMemory();
    flushCompileCache();
    warmUp(config);
  };
  const started = start();
  try {
    await started;
  } catch (error) {
    await close();
    throw error;
  }
}
