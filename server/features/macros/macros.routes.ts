import { limits } from '../../../contract/limits.ts';
import {
  Macro,
  MacroCreate,
  MacroPreview,
  MacroPreviewBody,
  MacroRun,
  MacroRunBody,
  MacroUpdate,
} from '../../../contract/macros.ts';
import { Done } from '../../../contract/shapes/errors.ts';
import { Type } from '../../../contract/shapes/type.ts';
import type { Context } from '../../context.ts';
import type { App } from '../../platform/http/http.ts';
import type { Actor, UserActor } from '../accounts/accounts.ts';
import { countingDrops } from '../messages/messages.ts';
import { previewMacro, runMacro } from './macros.run.ts';
import { changeMacro, createMacro, listMacros, removeMacro } from './macros.ts';

export function macrosRoutes(app: App, context: Context): void {
  const { db, clock, write, definitions, accountConfig, providers, visibleTo } = context;
  const tags = ['Macros'];
  const config = { access: { user: true } } as const;
  const run = { access: { user: true, permission: 'conversations.reply' } } as const;
  const params = Type.Object({ macroId: Type.String() });
  const ofSession = Type.Object({ sessionId: Type.String(), macroId: Type.String() });
  const runningAs = async (actor: Actor) => ({
    actor: actor as UserActor,
    visible: await visibleTo(actor),
    accountConfig,
    providers,
  });

  app.get(
    '/macros',
    {
      config,
      schema: {
        tags,
        summary: "Macros: the caller's own and the shared ones, by name",
        response: { 200: Type.Object({ items: Type.Array(Macro), nextToken: Type.Null() }) },
      },
    },
    async ({ actor }) => ({ items: await listMacros(db, actor as UserActor), nextToken: null }),
  );

  app.post(
    '/macros',
    {
      config,
      schema: {
        tags,
        summary: 'Create a macro',
        description: `Each step has the properties of its type; others are ignored. Two steps that set the same thing are a 400. An account can have ${limits.macros} macros (409). The texts and field values of all steps together have at most ${limits.macroTextLength} characters.`,
        body: MacroCreate,
        response: { 201: Macro },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        const actor = request.actor as UserActor;
        const macro = await definitions.withDefinitions(tx, actor.accountId, (current) =>
          createMacro(tx, actor, clock.now(), current, request.body),
        );
        return { status: 201, body: macro };
      }),
  );

  app.patch(
    '/macros/:macroId',
    {
      config,
      schema: { tags, summary: 'Change a macro', params, body: MacroUpdate, response: { 200: Macro } },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        const actor = request.actor as UserActor;
        const macro = await definitions.withDefinitions(tx, actor.accountId, (current) =>
          changeMacro(tx, actor, clock.now(), current, request.params.macroId, request.body),
        );
        return { status: 200, body: macro };
      }),
  );

  app.delete(
    '/macros/:macroId',
    { config, schema: { tags, summary: 'Delete a macro', params, response: { 200: Done } } },
    (request, reply) =>
      write(request, reply, async (tx) => {
        await removeMacro(tx, request.actor as UserActor, request.params.macroId);
        return { status: 200, body: { message: 'macro deleted' } };
      }),
  );

  app.post(
    '/sessions/:sessionId/macros/:macroId/preview',
    {
      config: run,
      schema: {
        tags,
        summary: 'Show what a macro would do in a conversation',
        description: 'Runs every step by the rules of a run and takes all of it back. Nothing is sent.',
        params: ofSession,
        body: MacroPreviewBody,
        response: { 200: MacroPreview },
      },
    },
    async (request) => {
      const running = { ...(await runningAs(request.actor)), now: clock.now() };
      return previewMacro(db, running, request.params, request.body);
    },
  );

  app.post(
    '/sessions/:sessionId/macros/:macroId/run',
    {
      config: run,
      schema: {
        tags,
        summary: 'Run a macro in a conversation',
        description:
          'All steps happen in one transaction, or none. A step that cannot run is a 409 that names it, such as `steps[1].assignedUserId has an unknown user`. Steps for the card of another board are skipped.',
        params: ofSession,
        body: MacroRunBody,
        response: { 200: MacroRun },
      },
    },
    async (request, reply) => {
      const running = await runningAs(request.actor);
      return countingDrops(context, running.actor.accountId, () =>
        write(request, reply, async (tx) => ({
          status: 200,
          body: await runMacro(tx, { ...running, now: clock.now() }, request.params, request.body),
        })),
      );
    },
  );
}
