/**
 * Runs before every route: who calls, how often, and whether they may. A route without a declared access does not
 * start, so none can be forgotten.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { managementRequestsPerMinute, type Scope, userRequestsPerMinute } from '../../../contract/limits.ts';
import { AppError, forbidden, rateLimited } from '../../platform/errors.ts';
import type { App } from '../../platform/http.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { RateLimits, RateVerdict } from '../../platform/rate-limit.ts';
import type { Actor } from './accounts.actor.ts';
import type { Authenticator } from './accounts.authenticate.ts';

export type Access =
  | { public: true }
  /** Any token or user of the account. */
  | { anyone: true }
  /** A dashboard user; tokens have no password and no profile. */
  | { user: true }
  | { instanceAdmin: true }
  /** A token with the scope. Users: everyone, but for `manage` only administrators unless operators may too. */
  | { scope: Scope; operators?: boolean };

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
  }
  interface FastifyRequest {
    /** Set on every route that is not public. */
    actor: Actor;
  }
}

export interface AccessDeps {
  authenticator: Authenticator;
  rateLimits: RateLimits;
  metrics: Metrics;
}

export function installAccess(app: App, { authenticator, rateLimits, metrics }: AccessDeps): void {
  app.decorateRequest<Actor | null>('actor', null);
  app.addHook('onRoute', (route) => {
    if (!route.config?.access) throw new Error(`${String(route.method)} ${route.url} declares no access`);
  });
  app.addHook('onRequest', async (request, reply) => {
    const access = request.routeOptions.config.access;
    // No access means no route: the answer is the 404 of the not-found handler.
    if (!access || 'public' in access) return;
    try {
      request.actor = await authenticator.authenticate(request.headers.authorization);
    } catch (error) {
      if (error instanceof AppError && error.status === 401) reply.header('www-authenticate', 'Bearer');
      throw error;
    }
    await countRequest(request, reply, rateLimits, metrics);
    checkAccess(request.actor, access);
  });
}

function checkAccess(actor: Actor, access: Exclude<Access, { public: true }>): void {
  if ('anyone' in access) return;
  if ('instanceAdmin' in access) {
    if (actor.kind !== 'user' || !actor.isInstanceAdmin)
      throw forbidden('only the instance administrator may do this');
  } else if ('user' in access) {
    if (actor.kind !== 'user') throw forbidden('only a signed-in user may do this');
  } else if (actor.kind === 'token') {
    if (!actor.scopes.includes(access.scope)) throw forbidden(`the token lacks the scope ${access.scope}`);
  } else if (
    access.scope === 'manage' &&
    !access.operators &&
    actor.kind === 'user' &&
    actor.role !== 'admin'
  ) {
    throw forbidden('only an administrator may do this');
  }
}

const crmPath = /^\/(?:kanbans|crm)(?:\/|$)/;
const messagingPath =
  /^\/(?:messages|sessions|attachments|blocked-contacts|channels\/[^/]+\/sessions)(?:\/|$)/;

async function countRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  rateLimits: RateLimits,
  metrics: Metrics,
): Promise<void> {
  const { actor } = request;
  const path = request.routeOptions.url ?? '';
  const isCrm = crmPath.test(path);
  let verdict: RateVerdict;
  let bucket: string;
  if (actor.kind === 'user') {
    bucket = 'user';
    const windows = [{ limit: userRequestsPerMinute, seconds: 60 }];
    verdict = await rateLimits.admit(actor.accountId, `user:${actor.id}`, windows);
  } else if (isCrm || messagingPath.test(path)) {
    bucket = isCrm ? 'crm' : 'messages';
    verdict = await rateLimits.admit(actor.accountId, bucket, null);
  } else {
    bucket = 'management';
    const windows = [{ limit: managementRequestsPerMinute, seconds: 60 }];
    verdict = await rateLimits.admit(actor.accountId, bucket, windows);
  }
  reply
    .header('x-ratelimit-limit', verdict.limit)
    .header('x-ratelimit-remaining', verdict.remaining)
    .header('x-ratelimit-reset', verdict.resetSeconds);
  if (!verdict.admitted) {
    metrics.rateLimited.inc({ bucket });
    throw rateLimited(isCrm ? 403 : 429, verdict.retryAfterSeconds);
  }
}
