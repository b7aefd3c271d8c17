/** One attempt: sign the frozen bytes, send them, judge the answer. */
import { version } from '../../../contract/version.ts';
import type { Clock } from '../../platform/clock.ts';
import { openEndpointSecret } from '../../platform/endpoints.ts';
import { OutboundError } from '../../platform/outbound-error.ts';
import { readRetryAfter } from '../../platform/retry-after.ts';
import type { SafeFetch } from '../../platform/safe-fetch.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { ClaimedDelivery, FinishedAttempt } from './webhooks.queue.sql.ts';
import { gapAfter } from './webhooks.schedule.ts';
import { signedHeaders } from './webhooks.signature.ts';

export interface AttemptDeps {
  safeFetch: SafeFetch;
  secrets: Secrets;
  clock: Clock;
}

export async function attempt(deps: AttemptDeps, delivery: ClaimedDelivery): Promise<FinishedAttempt> {
  const { safeFetch, clock } = deps;
  const at = clock.now();
  const begun = performance.now();
  const secrets = secretsInForce(deps.secrets, delivery, at);
  const outcome = await safeFetch
    .request(delivery.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': `Talkboard/${version.slice(1)}`,
        ...signedHeaders(secrets, delivery.eventId, Math.floor(at / 1000), delivery.body),
      },
      body: delivery.body,
    })
    .then(
      ({ status, headers, body }) => ({
        statusCode: status,
        error: isSuccess(status) ? null : `answered ${status}`,
        response: body,
        retryAfterMs: isSuccess(status) ? null : readRetryAfter(headers['retry-after'], at),
      }),
      (error: unknown) => ({ statusCode: null, error: reasonOf(error), response: null, retryAfterMs: null }),
    );
  const { statusCode, error, response, retryAfterMs } = outcome;
  const durationMs = Math.round(performance.now() - begun);
  const log = { delivery, at, durationMs, statusCode, error, response };
  if (error === null) return { ...log, status: 'delivered', gapMs: null };
  // Gone for good: the endpoint is disabled, and what was meant for it is kept for a replay.
  if (statusCode === 410) return { ...log, status: 'held', gapMs: null };
  const gapMs = gapAfter(delivery.attempt, retryAfterMs);
  return { ...log, status: gapMs === null ? 'exhausted' : 'retrying', gapMs };
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function secretsInForce(secrets: Secrets, delivery: ClaimedDelivery, now: number): string[] {
  const { webhookId, secret, previousSecret, previousSecretUntil } = delivery;
  const sealed = previousSecret && (previousSecretUntil ?? 0) > now ? [secret, previousSecret] : [secret];
  return sealed.map((one) => openEndpointSecret(secrets, webhookId, one));
}

/** Only our own words about a failure go into the log: an error of the system may name addresses of ours. */
function reasonOf(error: unknown): string {
  return error instanceof OutboundError ? `${error.code}: ${error.message}` : 'the request failed';
}
