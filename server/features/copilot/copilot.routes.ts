import type { FastifyRequest } from 'fastify';
import {
  CopilotAnswer,
  CopilotEvents,
  CopilotOutcome,
  CopilotRequest,
  CopilotSettings,
  CopilotSettingsUpdate,
  type CopilotTask,
} from '../../../contract/copilot.ts';
import { limits } from '../../../contract/limits.ts';
import { Type } from '../../../contract/shapes/type.ts';
import type { Context } from '../../context.ts';
import { AppError, notFound, rateLimited, unavailable } from '../../platform/http/errors.ts';
import type { App } from '../../platform/http/http.ts';
import { isId, newId } from '../../platform/ids.ts';
import { type Actor, personOf } from '../accounts/accounts.ts';
import { ModelError } from '../ai-replies/ai-replies.ts';
import { requireOpenSession, requireSession } from '../sessions/sessions.ts';
import type { CopilotPlace } from './copilot.run.ts';
import { insertSuggestion, saveOutcome } from './copilot.sql.ts';
import { eventStream, type Reader } from './copilot.stream.ts';
import { prepareTask } from './copilot.tasks.ts';
import { changeCopilot, checkRequest, readCopilot, requireTask } from './copilot.ts';

const tags = ['Copilot'];
/** After the last byte; a model has less time than that. */
const standstillMs = 60_000;

export function copilotRoutes(app: App, context: Context): void {
  const { db, clock, write, visibleTo, accountConfig, rateLimits, logger } = context;
  const stopping = new AbortController();
  app.addHook('preClose', (done) => {
    stopping.abort(unavailable('the service is stopping'));
    done();
  });

  app.get(
    '/copilot/settings',
    {
      config: { access: { scope: 'messages:read', everyUser: true } },
      schema: {
        tags,
        summary: 'Which agent helps operators, and with what',
        response: { 200: CopilotSettings },
      },
    },
    ({ actor }) => readCopilot(db, accountConfig, actor.accountId),
  );

  app.patch(
    '/copilot/settings',
    {
      config: { access: { scope: 'manage', permission: 'agents.manage' } },
      schema: {
        tags,
        summary: 'Change which agent helps operators, and with what',
        body: CopilotSettingsUpdate,
        response: { 200: CopilotSettings },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        const { actor, body } = request;
        const settings = await accountConfig.withAccountConfig(tx, actor.accountId, (config) =>
          changeCopilot(tx, actor, clock.now(), config, body),
        );
        return { status: 200, body: settings };
      }),
  );

  app.post(
    '/sessions/:sessionId/copilot',
    {
      config: { access: { scope: 'messages:read', permission: 'conversations.view' } },
      schema: {
        tags,
        summary: 'Ask the copilot for help in a conversation',
        description: `Nothing is sent to the customer. The response is a stream of events: \`delta\` \`{ text }\` with more of the text (of messages that are translated: \`{ messageId, text }\` with the whole text of one), then \`done\` with the whole answer, or \`error\` \`{ code, message }\`. With \`Accept: application/json\` it is the answer alone. \`suggest\` and \`rewrite\` need \`conversations.reply\` (scope \`messages:write\`) too. No agent, or a task that is switched off: 409 \`COPILOT_OFF\`. Without a model: 409 \`MODEL_REQUIRED\` for \`rewrite\` and \`translate\`. Nothing to answer from: 409 \`NOTHING_FOUND\`. A suggestion that repeats a note: 409 \`SUGGESTION_HELD\`. The model fails: 502 \`MODEL_FAILED\`. At most ${limits.copilot.requestsPerMinute} a minute for each user (429).`,
        params: Type.Object({ sessionId: Type.String() }),
        body: CopilotRequest,
        response: {
          200: {
            description: 'The answer, or the events that lead to it',
            content: {
              'application/json': { schema: CopilotAnswer },
              'text/event-stream': { schema: CopilotEvents },
            },
          },
        },
      },
    },
    async (request, reply) => {
      const { actor, body } = request;
      checkRequest(body);
      const visible = await visibleTo(actor);
      const session = await requireSession(db, actor, visible, request.params.sessionId);
      const agent = await requireTask(db, accountConfig, actor, body.task);
      const place = { actor, visible, session, agent };
      const prepared = await prepareTask(context, place, body);
      // What is kept costs nothing.
      if (!prepared.kept) await admit(actor);
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      const signal = AbortSignal.any([gone.signal, stopping.signal]);
      const run = async (reader: Reader): Promise<CopilotAnswer> => {
        const made = prepared.kept ?? (await prepared.make({ signal, ...reader }));
        return { ...made, suggestionId: await keepSuggestion(place, body.task) };
      };
      if (wantsJson(request)) {
        const answer = await run({ onText() {}, onTranslated() {} }).catch((error: unknown) => {
          throw toAppError(error) ?? error;
        });
        return answer;
      }
      reply.raw.setTimeout(standstillMs, () => reply.raw.destroy());
      reply.type('text/event-stream; charset=utf-8').header('cache-control', 'no-store');
      // Proxies collect a response otherwise.
      reply.header('x-accel-buffering', 'no');
      return reply.send(
        eventStream(run, (error) => {
          const known = toAppError(error);
          if (known) return { code: known.code, message: known.message };
          if (!gone.signal.aborted) logger.error({ err: error }, 'a task of the copilot failed');
          return { code: 'INTERNAL', message: 'internal error' };
        }),
      );
    },
  );

  app.post(
    '/sessions/:sessionId/copilot/:suggestionId/outcome',
    {
      config: { access: { scope: 'messages:write', permission: 'conversations.reply' } },
      schema: {
        tags,
        summary: 'Report what became of a suggestion',
        description: 'By the user who asked for it; for others it does not exist. The last report counts.',
        params: Type.Object({ sessionId: Type.String(), suggestionId: Type.String() }),
        body: CopilotOutcome,
        response: { 200: CopilotOutcome },
      },
    },
    async (request, reply) => {
      const { actor, params, body } = request;
      const visible = await visibleTo(actor);
      return write(request, reply, async (tx) => {
        const { sessionId } = await requireSession(tx, actor, visible, params.sessionId);
        const of = { id: params.suggestionId, sessionId, userId: userOf(actor) };
        const isThere =
          isId(of.id) && (await saveOutcome(tx, actor.accountId, of, body.outcome, clock.now()));
        if (!isThere) throw notFound('suggestion');
        return { status: 200, body: { outcome: body.outcome } };
      });
    },
  );

  /** Its id, if it is one. The conversation may have gone meanwhile. */
  async function keepSuggestion(
    { actor, visible, session: { sessionId }, agent }: CopilotPlace,
    task: CopilotTask,
  ): Promise<string | null> {
    if (task !== 'suggest' && task !== 'rewrite') return null;
    const now = clock.now();
    const id = newId(now);
    await db.transaction(async (tx) => {
      await requireOpenSession(tx, actor, visible, sessionId);
      const suggestion = { id, sessionId, agentId: agent.id, userId: userOf(actor), task, createdAt: now };
      await insertSuggestion(tx, actor.accountId, suggestion);
    });
    return id;
  }

  /** Every request may cost money at a provider. */
  async function admit(actor: Actor): Promise<void> {
    const windows = [{ limit: limits.copilot.requestsPerMinute, seconds: 60 }];
    const verdict = await rateLimits.admit(actor.accountId, `copilot:${userOf(actor)}`, windows);
    if (!verdict.admitted) throw rateLimited(429, verdict.retryAfterSeconds);
  }
}

/** A request has a user, or the token of one. */
const userOf = (actor: Actor): string => personOf(actor)!.id;

const wantsJson = ({ headers }: FastifyRequest): boolean =>
  /application\/json/i.test(headers.accept ?? '') && !/text\/event-stream/i.test(headers.accept ?? '');

function toAppError(error: unknown): AppError | null {
  if (error instanceof ModelError) return new AppError(502, 'MODEL_FAILED', error.details);
  return error instanceof AppError ? error : null;
}
