import {
  Automation,
  AutomationCreate,
  AutomationList,
  AutomationPatch,
  AutomationPut,
  AutomationReorder,
  AutomationSaved,
  AutomationsQuery,
  HookTokenAnswer,
} from '../../../contract/automation/automations.ts';
import { limits } from '../../../contract/limits.ts';
import { Done } from '../../../contract/shapes/errors.ts';
import { Type } from '../../../contract/shapes/type.ts';
import { SecretAnswer } from '../../../contract/webhooks.ts';
import type { Context } from '../../context.ts';
import type { Tx } from '../../platform/db/db.ts';
import type { App } from '../../platform/http/http.ts';
import type { Actor } from '../accounts/accounts.ts';
import { checkCallUrls } from '../steps/steps.ts';
import {
  createAutomation,
  enableAutomation,
  listAutomations,
  type ManageContext,
  removeAutomation,
  reorderAutomations,
  replaceAutomation,
  requireAutomation,
  rotateHook,
  rotateSecret,
} from './automations.ts';

export function automationsRoutes(app: App, context: Context): void {
  const { db, clock, write, secrets, accountConfig, config: settings } = context;
  const tags = ['Automation'];
  const config = { access: { scope: 'manage', permission: 'automation.manage' } } as const;
  const params = Type.Object({ id: Type.String() });
  const { rules, enabled } = limits.automation;

  /** With the account's configuration, which stays as it is until the rule is saved. */
  const managing = <T>(tx: Tx, actor: Actor, run: (managed: ManageContext) => Promise<T>): Promise<T> =>
    accountConfig.withAccountConfig(tx, actor.accountId, (current) =>
      run({
        db: tx,
        actor,
        config: current,
        now: clock.now(),
        secrets,
        canMail: settings.mail !== null,
        outboundAllow: settings.outboundAllow,
      }),
    );

  app.get(
    '/automations',
    {
      config,
      schema: {
        tags,
        summary: 'Rules, in their order',
        querystring: AutomationsQuery,
        response: { 200: AutomationList },
      },
    },
    async ({ actor, query }) => ({
      items: await listAutomations(db, actor.accountId, clock.now(), query.uses),
      nextToken: null,
    }),
  );

  app.post(
    '/automations',
    {
      config,
      schema: {
        tags,
        summary: 'Create a rule',
        description: `Mistakes are a 400 with their place, such as \`steps[3].else[0].teamId does not exist\`. An account can have ${rules} rules, ${enabled} of them enabled (409 \`LIMIT_REACHED\`). A step \`call\` also needs the permission webhooks.manage.`,
        body: AutomationCreate,
        response: { 201: AutomationSaved },
      },
    },
    async (request, reply) => {
      await checkCallUrls(request.actor, request.body.steps, context.config.outboundAllow);
      return write(request, reply, async (tx) => ({
        status: 201,
        body: await managing(tx, request.actor, (managed) => createAutomation(tx, managed, request.body)),
      }));
    },
  );

  app.post(
    '/automations/reorder',
    {
      config,
      schema: {
        tags,
        summary: 'Put the rules in another order',
        body: AutomationReorder,
        response: { 200: AutomationList },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => ({
        status: 200,
        body: {
          items: await reorderAutomations(tx, request.actor, clock.now(), request.body.ids),
          nextToken: null,
        },
      })),
  );

  app.get(
    '/automations/:id',
    { config, schema: { tags, summary: 'One rule', params, response: { 200: Automation } } },
    ({ actor, params: { id } }) => requireAutomation(db, actor.accountId, clock.now(), id),
  );

  app.put(
    '/automations/:id',
    {
      config,
      schema: {
        tags,
        summary: 'Replace a rule',
        description:
          'It gets a new version. Runs that wait keep the version that they began with. 409 if `expectedVersion` is not the current one.',
        params,
        body: AutomationPut,
        response: { 200: AutomationSaved },
      },
    },
    async (request, reply) => {
      await checkCallUrls(request.actor, request.body.steps, context.config.outboundAllow);
      return write(request, reply, async (tx) => ({
        status: 200,
        body: await managing(tx, request.actor, (managed) =>
          replaceAutomation(tx, managed, request.params.id, request.body),
        ),
      }));
    },
  );

  app.patch(
    '/automations/:id',
    {
      config,
      schema: {
        tags,
        summary: 'Enable or disable a rule',
        params,
        body: AutomationPatch,
        response: { 200: Automation },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => ({
        status: 200,
        body: await managing(tx, request.actor, (managed) =>
          enableAutomation(tx, managed, request.params.id, request.body.enabled),
        ),
      })),
  );

  app.delete(
    '/automations/:id',
    {
      config,
      schema: {
        tags,
        summary: 'Delete a rule',
        description: 'Its runs that wait are cancelled.',
        params,
        response: { 200: Done },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        await removeAutomation(tx, request.actor, clock.now(), request.params.id);
        return { status: 200, body: { message: 'rule deleted' } };
      }),
  );

  app.post(
    '/automations/:id/rotate-hook',
    {
      config,
      schema: {
        tags,
        summary: 'Give the hook of a rule another token',
        description: 'The token is shown only now. The previous one is no longer valid.',
        params,
        response: { 200: HookTokenAnswer },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => ({
        status: 200,
        body: { hookToken: await rotateHook(tx, request.actor, clock.now(), request.params.id) },
      })),
  );

  app.post(
    '/automations/:id/rotate-secret',
    {
      config,
      schema: {
        tags,
        summary: 'Give the calls of a rule another secret',
        description: 'The secret is shown only now. The previous one signs no more.',
        params,
        response: { 200: SecretAnswer },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => ({
        status: 200,
        body: {
          secret: await rotateSecret(
            tx,
            { actor: request.actor, now: clock.now(), secrets },
            request.params.id,
          ),
        },
      })),
  );
}
