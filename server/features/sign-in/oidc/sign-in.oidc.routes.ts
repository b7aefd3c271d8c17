import '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  oidcCallbackPath,
  ProviderAddress,
  ProviderStart,
  SignInMethods,
} from '../../../../contract/sign-in/sign-in.ts';
import type { SignInError } from '../../../../contract/sign-in/sign-in-errors.ts';
import type { Context } from '../../../context.ts';
import { AppError, notFound } from '../../../platform/http/errors.ts';
import type { App } from '../../../platform/http/http.ts';
import { createOidcClient, OidcFailure } from '../../../platform/oidc/oidc-client.ts';
import { refreshCookieName, refreshCookieOptions } from '../../accounts/accounts.ts';
import { openAttempt, sealAttempt, takeAttempt } from './sign-in.attempt.ts';
import { SignInRefused } from './sign-in.claims.ts';
import { signInWithIdentity } from './sign-in.oidc.ts';

const open = { access: { public: true } } as const;
/** For browsers, not for clients of the API. */
const hidden = { config: open, schema: { hide: true } } as const;
const cookieName = 'talkboard_oidc';
const startPath = '/auth/oidc/start';

/** What refuses every kind of sign-in. */
const refusals: { [code: string]: SignInError } = {
  ACCOUNT_SUSPENDED: 'account_suspended',
  ADDRESS_NOT_ALLOWED: 'address_not_allowed',
};

export function oidcRoutes(app: App, context: Context): void {
  const { config, logger, secrets, clock, instanceDb } = context;
  const settings = config.oidc;

  app.get(
    '/auth/methods',
    {
      config: open,
      schema: { tags: ['Sign-in'], summary: 'How people can sign in', response: { 200: SignInMethods } },
    },
    () => {
      const password = !settings?.isOnlyWay;
      return {
        password,
        passwordReset: password && config.mail !== null,
        provider: settings && { name: settings.name, url: startPath },
      };
    },
  );

  const provider = settings && createOidcClient(settings, config.publicUrl + oidcCallbackPath);
  const cookie = {
    path: '/auth/oidc',
    httpOnly: true,
    // Not strict: the provider sends the browser back from another site.
    sameSite: 'lax',
    secure: config.publicUrl.startsWith('https:'),
  } as const;
  const page = (reply: FastifyReply, query: Record<string, string | null>) => {
    const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== null);
    return reply.redirect(`${config.publicUrl}/app/login?${new URLSearchParams(given)}`);
  };
  const requireProvider = () => {
    if (!provider || !settings) throw notFound('sign-in provider');
    return { provider, settings };
  };

  /** Sets the cookie of the attempt. The address at the provider. */
  const begin = async (reply: FastifyReply, more: { next: string | null; invitation: string | null }) => {
    const { url, attempt } = await requireProvider().provider.begin();
    const sealed = sealAttempt(secrets, clock.now(), { ...attempt, ...more });
    reply.setCookie(cookieName, sealed.value, { ...cookie, maxAge: sealed.maxAgeSeconds });
    return String(url);
  };

  app.get(startPath, hidden, async (request, reply) => {
    requireProvider();
    const next = localPath((request.query as Record<string, unknown>).next);
    try {
      return reply.redirect(await begin(reply, { next, invitation: null }));
    } catch (error) {
      return page(reply, { error: codeFor(error, request), next });
    }
  });

  // The token of an invitation must not be in an address: those are logged.
  app.post(
    startPath,
    { config: open, schema: { hide: true, body: ProviderStart, response: { 200: ProviderAddress } } },
    async (request, reply) => {
      requireProvider();
      const { invitation } = request.body;
      try {
        return { url: await begin(reply, { next: null, invitation }) };
      } catch (error) {
        const query = new URLSearchParams({ error: codeFor(error, request) });
        return { url: `${config.publicUrl}/app/login?${query}` };
      }
    },
  );

  app.get(oidcCallbackPath, hidden, async (request, reply) => {
    const { provider, settings } = requireProvider();
    const now = clock.now();
    const attempt = openAttempt(secrets, now, request.cookies[cookieName]);
    reply.clearCookie(cookieName, cookie);
    try {
      if (!attempt) throw new SignInRefused('expired', 'the browser has no sign-in under way');
      await takeAttempt(instanceDb, attempt);
      const search = request.url.slice(oidcCallbackPath.length);
      const identity = await provider.finish(new URL(config.publicUrl + oidcCallbackPath + search), attempt);
      const refresh = await signInWithIdentity(
        { ...context, settings },
        {
          identity,
          client: { address: request.clientAddress, userAgent: request.headers['user-agent'] ?? null },
          invitation: attempt.invitation,
        },
      );
      reply.setCookie(refreshCookieName, refresh.value, {
        ...refreshCookieOptions(config.publicUrl),
        maxAge: refresh.maxAgeSeconds,
      });
      return page(reply, { signedIn: 'true', next: attempt.next });
    } catch (error) {
      return page(reply, { error: codeFor(error, request), next: attempt?.next ?? null });
    }
  });

  function codeFor(error: unknown, request: FastifyRequest): SignInError {
    const rule = error instanceof AppError ? refusals[error.code] : undefined;
    const isExpected = error instanceof SignInRefused || error instanceof OidcFailure || rule !== undefined;
    const code = error instanceof SignInRefused || error instanceof OidcFailure ? error.code : rule;
    const address = request.clientAddress;
    const reason = (error as Error).message;
    if (isExpected) logger.info({ address, code, reason }, 'a sign-in with the provider failed');
    else if (error instanceof AppError)
      logger.warn({ address, reason }, 'a sign-in with the provider failed');
    else logger.error({ err: error, address }, 'a sign-in with the provider failed');
    return code ?? 'unavailable';
  }
}

/** Below the dashboard only: an address of someone else's must not be followed after signing in. */
function localPath(value: unknown): string | null {
  return typeof value === 'string' && value.length <= 500 && /^\/[^/\\]/.test(value) ? value : null;
}
