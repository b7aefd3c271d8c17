/** Starts the roles of PROCESS_ROLE and stops them in reverse order. */
import { createServer } from 'node:net';
import { createApp } from './app.ts';
import { startCells } from './cells.ts';
import { type Config, readConfig } from './config.ts';
import { updateStoredContactKeys } from './features/sessions/sessions.ts';
import { createFirstAccount } from './first-start.ts';
import { createOperationsApp } from './operations-app.ts';
import { startFirstStatistics } from './platform/db/first-statistics.ts';
import { migrate } from './platform/db/migrate.ts';
import { createLogger } from './platform/logger.ts';
import { checkIsHome } from './platform/secrets/cell-name.ts';
import { exitOnFatalErrors } from './platform/start/fatal-errors.ts';
import { StartError } from './platform/start/start-error.ts';
import { releaseStartMemory } from './platform/start/start-memory.ts';
import { startTelemetry } from './platform/telemetry/telemetry.ts';
import { closeContext, connectDb, createContext, openDatabase } from './service.ts';
import { printFirstLogin, printWelcome } from './welcome.ts';
import { startWorker } from './worker.ts';

const stopWithinMs = 14_000;

async function main(): Promise<void> {
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
    const database = await openDatabase(config, logger);
    closers.push(() => database.stop());
    const db = connectDb(database, logger);
    closers.push(() => db.close());
    const applied = await migrate(db, { onWait: (message) => logger.warn({}, message) });
    if (applied.length > 0) logger.info({ applied }, 'migrated');
    await checkIsHome(db);
    await updateStoredContactKeys(db);
    const statistics = startFirstStatistics(db, logger);
    closers.push(() => statistics.stop());
    const context = await createContext(config, logger, db);
    closers.push(() => closeContext(context));
    telemetry?.exportMetrics(context.metrics.registry);
    // The embedded database's lock makes this the only process of the folder: every draft in it is abandoned.
    if (!config.databaseUrl) await context.blobs.drafts.removeOlderThan(0);
    const firstLogin = await createFirstAccount(context);
    // Printed at once: if anything below fails, the password would never be seen.
    if (firstLogin) printFirstLogin(firstLogin);
    const cells = config.cells.length > 0 ? await startCells(context, { createApp, startWorker }) : null;
    if (cells) closers.push(() => cells.close());
    if (config.role !== 'api') {
      const worker = await startWorker(context);
      closers.push(() => worker.stop());
    }
    if (config.role !== 'worker') {
      const app = await createApp(context);
      // With the apps of the cells: their connections are connections of this one's server.
      closers.push(() => Promise.all([app.close(), cells?.closeApps()]));
      if (cells) {
        await app.ready();
        cells.attach(app);
      }
      // For localhost Fastify opens a second server, which the cells would not see.
      const host = cells && config.host === 'localhost' ? '127.0.0.1' : config.host;
      await app.listen({ host, port: config.port }).catch((error) => {
        throw describeListenError(error, config);
      });
      const address = app.server.address();
      const port = typeof address === 'object' && address ? address.port : config.port;
      // Now that it can be called; and before the listener closes, so that no node calls it any more.
      await context.nodes?.announce(config.nodeUrl.replace(/:0$/, `:${port}`));
      closers.push(async () => context.nodes?.leave());
      printWelcome(config, port, firstLogin);
    } else if (config.healthPort !== null) {
      const app = createOperationsApp(context);
      closers.push(() => app.close());
      await app.listen({ host: config.host, port: config.healthPort }).catch((error) => {
        throw describeListenError(error, { host: config.host, port: config.healthPort! });
      });
    }
    logger.info({ role: config.role }, 'started');
    releaseStartMemory();
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

function describeListenError(
  error: NodeJS.ErrnoException,
  { host, port }: Pick<Config, 'host' | 'port'>,
): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new StartError(
        `Port ${port} of ${host} is in use by another program. Stop it, or set PORT to another number.`,
      );
    case 'EACCES':
      return new StartError(`This user may not listen on port ${port}. Set PORT to a number over 1023.`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StartError(
        `HOST ${host} is not an address of this machine. Set HOST to one of its addresses, or to 0.0.0.0.`,
      );
    default:
      return error;
  }
}

main().catch((error: Error) => {
  const told = error instanceof StartError ? error.message : (error.stack ?? error.message);
  console.error(`\nTalkboard could not start: ${told}\n`);
  process.exit(1);
});
