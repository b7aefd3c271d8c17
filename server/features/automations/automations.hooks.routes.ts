import { HookAnswer } from '../../../contract/automation/automations.ts';
import { limits } from '../../../contract/limits.ts';
import { Type } from '../../../contract/shapes/type.ts';
import type { Context } from '../../context.ts';
import type { App } from '../../platform/http/http.ts';
import { admitHook, receiveHook, requireHook } from './automations.hooks.ts';

export function automationHooksRoutes(app: App, context: Context): void {
  const { db, rateLimits, write } = context;
  app.post(
    '/automations/hooks/:token',
    {
      config: { access: { public: true } },
      bodyLimit: limits.automation.hookBytes,
      schema: {
        tags: ['Automation'],
        summary: 'Start a rule from outside',
        description: `The token is the only secret. Any JSON; its values are \`{{payload.path}}\` in the texts of the rule. 404 for an unknown token or a rule that is not enabled; 429 above ${limits.automation.hooksPerMinute} calls a minute. \`Idempotency-Key\` works.`,
        params: Type.Object({ token: Type.String() }),
        body: Type.Unknown(),
        response: { 202: HookAnswer },
      },
    },
    async (request, reply) => {
      const hook = await requireHook(db, request.params.token);
      await admitHook(rateLimits, hook);
      // Whom an Idempotency-Key belongs to.
      request.actor = { kind: 'rule', accountId: hook.accountId, id: hook.ruleId, name: '' };
      return write(request, reply, async (tx) => ({
        status: 202,
        body: { causeId: await receiveHook(tx, hook, request.body ?? null) },
      }));
    },
  );
}
