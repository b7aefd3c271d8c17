import { FailedJob, SystemOverview } from '../../../contract/instance/system.ts';
import { limits } from '../../../contract/limits.ts';
import { Done } from '../../../contract/shapes/errors.ts';
import { pageOf, pageQuery, pageSize } from '../../../contract/shapes/paging.ts';
import { Type } from '../../../contract/shapes/type.ts';
import type { Context } from '../../context.ts';
import type { App } from '../../platform/http/http.ts';
import { discardJob, listFailedJobs, readSystem, retryJob } from './system.ts';

export function systemRoutes(app: App, context: Context): void {
  const { db, clock, write, pageTokens, accountHomes: homes } = context;
  const tags = ['Instance'];
  const config = { access: { instanceAdmin: true } } as const;
  const params = Type.Object({ jobId: Type.String() });

  app.get(
    '/admin/system',
    {
      config,
      schema: {
        tags,
        summary: 'Queues, storage, slow queries and versions of the instance',
        response: { 200: SystemOverview },
      },
    },
    () => readSystem(context),
  );

  app.get(
    '/admin/failed-jobs',
    {
      config,
      schema: {
        tags,
        summary: 'List the jobs that were given up, newest first',
        querystring: Type.Object(pageQuery(limits.listPage)),
        response: { 200: pageOf(FailedJob) },
      },
    },
    ({ query: { limit, nextToken } }) =>
      listFailedJobs(homes, pageTokens, { limit: pageSize(limit, limits.listPage), nextToken }),
  );

  app.post(
    '/admin/failed-jobs/:jobId/retry',
    {
      config,
      schema: {
        tags,
        summary: 'Run a failed job again, with all its attempts',
        description: '409 if another job for the same is waiting already.',
        params,
        response: { 200: Done },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        const change = { homes, db, actor: request.actor, now: clock.now() };
        await retryJob(tx, change, request.params.jobId);
        return { status: 200, body: { message: 'job runs again' } };
      }),
  );

  app.delete(
    '/admin/failed-jobs/:jobId',
    {
      config,
      schema: { tags, summary: 'Discard a failed job', params, response: { 200: Done } },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        const change = { homes, db, actor: request.actor, now: clock.now() };
        await discardJob(tx, change, request.params.jobId);
        return { status: 200, body: { message: 'job discarded' } };
      }),
  );
}
