import '@fastify/cookie';
import { type Static, Type } from 'typebox';
import { LoginAnswer, LoginBody, MeAnswer, PasswordBody, ProfileUpdate } from '../../../contract/accounts.ts';
import { Done } from '../../../contract/errors.ts';
import type { Context } from '../../context.ts';
import type { Reader } from '../../platform/db.ts';
import { unauthorized } from '../../platform/errors.ts';
import type { App } from '../../platform/http.ts';
import { createOneAtATime } from '../../platform/one-at-a-time.ts';
import type { UserActor } from './accounts.actor.ts';
import { findAccount } from './accounts.admin.sql.ts';
import { changePassword, login, logout, refresh, refreshDays } from './accounts.login.ts';
import { selectLanguage, updateLanguage } from './accounts.users.sql.ts';
import { changeUser } from './accounts.users.ts';

const cookieName = 'talkboard_refresh';

export function loginRoutes(app: App, context: Context): void {
  const deps = { ...context, oneAtATime: createOneAtATime() };
  const tags = ['Sign-in'];
  const cookie = {
    path: '/auth',
    httpOnly: true,
    sameSite: 'strict',
    secure: deps.config.publicUrl.startsWith('https:'),
    maxAge: refreshDays * 86_400,
  } as const;

  app.post(
    '/auth/login',
    {
      config: { access: { public: true } },
      schema: { tags, summary: 'Sign in', body: LoginBody, response: { 200: LoginAnswer } },
    },
    async (request, reply) => {
      const { signedIn, refreshToken } = await login(deps, { ...request.body, address: request.ip });
      return reply.setCookie(cookieName, refreshToken, cookie).send(signedIn);
    },
  );

  app.post(
    '/auth/refresh',
    {
      config: { access: { public: true } },
      schema: { tags, summary: 'Renew the JWT by the refresh cookie', response: { 200: LoginAnswer } },
    },
    async (request, reply) => {
      const presented = request.cookies[cookieName];
      const renewed = presented ? await refresh(deps, presented) : null;
      if (!renewed) throw unauthorized('sign in again');
      if (renewed.refreshToken) reply.setCookie(cookieName, renewed.refreshToken, cookie);
      return reply.send(renewed.signedIn);
    },
  );

  app.post(
    '/auth/logout',
    {
      config: { access: { public: true } },
      schema: { tags, summary: 'Sign out', response: { 200: Done } },
    },
    async (request, reply) => {
      const actor = await deps.authenticator.authenticate(request.headers.authorization).catch(() => null);
      await logout(deps, {
        refreshToken: request.cookies[cookieName],
        actor: actor?.kind === 'user' ? actor : null,
      });
      return reply.clearCookie(cookieName, cookie).send({ message: 'signed out' });
    },
  );

  app.get(
    '/auth/me',
    {
      config: { access: { user: true } },
      schema: { tags, summary: 'Who is signed in', response: { 200: MeAnswer } },
    },
    (request) => describe(deps.db, request.actor as UserActor),
  );

  app.patch(
    '/auth/me',
    {
      config: { access: { user: true } },
      schema: {
        tags,
        summary: 'Change the own name or the language of the dashboard',
        body: ProfileUpdate,
        response: { 200: MeAnswer },
      },
    },
    (request, reply) =>
      deps.write(request, reply, async (tx) => {
        tx.afterCommit(deps.authenticator.forget);
        const actor = request.actor as UserActor;
        const { name, language } = request.body;
        const user =
          name === undefined ? actor : await changeUser(tx, actor, deps.clock.now(), actor.id, { name });
        if (language !== undefined) await updateLanguage(tx, actor.accountId, actor.id, language);
        return { status: 200, body: await describe(tx, { ...actor, name: user.name }) };
      }),
  );

  app.post(
    '/auth/password',
    {
      config: { access: { user: true } },
      schema: {
        tags,
        summary: 'Change the own password; every other session of the user ends',
        body: PasswordBody,
        response: { 200: Type.Object({ message: Type.String() }) },
      },
    },
    (request, reply) =>
      deps.write(request, reply, async (tx) => {
        tx.afterCommit(deps.authenticator.forget);
        await changePassword(tx, deps.clock.now(), request.actor as UserActor, request.body);
        return { status: 200, body: { message: 'password changed' } };
      }),
  );
}

async function describe(db: Reader, actor: UserActor): Promise<Static<typeof MeAnswer>> {
  const { id, email, name, role, isInstanceAdmin, accountId } = actor;
  const account = await findAccount(db, accountId);
  const language = await selectLanguage(db, accountId, id);
  return {
    user: { id, email, name, role, isInstanceAdmin, language },
    account: { id: accountId, name: account?.name ?? '' },
  };
}
