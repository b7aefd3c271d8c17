/** Forwards an event to a receiver, and formats the line about it. */
import type { SignedHeaders } from './listen.signature.ts';

const withinMs = 15_000;

export interface Forwarded {
  status: number | null;
  /** `200 in 12 ms`, or why there was no answer. */
  told: string;
}

export async function forward(
  url: string,
  headers: SignedHeaders,
  body: string | Buffer,
): Promise<Forwarded> {
  const begun = performance.now();
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(withinMs),
    });
    await answer.arrayBuffer();
    return { status: answer.status, told: `${answer.status} in ${Math.round(performance.now() - begun)} ms` };
  } catch (error) {
    return { status: null, told: reasonOf(error as Error & { cause?: { code?: string; message?: string } }) };
  }
}

function reasonOf({ name, message, cause }: Error & { cause?: { code?: string; message?: string } }): string {
  if (name === 'TimeoutError') return `no answer within ${withinMs / 1000} s`;
  return `no answer: ${cause?.code ?? cause?.message ?? message}`;
}

export interface ShownEvent {
  id: string;
  event: string;
  timestamp: number;
}

export function lineOf({ id, event, timestamp }: ShownEvent, outcome: string): string {
  return `${new Date(timestamp).toISOString()}  ${event.padEnd(20)}  ${id}  ${outcome}`;
}
