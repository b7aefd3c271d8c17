/** Endpoints for operators: health, metrics, version. No limits, and a token for metrics only. */
import type { IncomingMessage } from 'node:http';
import type {} from '@fastify/swagger';
import { ErrorBody } from '../../../contract/shapes/errors.ts';
import { Type } from '../../../contract/shapes/type.ts';
import { choice } from '../../../contract/shapes/values.ts';
import { version } from '../../../contract/version.ts';
import type { Db } from '../db/db.ts';
import { listSteps } from '../jobs/housekeeping.ts';
import { sameBytes, sha256 } from '../secrets/secrets.ts';
import { AppError, unauthorized } from './errors.ts';
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
  config: DiskSettings & { metricsToken: string };
  /** On a port of its own, which is not published: everyone who reaches it may read the metrics. */
  isHealthPort?: boolean;
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
  { db, metrics, accepting, cellStatus, config: settings, isHealthPort = false }: OperationsDeps,
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
          readChecks(db, settings, readyTimeoutMs),
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
        description:
          'Needs `METRICS_TOKEN` as a Bearer token. Where it is not set, only a direct call from the same machine is answered. On HEALTH_PORT no token is needed.',
        response: {
          401: ErrorBody,
          200: { description: 'In its text format', content: { 'text/plain': { schema: Type.String() } } },
        },
      },
    },
    async ({ raw }, reply) => {
      if (!isHealthPort) requireMetricsAccess(raw, settings.metricsToken);
      return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics());
    },
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

/** What a proxy adds. One on this machine calls from the loopback address too. */
const forwardingHeaders = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
];
const loopback = /^(?:(?:::ffff:)?127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1)$/i;

function requireMetricsAccess({ headers, socket }: IncomingMessage, token: string): void {
  if (token === '') {
    const isDirect = forwardingHeaders.every((name) => headers[name] === undefined);
    if (isDirect && loopback.test(socket.remoteAddress ?? '')) return;
    throw unauthorized('set METRICS_TOKEN and send it as a Bearer token, or read the metrics on HEALTH_PORT');
  }
  const given = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
  if (!sameBytes(sha256(given), sha256(token)))
    throw unauthorized('the metrics need the value of METRICS_TOKEN as a Bearer token');
}
