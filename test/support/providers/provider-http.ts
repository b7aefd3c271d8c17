/** What the fake providers share: reading requests, and failures on request. */
import type { IncomingMessage, ServerResponse } from 'node:http';

export interface ProviderCall {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body: Buffer;
}

export interface Upload {
  name: string;
  type: string;
  bytes: Buffer;
}

export async function readCall(message: IncomingMessage): Promise<ProviderCall> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  const headers = Object.fromEntries(
    Object.entries(message.headers).map(([name, value]) => [name, String(value)]),
  );
  return {
    method: message.method ?? 'GET',
    url: new URL(message.url ?? '/', 'http://provider'),
    headers,
    body: Buffer.concat(chunks),
  };
}

/** Parsed by an independent parser, not by ours. */
export async function readForm(
  call: ProviderCall,
): Promise<{ fields: URLSearchParams; files: Map<string, Upload> }> {
  const fields = new URLSearchParams();
  const files = new Map<string, Upload>();
  const body = new Uint8Array(call.body);
  const headers = { 'content-type': call.headers['content-type'] ?? '' };
  for (const [name, value] of await new Response(body, { headers }).formData()) {
    if (typeof value === 'string') fields.append(name, value);
    else
      files.set(name, { name: value.name, type: value.type, bytes: Buffer.from(await value.arrayBuffer()) });
  }
  return { fields, files };
}

export function answerJson(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

export interface Failure {
  /** Which calls; all of them if it is left out. */
  on?: (name: string) => boolean;
  /** How many calls in a row; one if it is left out. */
  times?: number;
  /** Answered with, and not carried out. */
  status?: number;
  code?: number;
  message?: string;
  retryAfter?: number;
  /** `after`: carried out, then the connection ends without an answer. `before`: it ends at once. */
  drop?: 'before' | 'after';
}

/** Failures that wait for the calls they concern. */
export class Failures {
  #waiting: { failure: Failure; left: number }[] = [];

  add(failure: Failure): void {
    this.#waiting.push({ failure, left: failure.times ?? 1 });
  }

  take(name: string): Failure | null {
    const found = this.#waiting.find(({ failure }) => failure.on?.(name) ?? true);
    if (!found) return null;
    found.left -= 1;
    if (found.left === 0) this.#waiting = this.#waiting.filter((one) => one !== found);
    return found.failure;
  }
}

/** The same path and query where the service listens. */
export function reachable(url: string, serviceUrl: string | null): string {
  const { pathname, search } = new URL(url);
  return serviceUrl === null ? url : `${serviceUrl}${pathname}${search}`;
}
