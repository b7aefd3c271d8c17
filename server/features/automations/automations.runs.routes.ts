import {
  AutomationRun,
  RuleVerdictsQuery,
  RunsPage,
  RunsQuery,
  VerdictsPage,
  VerdictsQuery,
} from '../../../contract/automation/runs.ts';
import { limits } from '../../../contract/limits.ts';
import { Type } from '../../../contract/shapes/type.ts';
import type { Context } from '../../context.ts';
import type { App } from '../../platform/http/http.ts';
import type { Actor } from '../accounts/accounts.ts';
import { requireRecord } from '../records/records.ts';
import { requireSession } from '../sessions/sessions.ts';
import { requireAutomation } from './automations.ts';
import { cancelRun, listRuns, listVerdicts, requireRun, retryRun } from './automations.verdicts.ts';

export function automationRunsRoutes(app: App, context: Context): void {
  const { db, clock, write, pageTokens: tokens, visibleTo } = context;
  const tags = ['Automation'];
  const config = { access: { scope: 'manage', permission: 'automation.manage' } } as const;
  const ofSession = { access: { scope: 'messages:read', permission: 'conversations.view' } } as const;
  const ofRecord = { access: { scope: 'crm:read', permission: 'records.view' } } as const;
  const params = Type.Object({ id: Type.String() });
  const kept = `Kept for ${limits.automation.verdictDays} days.`;
  const readingAs = async ({ accountId }: Actor, visible: string[] | null) => ({
    db,
    accountId,
    tokens,
    visible,
  });

  app.get(
    '/sessions/:sessionId/automation-verdicts',
    {
      config: ofSession,
      schema: {
        tags,
        summary: 'Why rules did or did not run for a conversation, newest first',
        description: kept,
        params: Type.Object({ sessionId: Type.String() }),
        querystring: VerdictsQuery,
        response: { 200: VerdictsPage },
      },
    },
    async ({ actor, params: { sessionId }, query }) => {
      const visible = await visibleTo(actor);
      await requireSession(db, actor, visible, sessionId);
      return listVerdicts(await readingAs(actor, visible), { sessionId }, query);
    },
  );

  app.get(
    '/crm/records/:recordId/automation-verdicts',
    {
      config: ofRecord,
      schema: {
        tags,
        summary: 'Why rules did or did not run for a record, newest first',
        description: kept,
        params: Type.Object({ recordId: Type.String() }),
        querystring: VerdictsQuery,
        response: { 200: VerdictsPage },
      },
    },
    async ({ actor, params: { recordId }, query }) => {
      const visible = await visibleTo(actor);
      await requireRecord(db, actor, visible, recordId);
      return listVerdicts(await readingAs(actor, visible), { recordId }, query);
    },
  );

  app.get(
    '/automations/:id/verdicts',
    {
      config,
      schema: {
        tags,
        summary: 'Why a rule did or did not run, newest first',
        description: kept,
        params,
        querystring: RuleVerdictsQuery,
        response: { 200: VerdictsPage },
      },
    },
    async ({ actor, params: { id }, query }) => {
      await requireAutomation(db, actor.accountId, clock.now(), id);
      const { matched, ...page } = query;
      return listVerdicts(await readingAs(actor, await visibleTo(actor)), { ruleId: id, matched }, page);
    },
  );

  app.get(
    '/automations/:id/runs',
    {
      config,
      schema: {
        tags,
        summary: 'Runs of a rule, newest first',
        params,
        querystring: RunsQuery,
        response: { 200: RunsPage },
      },
    },
    async ({ actor, params: { id }, query }) => {
      await requireAutomation(db, actor.accountId, clock.now(), id);
      return listRuns(await readingAs(actor, await visibleTo(actor)), id, query);
    },
  );

  app.get(
    '/automation-runs/:id',
    {
      config,
      schema: { tags, summary: 'One run with its steps', params, response: { 200: AutomationRun } },
    },
    async ({ actor, params: { id } }) => requireRun(db, actor.accountId, await visibleTo(actor), id),
  );

  app.post(
    '/automation-runs/:id/cancel',
    {
      config,
      schema: {
        tags,
        summary: 'Cancel a run that is running or waits',
        description: 'In another state: 409. What it has done stays.',
        params,
        response: { 200: AutomationRun },
      },
    },
    async (request, reply) => {
      const { actor, params: place } = request;
      const visible = await visibleTo(actor);
      return write(request, reply, async (tx) => ({
        status: 200,
        body: await cancelRun(tx, actor, clock.now(), visible, place.id),
      }));
    },
  );

  app.post(
    '/automation-runs/:id/retry',
    {
      config,
      schema: {
        tags,
        summary: 'Try a failed run again, from the step that failed',
        description: 'In another state: 409.',
        params,
        response: { 200: AutomationRun },
      },
    },
    async (request, reply) => {
      const { actor, params: place } = request;
      const visible = await visibleTo(actor);
      return write(request, reply, async (tx) => ({
        status: 200,
        body: await retryRun(tx, actor, clock.now(), visible, place.id),
      }));
    },
  );
}
