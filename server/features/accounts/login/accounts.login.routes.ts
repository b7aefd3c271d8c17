import '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import {
  LoginAnswer,
  LoginBody,
  LoginSessions,
  MeAnswer,
  PasswordBody,
  ProfileUpdate,
} from '../../../../contract/accounts.ts';
import { Done } from '../../../../contract/shapes/errors.ts';
import { Type } from '../../../../contract/shapes/type.ts';
import { FactorRequired } from '../../../../contract/sign-in/second-factors.ts';
import type { Context } from '../../../context.ts';
import { createKeyedMutex } from '../../../platform/concurrency/keyed-mutex.ts';
import type { Reader } from '../../../platform/db/db.ts';
import { unauthorized } from '../../../platform/http/errors.ts';
import type { App } from '../../../platform/http/http.ts';
import type { UserActor } from '../accounts.actor.ts';
import { findAccount } from '../accounts.admin.sql.ts';
import { selectPreferences, updatePreferences } from '../accounts.users.sql.ts';
import { changeUser } from '../accounts.users.ts';
import type { FactorDeps } from '../factors/accounts.factors.proof.ts';
import { factorRoutes, signInFactorRoutes } from '../factors/accounts.factors.routes.ts';
import { askForFactor } from '../factors/accounts.factors.sign-in.ts';
import { createSignInTickets } from '../factors/accounts.tickets.ts';
import { permissionsOf } from '../roles/accounts.permissions.ts';
import {
  changePassword,
  type LoginDeps,
  login,
  loginBounds,
  preparePasswordChange,
  requireLocalSignIn,
} from './accounts.login.ts';
import {
  type Client,
  refreshCookieName as cookieName,
  endOtherSessions,
  endSession,
  listSessions,
  logout,
  type RefreshCookie,
  refresh,
  refreshCookieOptions,
} from './accounts.sessions.ts';

const tags = ['Sign-in'];
const open = { access: { public: true } } as const;
const signedIn = { access: { user: true } } as const;

export function loginRoutes(app: App, context: Context): void {
  const deps = {
    ...context,
    oneAtATime: createKeyedMutex(loginBounds),
    tickets: createSignInTickets(context.secrets),
  };
  signInRoutes(app, deps);
  sessionRoutes(app, context);
  profileRoutes(app, deps);
  factorRoutes(app, deps);
}

const clientOf = (request: FastifyRequest): Client => ({
  address: request.clientAddress,
  userAgent: request.headers['user-agent'] ?? null,
});

function signInRoutes(app: App, deps: Context & FactorDeps): void {
  const cookie = refreshCookieOptions(deps.config.publicUrl);
  const setCookie = (reply: FastifyReply, { value, maxAgeSeconds }: RefreshCookie) =>
    reply.setCookie(cookieName, value, { ...cookie, maxAge: maxAgeSeconds });
  signInFactorRoutes(app, deps, { clientOf, setCookie });

  app.post(
    '/auth/login',
    {
      config: open,
      schema: {
        tags,
        summary: 'Sign in',
        description:
          'The response is 202 for a user with a second factor: continue with `POST /auth/login/factor`.',
        body: LoginBody,
        response: { 200: LoginAnswer, 202: FactorRequired },
      },
    },
    async (request, reply) => {
      requireLocalSignIn(deps.config, 'passwords');
      // Logins wait in a separate bounded queue; they must not take the places of other requests.
      request.stopCounting();
      const answer = await login(deps, { ...request.body, ...clientOf(request) });
      if ('needsFactor' in answer) return reply.code(202).send(await askForFactor(deps, answer.needsFactor));
      if (answer.cookie) setCookie(reply, answer.cookie);
      return reply.send(answer.signedIn);
    },
  );

  app.post(
    '/auth/refresh',
    {
      config: open,
      schema: {
        tags,
        summary: 'Renew the JWT with the refresh cookie',
        description:
          'Replaces the cookie. An earlier cookie is accepted for 30 seconds after its replacement, for a second tab; later it ends the session.',
        response: { 200: LoginAnswer },
      },
    },
    async (request, reply) => {
      const presented = request.cookies[cookieName];
      const renewed = presented ? await refresh(deps, presented, clientOf(request)) : null;
      if (!renewed) throw unauthorized('sign in again');
      if (renewed.cookie) setCookie(reply, renewed.cookie);
      return reply.send(renewed.signedIn);
    },
  );

  app.post(
    '/auth/logout',
    { config: open, schema: { tags, summary: 'Sign out', response: { 200: Done } } },
    async (request, reply) => {
      const actor = await deps.authenticator.authenticate(request.headers.authorization).catch(() => null);
      await logout(deps, {
        refreshToken: request.cookies[cookieName],
        actor: actor?.kind === 'user' ? actor : null,
      });
      return reply.clearCookie(cookieName, cookie).send({ message: 'signed out' });
    },
  );
}

function sessionRoutes(app: App, context: Context): void {
  app.get(
    '/auth/sessions',
    {
      config: signedIn,
      schema: { tags, summary: 'List your login sessions', response: { 200: LoginSessions } },
    },
    async (request) => ({ items: await listSessions(context, request.actor as UserActor) }),
  );

  app.delete(
    '/auth/sessions',
    {
      config: signedIn,
      schema: { tags, summary: 'End every other login session of the user', response: { 200: Done } },
    },
    (request, reply) =>
      context.write(request, reply, async (tx) => {
        tx.afterCommit(context.authenticator.forget);
        await endOtherSessions(tx, request.actor as UserActor);
        return { status: 200, body: { message: 'other sessions ended' } };
      }),
  );

  app.delete(
    '/auth/sessions/:id',
    {
      config: signedIn,
      schema: {
        tags,
        summary: 'End one of your login sessions',
        params: Type.Object({ id: Type.String() }),
        response: { 200: Done },
      },
    },
    (request, reply) =>
      context.write(request, reply, async (tx) => {
        tx.afterCommit(context.authenticator.forget);
        await endSession(tx, request.actor as UserActor, request.params.id);
        return { status: 200, body: { message: 'session ended' } };
      }),
  );
}

function profileRoutes(app: App, deps: Context & LoginDeps): void {
  app.get(
    '/auth/me',
    {
      config: { access: { user: true, withoutFactor: true } },
      schema: { tags, summary: 'Who is signed in', response: { 200: MeAnswer } },
    },
    (request) => describe(deps.db, request.actor as UserActor),
  );

  app.patch(
    '/auth/me',
    {
      config: signedIn,
      schema: {
        tags,
        summary: 'Change your name, availability, language, theme or read release notes',
        body: ProfileUpdate,
        response: { 200: MeAnswer },
      },
    },
    (request, reply) =>
      deps.write(request, reply, async (tx) => {
        tx.afterCommit(deps.authenticator.forget);
        const actor = request.actor as UserActor;
        const { name, ...preferences } = request.body;
        const user =
          name === undefined ? actor : await changeUser(tx, actor, deps.clock.now(), actor.id, { name });
        await updatePreferences(tx, actor.accountId, actor.id, preferences);
        return { status: 200, body: await describe(tx, { ...actor, name: user.name }) };
      }),
  );

  app.post(
    '/auth/password',
    {
      config: signedIn,
      schema: {
        tags,
        summary: 'Change your password; every other session of yours ends',
        description:
          'A wrong currentPassword is a 400 and counts as a failed login: after 5 within 5 minutes from one address the answer is 429 with Retry-After.',
        body: PasswordBody,
        response: { 200: Done },
      },
    },
    async (request, reply) => {
      const actor = request.actor as UserActor;
      request.stopCounting();
      const change = await preparePasswordChange(deps, actor, request.clientAddress, request.body);
      return deps.write(request, reply, async (tx) => {
        tx.afterCommit(deps.authenticator.forget);
        await changePassword(tx, deps.clock.now(), actor, change);
        return { status: 200, body: { message: 'password changed' } };
      });
    },
  );
}

async function describe(db: Reader, actor: UserActor): Promise<Static<typeof MeAnswer>> {
  const { id, email, name, role, roleId = null, isInstanceAdmin, accountId } = actor;
  const permissions = [...permissionsOf(actor)];
  const account = await findAccount(db, accountId);
  const preferences = await selectPreferences(db, accountId, id);
  return {
    user: { id, email, name, role, roleId, permissions, isInstanceAdmin, ...preferences },
    account: { id: accountId, name: account?.name ?? '' },
  };
}
