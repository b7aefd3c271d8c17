import '@fastify/cookie';
import { LoginAnswer } from '../../../../contract/accounts.ts';
import { Done } from '../../../../contract/shapes/errors.ts';
import { Type } from '../../../../contract/shapes/type.ts';
import {
  LinkBody,
  PasswordResetConfirm,
  PasswordResetLink,
  PasswordResetRequest,
} from '../../../../contract/sign-in/sign-in.ts';
import type { Context } from '../../../context.ts';
import type { App } from '../../../platform/http/http.ts';
import { refreshCookieName, refreshCookieOptions } from '../../accounts/accounts.ts';
import { signInWithLink } from './sign-in.links.ts';
import { confirmPasswordReset, createResetLink, requestPasswordReset } from './sign-in.password-reset.ts';

const tags = ['Sign-in'];
const open = { access: { public: true } } as const;

export function linksRoutes(app: App, context: Context): void {
  const { clock, config, write, authenticator } = context;

  app.post(
    '/auth/password-reset',
    {
      config: open,
      schema: {
        tags,
        summary: 'Request a link for a new password by e-mail',
        description:
          'The answer is the same whether or not there is such a user. At most 3 an hour for an address, 20 from a client (429). Needs SMTP_URL; without it a 409 for everyone.',
        body: PasswordResetRequest,
        response: { 202: Done },
      },
    },
    async (request, reply) => {
      const { email } = request.body;
      await requestPasswordReset(context, { email, address: request.clientAddress });
      return reply
        .code(202)
        .send({ message: 'if there is such a user, an e-mail with a link is on its way' });
    },
  );

  app.post(
    '/auth/password-reset/confirm',
    {
      config: open,
      schema: {
        tags,
        summary: 'Set a new password with the token of a link',
        description: 'Every session of the user ends. 400 if the link has expired or was used already.',
        body: PasswordResetConfirm,
        response: { 200: Done },
      },
    },
    async (request) => {
      request.stopCounting();
      await confirmPasswordReset(context, { ...request.body, address: request.clientAddress });
      authenticator.forget();
      return { message: 'password changed' };
    },
  );

  app.post(
    '/users/:id/password-reset',
    {
      config: { access: { scope: 'manage', permission: 'users.manage' } },
      schema: {
        tags: ['Users'],
        summary: 'Create a link with which a user sets a new password',
        description:
          "Valid for an hour, once. A token cannot create one for an administrator's password (403).",
        params: Type.Object({ id: Type.String() }),
        response: { 201: PasswordResetLink },
      },
    },
    (request, reply) =>
      write(request, reply, async (tx) => ({
        status: 201,
        body: await createResetLink(tx, request.actor, clock.now(), request.params.id, config),
      })),
  );

  app.post(
    '/auth/login-link',
    {
      config: open,
      schema: {
        tags,
        summary: 'Sign in with a link of the command line',
        description: '`npx talkboard login-link` creates it. 400 if it has expired or was used already.',
        body: LinkBody,
        response: { 200: LoginAnswer },
      },
    },
    async (request, reply) => {
      const client = { address: request.clientAddress, userAgent: request.headers['user-agent'] ?? null };
      const { signedIn, cookie } = await signInWithLink(context, request.body.token, client);
      if (cookie) {
        reply.setCookie(refreshCookieName, cookie.value, {
          ...refreshCookieOptions(config.publicUrl),
          maxAge: cookie.maxAgeSeconds,
        });
      }
      return reply.send(signedIn);
    },
  );
}
