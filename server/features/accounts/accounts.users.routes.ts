import { User, UserCreate, UserUpdate } from '../../../contract/accounts.ts';
import { limits } from '../../../contract/limits.ts';
import { Done } from '../../../contract/shapes/errors.ts';
import { pageOf, pageQuery } from '../../../contract/shapes/paging.ts';
import { Type } from '../../../contract/shapes/type.ts';
import type { Context } from '../../context.ts';
import { answerOf } from '../../platform/http/error-handler.ts';
import type { App } from '../../platform/http/http.ts';
import {
  addUser,
  changeUser,
  checkEmail,
  emailRefused,
  hashPasswordFor,
  listUsers,
  removeUser,
} from './accounts.users.ts';
import { resetFactors } from './factors/accounts.factors.ts';
import { checkPassword, hashPassword } from './login/accounts.passwords.ts';

export function usersRoutes(app: App, context: Context): void {
  const { db, clock, write, pageTokens, authenticator } = context;
  const tags = ['Users'];
  const manage = { access: { scope: 'manage', permission: 'users.manage' } } as const;
  const Params = Type.Object({ id: Type.String() });

  app.post(
    '/users',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Add a user',
        description:
          'An address that another account has is a 409, which after five of them in an hour is the answer for every address: send an invitation. Nobody can give more rights than they have (403). A token can add only users who manage nothing: others need somebody who is signed in (403).',
        body: UserCreate,
        response: { 201: User },
      },
    },
    async (request, reply) => {
      // One by one: a body may hold more than its schema names, and rules take more than a caller may decide.
      const { email, name, role, roleId, password } = request.body;
      checkPassword(password, checkEmail(email, 'email'), 'password');
      const passwordHash = await hashPassword(password);
      const input = { email, name, role, roleId, passwordHash };
      return write(request, reply, async (tx) => {
        const user = await addUser(tx, request.actor, clock.now(), input);
        // Not thrown: the refusal is counted by what the transaction has written.
        return user ? { status: 201, body: user } : answerOf(emailRefused(), request.id);
      }) as Promise<User>;
    },
  );

  app.get(
    '/users',
    {
      config: { access: { scope: 'manage', everyUser: true } },
      schema: {
        tags,
        summary: 'List the users of the account',
        querystring: Type.Object(pageQuery(limits.listPage)),
        response: { 200: pageOf(User) },
      },
    },
    (request) => listUsers(db, request.actor, pageTokens, request.query),
  );

  app.patch(
    '/users/:id',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Change a user',
        description:
          "Nobody can change a user who has rights that they do not have, or give more than they have (403). A token can neither make a user manage something nor set the password of such a user (403). `role: operator` alone does not change a user's `roleId`; null does.",
        params: Params,
        body: UserUpdate,
        response: { 200: User },
      },
    },
    async (request, reply) => {
      const { name, role, roleId, password, capacity } = request.body;
      const passwordHash =
        password === undefined
          ? undefined
          : await hashPasswordFor(db, request.actor.accountId, request.params.id, password);
      return write(request, reply, async (tx) => {
        tx.afterCommit(authenticator.forget);
        const change = { name, role, roleId, passwordHash, capacity };
        return {
          status: 200,
          body: await changeUser(tx, request.actor, clock.now(), request.params.id, change),
        };
      });
    },
  );

  app.post(
    '/users/:id/reset-factors',
    {
      config: manage,
      schema: {
        tags,
        summary: "Remove a user's second factors",
        description:
          "For someone who has lost them. All sessions of the user end. A token cannot do this to an administrator (403), and nobody to themselves (409): that needs the user's password and a code.",
        params: Params,
        response: { 200: Done },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        tx.afterCommit(authenticator.forget);
        await resetFactors(tx, request.actor, clock.now(), request.params.id);
        return { status: 200, body: { message: 'second factors removed' } };
      }),
  );

  app.delete(
    '/users/:id',
    {
      config: manage,
      schema: {
        tags,
        summary: 'Remove a user',
        description:
          'The API tokens of the user are revoked too; transfer those that must stay valid first. Macros, saved replies, saved views and inbox views that the user has shared stay: the caller becomes their owner, or the first administrator if the caller is an API token.',
        params: Params,
        response: { 200: Done },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => {
        tx.afterCommit(authenticator.forget);
        await removeUser(tx, request.actor, clock.now(), request.params.id, context);
        return { status: 200, body: { message: 'user deleted' } };
      }),
  );
}
