import { KnowledgeRun, KnowledgeRunPage, KnowledgeRunStarted } from '../../../../contract/knowledge.ts';
import { limits } from '../../../../contract/limits.ts';
import { pageOf, pageQuery } from '../../../../contract/shapes/paging.ts';
import { Type } from '../../../../contract/shapes/type.ts';
import type { Context } from '../../../context.ts';
import type { App } from '../../../platform/http/http.ts';
import { readableBy } from '../knowledge.readers.ts';
import { publishPrepared } from './knowledge.prepare.ts';
import { prepareReviewed, publishReviewed } from './knowledge.review.ts';
import { cancelRun, listRunPages, listRuns, requireRun, startSync } from './knowledge.runs.ts';

const tags = ['Knowledge'];
const view = { access: { scope: 'knowledge:read', permission: 'knowledge.view' } } as const;
const manage = { access: { scope: 'knowledge:write', permission: 'knowledge.manage' } } as const;
const params = Type.Object({ id: Type.String() });
const querystring = Type.Object(pageQuery(limits.listPage));

export function websitesRoutes(app: App, { db, clock, write, pageTokens, visibleTo }: Context): void {
  app.post(
    '/knowledge/sources/:id/sync',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Read a website',
        description:
          'In the background. While a run of the source is running: 409 `SYNC_RUNNING`. One that waits for a review is cancelled.',
        params,
        response: { 202: KnowledgeRunStarted },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => ({
        status: 202,
        body: await startSync(tx, request.actor, clock.now(), request.params.id),
      })),
  );

  app.get(
    '/knowledge/sources/:id/runs',
    {
      config: view,
      schema: {
        tags,
        summary: 'Runs of a website, newest first',
        description: `The last ${limits.website.runsKept} are kept.`,
        params,
        querystring,
        response: { 200: pageOf(KnowledgeRun) },
      },
    },
    ({ actor, params: { id }, query }) => listRuns(db, pageTokens, actor.accountId, id, query),
  );

  app.get(
    '/knowledge/runs/:id',
    { config: view, schema: { tags, summary: 'One run', params, response: { 200: KnowledgeRun } } },
    ({ actor, params: { id } }) => requireRun(db, actor.accountId, id),
  );

  app.get(
    '/knowledge/runs/:id/pages',
    {
      config: view,
      schema: {
        tags,
        summary: 'The pages of a run, in the order in which it found them',
        description: 'Those that have a verdict so far.',
        params,
        querystring,
        response: { 200: pageOf(KnowledgeRunPage) },
      },
    },
    async ({ actor, params: { id }, query }) =>
      listRunPages(db, pageTokens, actor.accountId, await readableBy(visibleTo, actor), id, query),
  );

  app.post(
    '/knowledge/runs/:id/cancel',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Cancel a run',
        description: 'One that is running or waits for a review; otherwise 409. Nothing changes for agents.',
        params,
        response: { 200: KnowledgeRun },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => ({
        status: 200,
        body: await cancelRun(tx, request.actor, clock.now(), request.params.id),
      })),
  );

  app.post(
    '/knowledge/runs/:id/publish',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Publish a run that waits for a review',
        description:
          'All of it at once. In another state: 409. More knowledge than the account may have is a 413 `KNOWLEDGE_QUOTA`, and the run keeps waiting.',
        params,
        response: { 200: KnowledgeRun },
      },
    },
    (request, reply) => {
      const { actor, params: place } = request;
      return publishPrepared(
        () => prepareReviewed(db, actor, clock.now(), place.id),
        (prepared) =>
          write(request, reply, async (tx) => ({
            status: 200,
            body: await publishReviewed(tx, actor, clock.now(), place.id, prepared),
          })),
      );
    },
  );
}
