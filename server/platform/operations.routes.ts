/** What those who run the service look at: health, metrics, version. No token, no limits. */
import '@fastify/swagger';
import { Type } from 'typebox';
import { version } from '../../contract/version.ts';
import type { Db } from './db.ts';
import type { App } from './http.ts';
import type { Metrics } from './metrics.ts';
import { sql } from './sql.ts';

export interface OperationsDeps {
  db: Db;
  metrics: Metrics;
  /** False from the first moment of a shutdown: the load balancer should look elsewhere. */
  accepting: () => boolean;
}

const Health = Type.Object({ status: Type.String() });
const access = { public: true } as const;
const readyTimeoutMs = 2_000;

export function operationsRoutes(app: App, { db, metrics, accepting }: OperationsDeps): void {
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown';
    metrics.httpDuration.observe(
      { method: request.method, route, status: reply.statusCode },
      reply.elapsedTime / 1000,
    );
    done();
  });

  app.get(
    '/health/live',
    {
      config: { access },
      schema: { tags: ['Operations'], summary: 'Is the process alive', response: { 200: Health } },
    },
    async () => ({ status: 'ok' }),
  );

  app.get(
    '/health/ready',
    {
      config: { access },
      schema: {
        tags: ['Operations'],
        summary: 'Can the service take requests',
        response: { 200: Health, 503: Health },
      },
    },
    async (_request, reply) => {
      if (!accepting()) return reply.code(503).header('retry-after', '5').send({ status: 'stopping' });
      try {
        await db.query(sql`select 1`, { timeoutMs: readyTimeoutMs });
        return { status: 'ok' };
      } catch {
        return reply.code(503).header('retry-after', '1').send({ status: 'database unavailable' });
      }
    },
  );

  app.get(
    '/metrics',
    {
      config: { access },
      schema: {
        tags: ['Operations'],
        summary: 'Metrics for Prometheus',
        response: {
          200: { description: 'In its text format', content: { 'text/plain': { schema: Type.String() } } },
        },
      },
    },
    async (_request, reply) =>
      reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()),
  );

  app.get(
    '/version',
    {
      config: { access },
      schema: {
        tags: ['Operations'],
        summary: 'The release that answers',
        response: { 200: Type.Object({ version: Type.String() }) },
      },
    },
    async () => ({ version }),
  );
}
