import { ApiToken, ApiTokenCreate, ApiTokenCreated, ApiTokenTransfer } from '../../../contract/accounts.ts';
import { limits } from '../../../contract/limits.ts';
import { Done } from '../../../contract/shapes/errors.ts';
import { pageOf, pageQuery } from '../../../contract/shapes/paging.ts';
import { Type } from '../../../contract/shapes/type.ts';
import { ApiTokenUpdate } from '../../../contract/sign-in/second-factors.ts';
import type { Context } from '../../context.ts';
import type { App } from '../../platform/http/http.ts';
import { changeToken, createToken, listTokens, revokeToken, transferToken } from './accounts.tokens.ts';

export function tokensRoutes(app: App, { db, clock, write, pageTokens, authenticator }: Context): void {
  const tags = ['API tokens'];
  const config = { access: { scope: 'manage', permission: 'tokens.manage' } } as const;
  const params = Type.Object({ id: Type.String() });

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
        querystring: Type.Object({
          userId: Type.Optional(Type.String({ description: 'Only tokens that belong to this user.' })),
          ...pageQuery(limits.listPage),
        }),
        response: { 200: pageOf(ApiToken) },
      },
    },
    (request) => listTokens(db, request.actor.accountId, pageTokens, request.query),
  );

  app.patch(
    '/api-tokens/:id',
    {
      config,
      schema: {
        tags,
        summary: 'Change where an API token can be used from',
        description:
          'A token cannot change tokens with scopes that it does not have (403). A token that would lock itself out gets a 409 unless it confirms that.',
        params,
        body: ApiTokenUpdate,
        response: { 200: ApiToken },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        tx.afterCommit(authenticator.forget);
        const { allowedAddresses, confirmLockout } = request.body;
        const change = { allowedAddresses, confirmLockout };
        return {
          status: 200,
          body: await changeToken(tx, request.actor, clock.now(), request.params.id, change),
        };
      }),
  );

  app.post(
    '/api-tokens/:id/transfer',
    {
      config,
      schema: {
        tags,
        summary: 'Give an API token to another user',
        description:
          'The token itself does not change. It no longer ends when the user who had it is removed. A token cannot transfer tokens with scopes that it does not have (403).',
        params,
        body: ApiTokenTransfer,
        response: { 200: ApiToken },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        tx.afterCommit(authenticator.forget);
        const { id } = request.params;
        const { userId } = request.body;
        return { status: 200, body: await transferToken(tx, request.actor, clock.now(), id, userId) };
      }),
  );

  app.delete(
    '/api-tokens/:id',
    {
      config,
      schema: {
        tags,
        summary: 'Revoke an API token',
        params,
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
