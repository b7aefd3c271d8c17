/** Maps failures of a model to ModelErrors: our own text, and whether a retry may help. */
import { APICallError } from 'ai';
import { OutboundError, type OutboundErrorCode } from '../../../platform/outbound/outbound-error.ts';
import { providerMessage } from '../../../platform/outbound/provider-message.ts';
import { readRetryAfter } from '../../../platform/outbound/retry-after.ts';
import { ModelError } from '../ai-replies.conversation.ts';

/** They come from the settings, which do not change within half a minute. */
const settled: OutboundErrorCode[] = ['ADDRESS_REFUSED', 'BAD_REQUEST', 'TLS'];

/**
 * The provider's text goes only into `details`: it may quote the prompt. The key is removed from it. Every unknown
 * error is an answer that the SDK could not read.
 */
export function toModelError(error: unknown, apiKey: string | null): ModelError {
  if (error instanceof ModelError) return error;
  const outbound = findOutbound(error);
  if (outbound) {
    return new ModelError(`the model cannot be reached: ${outbound.message}`, {
      retryable: !settled.includes(outbound.code),
    });
  }
  if (APICallError.isInstance(error)) {
    const { statusCode, responseHeaders, responseBody } = error;
    if (statusCode === undefined) return new ModelError('the model cannot be reached', { retryable: true });
    if (statusCode < 200 || statusCode > 299) {
      return new ModelError(`the model answered ${statusCode}`, {
        retryable: statusCode >= 500 || [408, 409, 425, 429].includes(statusCode),
        retryAfterMs: waitAsked(responseHeaders),
        isBusy: statusCode === 429,
        providerMessage: providerMessage(responseBody, apiKey),
      });
    }
  }
  return new ModelError('the model returned an unreadable answer', { retryable: true });
}

/** Some providers give milliseconds besides, because whole seconds are long. */
function waitAsked(headers: Record<string, string> = {}): number | null {
  const ms = Number(headers['retry-after-ms'] || Number.NaN);
  return ms >= 0 ? ms : readRetryAfter(headers['retry-after'], Date.now());
}

function findOutbound(error: unknown): OutboundError | null {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1) {
    if (at instanceof OutboundError) return at;
  }
  return null;
}
