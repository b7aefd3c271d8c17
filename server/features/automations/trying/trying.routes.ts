import {
  Backtest,
  BacktestBody,
  BacktestQuery,
  BacktestStarted,
  DryRun,
  DryRunBody,
} from '../../../../contract/automation/trying.ts';
import { Type } from '../../../../contract/shapes/type.ts';
import type { Context } from '../../../context.ts';
import type { App } from '../../../platform/http/http.ts';
import { requireBacktest, startBacktest } from './trying.backtest.ts';
import { dryRun } from './trying.dry-run.ts';

export function automationTryingRoutes(app: App, context: Context): void {
  const { db, clock, write, accountConfig, providers, pageTokens, visibleTo, config: settings } = context;
  const tags = ['Automation'];
  const config = { access: { scope: 'manage', permission: 'automation.manage' } } as const;
  const checking = { canMail: settings.mail !== null, outboundAllow: settings.outboundAllow };

  app.post(
    '/automations/dry-run',
    {
      config,
      schema: {
        tags,
        summary: 'Show what a rule would do now',
        description:
          'The rule need not be saved. Its steps run by the rules of a run, and all of it is taken back: nothing is sent, called or changed.',
        body: DryRunBody,
        response: { 200: DryRun },
      },
    },
    ({ actor, body }) => dryRun({ db, clock, accountConfig, providers, ...checking }, actor, body),
  );

  app.post(
    '/automations/backtest',
    {
      config,
      schema: {
        tags,
        summary: 'Find out when a rule would have run in the last days',
        description:
          'GET /automation-backtests/{id} has the result. One runs at a time: another is a 409 until it has ended.',
        body: BacktestBody,
        response: { 202: BacktestStarted },
      },
    },
    async (request, reply) => {
      const { actor, body } = request;
      const visible = await visibleTo(actor);
      return write(request, reply, async (tx) => ({
        status: 202,
        body: await accountConfig.withAccountConfig(tx, actor.accountId, (current) =>
          startBacktest(tx, { db: tx, actor, config: current, now: clock.now(), visible, ...checking }, body),
        ),
      }));
    },
  );

  app.get(
    '/automation-backtests/:id',
    {
      config,
      schema: {
        tags,
        summary: 'A backtest with what it has found',
        params: Type.Object({ id: Type.String() }),
        querystring: BacktestQuery,
        response: { 200: Backtest },
      },
    },
    async ({ actor, params, query }) =>
      requireBacktest(db, pageTokens, actor, await visibleTo(actor), params.id, query),
  );
}
