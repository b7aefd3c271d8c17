import { Type } from 'typebox';
import { ApiToken, ApiTokenCreate, ApiTokenCreated } from '../../../contract/accounts.ts';
import { Done } from '../../../contract/errors.ts';
import { limits } from '../../../contract/limits.ts';
import { pageOf, pageQuery } from '../../../contract/paging.ts';
import type { Context } from '../../context.ts';
import type { App } from '../../platform/http.ts';
import { createToken, listTokens, revokeToken } from './accounts.tokens.ts';

export function tokensRoutes(app: App, { db, clock, write, pageTokens, authenticator }: Context): void {
  const tags = ['API tokens'];
  const config = { access: { scope: 'manage' } } as const;

  app.post(
    '/api-tokens',
    {
      config,
      schema: {
        tags,
        summary: 'Create an API token',
        body: ApiTokenCreate,
        response: { 201: ApiTokenCreated },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => ({
        status: 201,
        body: await createToken(tx, request.actor, clock.now(), request.body),
      })),
  );

  app.get(
    '/api-tokens',
    {
      config,
      schema: {
        tags,
        summary: 'List the API tokens, newest first',
        querystring: Type.Object(pageQuery(limits.listPage)),
        response: { 200: pageOf(ApiToken) },
      },
    },
    (request) => listTokens(db, request.actor.accountId, pageTokens, request.query),
  );

  app.delete(
    '/api-tokens/:id',
    {
      config,
      schema: {
        tags,
        summary: 'Revoke an API token',
        params: Type.Object({ id: Type.String() }),
        response: { 200: Done },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        tx.afterCommit(authenticator.forget);
        await revokeToken(tx, request.actor, clock.now(), request.params.id);
        return { status: 200, body: { message: 'token revoked' } };
      }),
  );
}
