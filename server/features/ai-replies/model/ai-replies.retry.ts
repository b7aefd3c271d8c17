/** Retries a reply: 3 tries within 30 s by default, then the caller reports the failure. */
import { setTimeout as delay } from 'node:timers/promises';
import { ModelError } from '../ai-replies.conversation.ts';

export interface Try {
  /** From 1. */
  number: number;
  /** The time limit of this try, so that later ones still fit. */
  timeoutMs: number;
  signal: AbortSignal;
}

export interface TriesOptions {
  tries?: number;
  withinMs?: number;
  signal: AbortSignal;
  now?: () => number;
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  random?: () => number;
}

const backoffMs = 500;
const jitter = 0.2;

/**
 * Only a retryable ModelError is retried. Every try but the last gets half of the remaining time (15, 7, 7 s of 30):
 * a model that never answers is still called three times, and a slow one gets more than an equal share. If the
 * provider asks for a wait that does not fit, it is not called again.
 */
export async function withTries<T>(
  run: (attempt: Try) => Promise<T>,
  { tries = 3, withinMs = 30_000, signal, now = Date.now, sleep = pause, random = Math.random }: TriesOptions,
): Promise<T> {
  const deadline = now() + withinMs;
  for (let number = 1; ; number += 1) {
    signal.throwIfAborted();
    const left = deadline - now();
    const timeoutMs = Math.max(1, Math.floor(number < tries ? left / 2 : left));
    try {
      return await run({ number, timeoutMs, signal });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ModelError) || !error.retryable || number >= tries) throw error;
      const backoff = backoffMs * 2 ** (number - 1) * (1 + jitter * random());
      const wait = Math.ceil(Math.max(backoff, error.retryAfterMs ?? 0));
      if (now() + wait >= deadline) throw error;
      await sleep(wait, signal);
    }
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, { signal });
  } catch (error) {
    // The timer rejects with an AbortError of its own; callers look for the reason they gave.
    signal.throwIfAborted();
    throw error;
  }
}
