/** An import over a real connection, sent and read piece by piece. */
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { createInterface } from 'node:readline';
import type { Json, TestService } from './service.ts';

export interface OpenImport {
  request: ClientRequest;
  send(text: string | Buffer): Promise<void>;
  /** The next line of the response; null at its end. */
  line(): Promise<Json | null>;
  /** All lines that are left. */
  rest(): Promise<Json[]>;
}

export function openImport(address: string, token: string, query = ''): OpenImport {
  const outgoing = request(`${address}/crm/import${query}`, {
    method: 'POST',
    agent: false,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'text/csv' },
  });
  // A test that leaves in the middle ignores the error that this causes.
  outgoing.on('error', () => {});
  const lines = linesOf(once(outgoing, 'response') as Promise<[IncomingMessage]>);
  const line = async () => (await lines.next()).value ?? null;
  return {
    request: outgoing,
    async send(text) {
      if (!outgoing.write(text)) await once(outgoing, 'drain');
    },
    line,
    async rest() {
      const all: Json[] = [];
      for (let next = await line(); next !== null; next = await line()) all.push(next);
      return all;
    },
  };
}

async function* linesOf(response: Promise<[IncomingMessage]>): AsyncGenerator<Json> {
  const [incoming] = await response;
  for await (const text of createInterface({ input: incoming })) yield JSON.parse(text);
}

/** The whole file in one call; returns the response line by line, or the error. */
export async function importCsv(
  service: TestService,
  csv: string | Buffer,
  {
    query = '',
    token = service.token,
    headers = {},
  }: { query?: string; token?: string; headers?: object } = {},
) {
  const answer = await service.call('POST', `/crm/import${query}`, {
    token,
    body: csv,
    headers: { 'content-type': 'text/csv', ...headers },
  });
  const isLines = answer.status === 200;
  const lines: Json[] = isLines
    ? answer.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
    : [];
  return { ...answer, rows: lines.slice(0, -1), summary: lines.at(-1)?.summary };
}
