/** Starts the roles of PROCESS_ROLE on a migrated database. run.ts loads this while the database starts. */
import { createApp } from './app.ts';
import { startCells } from './cells.ts';
import type { Config } from './config.ts';
import { updateStoredContactKeys } from './features/sessions/sessions.ts';
import { createFirstAccount } from './first-start.ts';
import { createOperationsApp } from './operations-app.ts';
import type { Db } from './platform/db/db.ts';
import { startFirstStatistics } from './platform/db/first-statistics.ts';
import type { Logger } from './platform/logger.ts';
import { checkIsHome } from './platform/secrets/cell-name.ts';
import { describeListenError } from './platform/start/reserve-port.ts';
import type { Telemetry } from './platform/telemetry/telemetry.ts';
import { closeContext, createContext } from './service.ts';
import { printFirstLogin, printWelcome } from './welcome.ts';
import { startWorker, warmUpWorker } from './worker.ts';

export interface Foundation {
  config: Config;
  logger: Logger;
  db: Db;
  telemetry: Telemetry | null;
  /** Receives how to stop each part; the last one is stopped first. */
  closers: (() => Promise<unknown>)[];
  /** The port is reserved until this is called; null: none is. */
  releasePort: (() => Promise<void>) | null;
}

/** Connections that wait to be accepted. With Node's 511 a burst of clients loses some, and these try again after a second. */
const maxBacklog = 4_096;

export async function serve(foundation: Foundation): Promise<void> {
  const { config, logger, db, telemetry, closers, releasePort } = foundation;
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
    await app.ready();
    cells?.attach(app);
    // For localhost Fastify opens a second server, which the cells would not see.
    const host = cells && config.host === 'localhost' ? '127.0.0.1' : config.host;
    await releasePort?.();
    await app.listen({ host, port: config.port, backlog: maxBacklog }).catch((error) => {
      throw describeListenError(error, config);
    });
    // Now that it can be called. It leaves before the listener closes, so that no node calls it in between.
    await context.nodes?.announce(config.nodeUrl);
    closers.push(async () => context.nodes?.leave());
    printWelcome(config.publicUrl, firstLogin);
  }
  // The image sets one port for both: a worker has no other, the others answer health checks on PORT already.
  const isOwnPort = config.role === 'worker' || config.healthPort !== config.port;
  if (config.healthPort !== null && isOwnPort) {
    const app = createOperationsApp(context);
    closers.push(() => app.close());
    await app.listen({ host: config.host, port: config.healthPort }).catch((error) => {
      throw describeListenError(error, { host: config.host, port: config.healthPort! });
    });
  }
}

/** What the first requests would otherwise wait for. Called once the service is ready. */
export function warmUp({ role }: Config): void {
  if (role !== 'api') setImmediate(warmUpWorker);
}
