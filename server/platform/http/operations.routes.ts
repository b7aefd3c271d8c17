/** Endpoints for operators: health, metrics, version. No token, no limits. */
import type {} from '@fastify/swagger';
import { Type } from '../../../contract/shapes/type.ts';
import { choice } from '../../../contract/shapes/values.ts';
import { version } from '../../../contract/version.ts';
import type { Db } from '../db/db.ts';
import { listSteps } from '../jobs/housekeeping.ts';
import { AppError } from './errors.ts';
import type { App } from './http.ts';
import type { Metrics } from './metrics.ts';
import { type DiskSettings, readChecks } from './ready-checks.ts';

export interface OperationsDeps {
  db: Db;
  metrics: Metrics;
  /** False from the start of a shutdown: the load balancer should stop sending requests. */
  accepting: () => boolean;
  /** Null: the service has one database. */
  cellStatus: (() => Promise<CellStatus[]>) | null;
  config: DiskSettings;
}

export interface CellStatus {
  name: string;
  status: 'ok' | 'unavailable';
}

const Health = Type.Object({ status: Type.String() });
const Ready = Type.Object({
  status: Type.String(),
  housekeeping: Type.Array(
    Type.Object({
      step: Type.String(),
      lastSuccessAt: Type.Union([Type.Number(), Type.Null()], {
        description: 'Unix epoch milliseconds; null: not yet.',
      }),
    }),
    { description: 'When each housekeeping step last succeeded, across all processes.' },
  ),
  checks: Type.Object(
    {
      worker: choice(['ok', 'late'], {
        description:
          '`late`: a job has waited for more than a minute. No worker runs, or all of them are busy.',
      }),
      disk: choice(['ok', 'low'], {
        description: '`low`: less than MIN_FREE_DISK_MB is free, and uploads are rejected.',
      }),
      migrations: choice(['ok', 'pending'], {
        description: '`pending` comes with a 503 only: the database is older than this release.',
      }),
    },
    { description: 'What to look at although requests are accepted.' },
  ),
  cells: Type.Optional(
    Type.Array(Type.Object({ name: Type.String(), status: choice(['ok', 'unavailable']) }), {
      description: 'Only with CELLS: the other databases. The accounts of one that is unavailable get a 503.',
    }),
  ),
});
const config = { access: { public: true }, neverBusy: true } as const;
const readyTimeoutMs = 2_000;

export function operationsRoutes(
  app: App,
  { db, metrics, accepting, cellStatus, config: disk }: OperationsDeps,
): void {
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeConfig?.url ?? 'unknown';
    metrics.httpDuration.observe(request.method, route, reply.statusCode, reply.elapsedTime / 1000);
    done();
  });

  app.get(
    '/health/live',
    {
      config,
      schema: {
        tags: ['Operations'],
        summary: 'Liveness: whether the process runs',
        response: { 200: Health },
      },
    },
    async () => ({ status: 'ok' }),
  );

  app.get(
    '/health/ready',
    {
      config,
      schema: {
        tags: ['Operations'],
        summary: 'Readiness: whether the service accepts requests',
        response: { 200: Ready, 503: Health },
      },
    },
    async (_request, reply) => {
      if (!accepting()) return reply.code(503).header('retry-after', '5').send({ status: 'stopping' });
      try {
        const [housekeeping, checks, cells] = await Promise.all([
          listSteps(db, readyTimeoutMs),
          readChecks(db, disk, readyTimeoutMs),
          cellStatus?.(),
        ]);
        if (checks.migrations === 'pending')
          return reply.code(503).header('retry-after', '5').send({ status: 'migrations pending' });
        return { status: 'ok', housekeeping, checks, ...(cells && { cells }) };
      } catch (error) {
        const isBusy = error instanceof AppError && error.code === 'BUSY';
        const status = isBusy ? 'busy' : 'database unavailable';
        return reply
          .code(503)
          .header('retry-after', isBusy ? '2' : '1')
          .send({ status });
      }
    },
  );

  app.get(
    '/metrics',
    {
      config,
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
      config,
      schema: {
        tags: ['Operations'],
        summary: 'The running release',
        response: { 200: Type.Object({ version: Type.String() }) },
      },
    },
    async () => ({ version }),
  );
}
