/** A receiver on this machine that verifies and prints what arrives, and may forward it. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { CommandError } from '../command.ts';
import { forward, lineOf } from './listen.forward.ts';
import { problemWith, signedHeadersOf } from './listen.signature.ts';

export interface Receiving {
  key: Buffer;
  port: number;
  forwardTo: string | null;
  print(text: string): void;
}

export async function receive({
  key,
  port,
  forwardTo,
  print,
}: Receiving): Promise<{ url: string; close(): Promise<void> }> {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(request);
    const problem = problemWith(key, request.headers, body, Date.now());
    if (problem) {
      print(`${new Date().toISOString()}  refused: ${problem}`);
      response.writeHead(401, { 'content-type': 'text/plain' }).end(problem);
      return;
    }
    const event = readEvent(body, String(request.headers['webhook-id']));
    if (!forwardTo) {
      print(`${lineOf(event, 'verified')}\n${event.shown}`);
      response.writeHead(204).end();
      return;
    }
    const { status, told } = await forward(forwardTo, signedHeadersOf(request.headers), body);
    print(lineOf(event, `verified, ${forwardTo} answered ${told}`));
    response.writeHead(status ?? 502).end();
  };

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new CommandError(error.code === 'EADDRINUSE' ? `port ${port} is in use` : error.message)),
    );
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function readEvent(body: Buffer, id: string) {
  try {
    const parsed = JSON.parse(body.toString('utf8'));
    const { event, timestamp } = parsed as { event?: unknown; timestamp?: unknown };
    return {
      id,
      event: String(event),
      timestamp: typeof timestamp === 'number' ? timestamp : Date.now(),
      shown: JSON.stringify(parsed, null, 2),
    };
  } catch {
    return { id, event: 'not JSON', timestamp: Date.now(), shown: body.toString('utf8') };
  }
}
