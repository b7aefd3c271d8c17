/** What visitors can do besides chatting: ask for a person, say who they are, rate, have the chat sent. */
import type { FastifyRequest } from 'fastify';
import { TranscriptBody } from '../../../../contract/messaging/transcripts.ts';
import {
  VisitorDetails,
  VisitorRating,
  VisitorRatingAnswer,
  VisitorStarted,
} from '../../../../contract/widget/widget.ts';
import type { Context } from '../../../context.ts';
import { addressToCount } from '../../../platform/http/client-address.ts';
import type { App } from '../../../platform/http/http.ts';
import type { Doing, VisitorGuard } from '../widget-api.guard.ts';
import type { VisitorTokens } from '../widget-api.visitor.ts';
import { receiveDetails } from './widget-api.details.ts';
import { receivePersonRequest } from './widget-api.person.ts';
import { readOwnRating, receiveRating } from './widget-api.rating.ts';
import { receiveTranscriptRequest } from './widget-api.transcript.ts';

const open = { access: { public: true } } as const;
const hide = true;

export interface ServiceDeps extends Context {
  guard: VisitorGuard;
  tokens: VisitorTokens;
}

export function serviceRoutes(app: App, deps: ServiceDeps): void {
  const { db, clock, guard, tokens, definitions } = deps;
  const admit = (request: FastifyRequest, doing: Doing) =>
    guard.admit(request.headers.authorization, doing, addressToCount(request.clientAddress));

  app.post('/widget/person', { config: open, schema: { hide } }, async (request, reply) => {
    const { visitor, widget } = await admit(request, 'send');
    await db.transaction((tx) => receivePersonRequest(tx, widget, visitor, clock.now()));
    return reply.code(204).send();
  });

  app.post(
    '/widget/details',
    { config: open, schema: { hide, body: VisitorDetails, response: { 200: VisitorStarted } } },
    async (request) => {
      const { visitor } = await admit(request, 'send');
      return receiveDetails({ db, definitions, tokens, now: clock.now() }, visitor, request.body);
    },
  );

  app.get(
    '/widget/rating',
    { config: open, schema: { hide, response: { 200: VisitorRatingAnswer } } },
    async (request) => {
      const { visitor } = await admit(request, 'read');
      return readOwnRating(db, visitor);
    },
  );

  app.post(
    '/widget/rating',
    { config: open, schema: { hide, body: VisitorRating } },
    async (request, reply) => {
      const { visitor, widget } = await admit(request, 'send');
      await db.transaction((tx) => receiveRating(tx, widget, visitor, request.body, clock.now()));
      return reply.code(204).send();
    },
  );

  app.post(
    '/widget/transcript',
    { config: open, schema: { hide, body: TranscriptBody } },
    async (request, reply) => {
      const { visitor, widget } = await admit(request, 'send');
      const client = addressToCount(request.clientAddress);
      await receiveTranscriptRequest(deps, widget, visitor, client, request.body);
      return reply.code(202).send();
    },
  );
}
