/** What a process answers on HEALTH_PORT: health, metrics and version, nothing else. */
import type { ServiceContext } from './context.ts';
import { type App, createHttp } from './platform/http/http.ts';
import { operationsRoutes } from './platform/http/operations.routes.ts';

export function createOperationsApp({ logger, db, metrics, cellStatus, config }: ServiceContext): App {
  const app = createHttp(logger, async () => null);
  let accepting = true;
  app.addHook('preClose', async () => {
    accepting = false;
  });
  operationsRoutes(app, { db, metrics, cellStatus, config, accepting: () => accepting, isHealthPort: true });
  return app;
}
