/** Single timed requests of a scenario: set-up and single queries. load.ts generates load. */
import { Pool } from 'undici';

// biome-ignore lint/suspicious/noExplicitAny: each caller knows the answer's shape; a wrong one fails at once
type Json = any;

export interface Client {
  call(method: string, path: string, body?: object): Promise<{ body: Json; ms: number }>;
  close(): Promise<void>;
}

export function openClient(url: string, token: string): Client {
  const pool = new Pool(url, { connections: 64 });
  return {
    async call(method, path, body) {
      const began = performance.now();
      const response = await pool.request({
        method: method as 'GET',
        path,
        headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
        body: body ? JSON.stringify(body) : null,
      });
      const text = await response.body.text();
      const ms = performance.now() - began;
      if (response.statusCode >= 300)
        throw new Error(`${method} ${path} answered ${response.statusCode}: ${text}`);
      return { body: JSON.parse(text), ms };
    },
    close: () => pool.close(),
  };
}

export function percentile(values: readonly number[], share: number): number {
  if (values.length === 0) throw new Error('a percentile of nothing');
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)]!;
}

/** Calls `run` `perSecond` times a second, whether or not earlier calls have ended. */
export async function atRate(
  perSecond: number,
  seconds: number,
  run: (index: number) => Promise<unknown>,
): Promise<void> {
  const began = performance.now();
  const running: Promise<unknown>[] = [];
  for (let index = 0; index < perSecond * seconds; index++) {
    const due = began + (index * 1000) / perSecond;
    const wait = due - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    running.push(run(index));
  }
  await Promise.all(running);
}
