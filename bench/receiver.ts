/** A webhook receiver inside the measuring process: answers 200 at once and tells when what arrived. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// biome-ignore lint/suspicious/noExplicitAny: the scenario knows the event it waits for
type Json = any;

export interface Receiver {
  url: string;
  close(): Promise<void>;
}

export async function startReceiver(onEvent: (event: Json, at: number) => void): Promise<Receiver> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const at = performance.now();
      response.end('ok');
      onEvent(JSON.parse(Buffer.concat(chunks).toString()), at);
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
