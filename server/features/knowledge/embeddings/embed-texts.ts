/** Vectors of texts, by a provider with the protocol of OpenAI's embeddings. */
import { OutboundError } from '../../../platform/outbound/outbound-error.ts';
import { providerMessage } from '../../../platform/outbound/provider-message.ts';
import { readRetryAfter } from '../../../platform/outbound/retry-after.ts';
import type { SafeFetch, SafeResponse } from '../../../platform/outbound/safe-fetch.ts';

export interface EmbeddingModel {
  baseUrl: string;
  model: string;
  apiKey: string | null;
}

/** The message is shown in the settings. */
export class EmbeddingError extends Error {
  /** The texts may be the reason: others may have vectors. */
  readonly isRefusal: boolean;
  /** Null: the provider named no wait. */
  readonly retryAfterMs: number | null;

  constructor(message: string, { isRefusal = false, retryAfterMs = null as number | null } = {}) {
    super(message);
    this.isRefusal = isRefusal;
    this.retryAfterMs = retryAfterMs;
  }
}

const maxDimensions = 8_192;
/** Squares of numbers beyond them are infinite, or nothing. */
const largest = 1e100;
const smallest = 1e-100;
const maxAnswerBytes = 16 * 1024 * 1024;
const refusals = [400, 413, 422];

/** As many as there are texts, in their order, all of one length. Rejects with EmbeddingError, or the signal's reason. */
export async function embedTexts(
  safeFetch: SafeFetch,
  { baseUrl, model, apiKey }: EmbeddingModel,
  texts: readonly string[],
  { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal },
): Promise<number[][]> {
  const response = await safeFetch
    .request(addressOf(baseUrl), {
      headers: {
        'content-type': 'application/json',
        ...(apiKey !== null && { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify({ model, input: texts, encoding_format: 'float' }),
      totalTimeoutMs: timeoutMs,
      maxReadBytes: maxAnswerBytes,
      keepBytes: maxAnswerBytes,
      ...(signal && { signal }),
    })
    .catch((error: unknown) => {
      if (!(error instanceof OutboundError)) throw error;
      throw new EmbeddingError(`the provider cannot be reached: ${error.message}`);
    });
  if (response.status < 200 || response.status > 299) throw refused(response, apiKey);
  const vectors = readVectors(response.body, texts.length);
  if (!vectors) throw new EmbeddingError('the provider returned an unreadable answer');
  return vectors;
}

/** Some addresses have a query, such as `?api-version=`. */
function addressOf(baseUrl: string): string {
  const url = new URL(baseUrl);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/embeddings`;
  return url.href;
}

function refused({ status, headers, body }: SafeResponse, apiKey: string | null): EmbeddingError {
  const said = providerMessage(body, apiKey);
  return new EmbeddingError(`the provider answered ${status}${said === null ? '' : `: ${said}`}`, {
    isRefusal: refusals.includes(status),
    retryAfterMs: readRetryAfter(headers['retry-after'], Date.now()),
  });
}

/** Null: it is not what the protocol says. */
function readVectors(body: string, count: number): number[][] | null {
  let data: unknown;
  try {
    ({ data } = JSON.parse(body));
  } catch {
    return null;
  }
  if (!Array.isArray(data) || data.length !== count) return null;
  // Some servers leave the index out and keep the order.
  const placed = data.map((one: Partial<Embedded> | null, place) => ({
    index: one?.index ?? place,
    embedding: one?.embedding,
  }));
  const vectors = placed.sort((one, other) => one.index - other.index).map(({ embedding }) => embedding);
  const isComplete = placed.every(({ index }, place) => index === place);
  const areAlike = vectors.every((one) => isVector(one) && one.length === vectors[0]!.length);
  return isComplete && areAlike ? (vectors as number[][]) : null;
}

interface Embedded {
  index: number;
  embedding: number[];
}

function isVector(value: unknown): value is number[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= maxDimensions &&
    value.every((one) => typeof one === 'number' && Math.abs(one) <= largest) &&
    value.some((one) => Math.abs(one) >= smallest)
  );
}
