/** The system behind a tool: it records what it is asked, and answers as it is told. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ToolCallSeen {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
  at: number;
}

export interface ToolServer {
  origin: string;
  seen: ToolCallSeen[];
  /** How the next calls are answered; JSON `{ "ok": true }` at first. */
  answer(respond: (response: ServerResponse, call: ToolCallSeen) => void): void;
  close(): Promise<void>;
}

export async function startToolServer(): Promise<ToolServer> {
  const seen: ToolCallSeen[] = [];
  let respond: (response: ServerResponse, call: ToolCallSeen) => void = (response) =>
    response.end('{"ok":true}');
  const server = createServer((request, response) => {
    const at = performance.now();
    const chunks: Buffer[] = [];
    response.on('error', () => {});
    request
      .on('error', () => {})
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => {
        const { method = '', url = '', headers } = request;
        const call = { method, url, headers, body: Buffer.concat(chunks).toString(), at };
        seen.push(call);
        respond(response, call);
      });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    answer(next) {
      respond = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
