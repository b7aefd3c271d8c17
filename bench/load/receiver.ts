/** A webhook receiver inside the measuring process: answers 200 at once and reports when each delivery arrived. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// biome-ignore lint/suspicious/noExplicitAny: the scenario knows the event it waits for
type Json = any;

export interface Receiver {
  url: string;
  close(): Promise<void>;
}

export async function startReceiver(
  onEvent: (event: Json, at: number, path: string) => void,
): Promise<Receiver> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const at = performance.now();
      response.end('ok');
      onEvent(JSON.parse(Buffer.concat(chunks).toString()), at, request.url ?? '');
    });
  });
  server.keepAliveTimeout = 30_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export interface CountingReceiver extends Receiver {
  /** Resolves with the rate at which the next `count` arrive, without the first and the last tenth. */
  sustainedRate(count: number, withinMs: number): Promise<number>;
}

/** Answers 200 at once and counts: its cost is the same for every sender. */
export async function startCountingReceiver(): Promise<CountingReceiver> {
  let received = 0;
  let onCount: () => void = () => {};
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.end('ok');
      received++;
      onCount();
    });
  });
  server.keepAliveTimeout = 30_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    sustainedRate(count, withinMs) {
      const rate = new Promise<number>((resolve, reject) => {
        const [from, to] = [Math.floor(count * 0.1), Math.floor(count * 0.9)];
        let begun = 0;
        let perSecond = 0;
        received = 0;
        const late = setTimeout(
          () => reject(new Error(`${received} of ${count} requests came in ${withinMs / 1000} s`)),
          withinMs,
        );
        onCount = () => {
          if (received === from) begun = performance.now();
          if (received === to) perSecond = (to - from) / ((performance.now() - begun) / 1000);
          if (received < count) return;
          clearTimeout(late);
          onCount = () => {};
          resolve(perSecond);
        };
      });
      // It is awaited only after the work has begun; until then a failure must not count as unhandled.
      rate.catch(() => undefined);
      return rate;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
