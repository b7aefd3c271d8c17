/** One attempt: sign the frozen bytes, send them, judge the response. */
import type { KeyObject } from 'node:crypto';
import { version } from '../../../contract/version.ts';
import type { Clock } from '../../platform/db/clock.ts';
import { signedHeaders } from '../../platform/events/signature.ts';
import { OutboundError } from '../../platform/outbound/outbound-error.ts';
import { readRetryAfter } from '../../platform/outbound/retry-after.ts';
import type { SafeFetch } from '../../platform/outbound/safe-fetch.ts';
import type { SendInside } from './inbox/webhook-inbox.ts';
import type { EndpointKeys } from './signing/webhooks.keys.ts';
import type { ClaimedDelivery, FinishedAttempt } from './webhooks.queue.sql.ts';
import { gapAfter } from './webhooks.schedule.ts';

export interface AttemptDeps {
  safeFetch: SafeFetch;
  keys: EndpointKeys;
  clock: Clock;
  deliverLocally?: SendInside;
}

export async function attempt(deps: AttemptDeps, delivery: ClaimedDelivery): Promise<FinishedAttempt> {
  const at = deps.clock.now();
  const begun = performance.now();
  let outcome: Outcome;
  try {
    outcome = await send(deps, delivery, at);
  } catch (reason) {
    outcome = { statusCode: null, error: reasonOf(reason), response: null, retryAfterMs: null };
  }
  const { statusCode, error, response, retryAfterMs } = outcome;
  const durationMs = Math.round(performance.now() - begun);
  const log = { delivery, at, durationMs, statusCode, error, response };
  if (error === null) return { ...log, status: 'delivered', gapMs: null };
  // Gone for good: the endpoint is disabled, and its pending events are held for a replay.
  if (statusCode === 410) return { ...log, status: 'held', gapMs: null };
  const gapMs = gapAfter(delivery.attempt, retryAfterMs);
  return { ...log, status: gapMs === null ? 'exhausted' : 'retrying', gapMs };
}

const userAgent = `Talkboard/${version.slice(1)}`;

interface Outcome {
  statusCode: number | null;
  error: string | null;
  response: string | null;
  retryAfterMs: number | null;
}

async function send(
  { safeFetch, keys, clock, deliverLocally }: AttemptDeps,
  delivery: ClaimedDelivery,
  at: number,
): Promise<Outcome> {
  const { url, eventId, body } = delivery;
  const headers = signedHeaders(keysInForce(keys, delivery, at), eventId, Math.floor(at / 1000), body);
  headers['content-type'] = 'application/json';
  headers['user-agent'] = userAgent;
  const request = { method: 'POST' as const, headers, body };
  const answer = await (deliverLocally?.(url, request) ?? safeFetch.request(url, request));
  const { status, body: response } = answer;
  if (isSuccess(status)) return { statusCode: status, error: null, response, retryAfterMs: null };
  const retryAfterMs = readRetryAfter(answer.headers['retry-after'], clock.now());
  return { statusCode: status, error: `answered ${status}`, response, retryAfterMs };
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/**
 * A secret that cannot be opened (SECRET_KEY was changed) fails the attempt, so that the log shows it; it must not
 * end the worker.
 */
function keysInForce(keys: EndpointKeys, delivery: ClaimedDelivery, now: number): KeyObject[] {
  const { webhookId, secret, previousSecrets } = delivery;
  try {
    if (previousSecrets.length === 0) return [keys.open(webhookId, secret)];
    const sealed = [secret, ...previousSecrets.filter(({ until }) => until > now).map((old) => old.secret)];
    return sealed.map((one) => keys.open(webhookId, one));
  } catch (error) {
    throw new UnreadableSecret('the secret cannot be read with this SECRET_KEY', { cause: error });
  }
}

class UnreadableSecret extends Error {}

/** Only our own text about a failure goes into the log: a system error may contain our addresses. */
function reasonOf(error: unknown): string {
  if (error instanceof UnreadableSecret) return error.message;
  return error instanceof OutboundError ? `${error.code}: ${error.message}` : 'the request failed';
}
