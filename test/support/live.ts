/** A client of `/ws` as docs/realtime.md describes it: stores what it receives, checks that nothing is missing. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientOptions, WebSocket } from 'ws';
import type { ClientFrame, ServerFrame } from '../../contract/realtime.ts';
import type { App } from '../../server/platform/http/http.ts';
import { addressOf } from './address.ts';
import { eventually } from './eventually.ts';
import type { Json, TestService } from './service.ts';

/** PUBLIC_URL in tests. */
export const ownOrigin = 'http://127.0.0.1:3000';

export async function listen(app: App): Promise<string> {
  return `${(await addressOf(app)).replace('http', 'ws')}/ws`;
}

export async function ticketFor(call: TestService['call'], jwt: string): Promise<string> {
  const { status, body, text } = await call('POST', '/ws/tickets', { token: jwt });
  assert.equal(status, 201, text);
  return body.ticket;
}

export type Place = { seq: number; epoch: string };

export class LiveClient {
  readonly socket: WebSocket;
  readonly frames: Json[] = [];
  place: Place;
  /** Of every numbered frame: `prev` was what this client had. */
  gaps = 0;
  closeCode: number | null = null;

  constructor(url: string, ticket: string, resume: Place | null, options: ClientOptions = {}) {
    this.place = resume ?? { seq: 0, epoch: '' };
    this.socket = new WebSocket(`${url}?ticket=${ticket}`, { origin: ownOrigin, ...options });
    this.socket.on('error', () => {});
    this.socket.on('close', (code) => {
      this.closeCode = code;
    });
    this.socket.on('message', (data) => {
      const frame = JSON.parse(String(data)) as ServerFrame & Json;
      this.frames.push(frame);
      if (frame.seq === null) return;
      if ('prev' in frame && frame.prev !== this.place.seq) this.gaps++;
      this.place = { seq: frame.seq, epoch: frame.data.epoch ?? this.place.epoch };
    });
  }

  say(frame: ClientFrame): void {
    this.socket.send(JSON.stringify(frame));
  }

  of(type: string): Json[] {
    return this.frames.filter((frame) => frame.type === type);
  }

  async next(type: string, which: (data: Json) => boolean = () => true): Promise<Json> {
    const find = () => this.of(type).find((frame) => which(frame.data));
    await eventually(() => find() !== undefined, 8_000).catch(() => {
      const seen = this.frames.map((frame) => frame.type).join(', ');
      throw new Error(`no ${type} came; only ${seen} (closed: ${this.closeCode})`);
    });
    return find().data;
  }

  async closed(withinMs = 8_000): Promise<number> {
    await eventually(() => this.closeCode !== null, withinMs);
    return this.closeCode!;
  }

  async end(): Promise<void> {
    if (this.socket.readyState === WebSocket.CLOSED) return;
    const closed = once(this.socket, 'close');
    this.socket.terminate();
    await closed;
  }
}

/** Connected and greeted. */
export async function connectLive(
  url: string,
  call: TestService['call'],
  jwt: string,
  resume: Place | null = null,
): Promise<LiveClient> {
  const client = new LiveClient(url, await ticketFor(call, jwt), resume);
  await once(client.socket, 'open');
  client.say(resume ? { type: 'resume', ...resume } : { type: 'ping' });
  await client.next('hello');
  return client;
}

/** The status of the response to an attempt that is rejected before it becomes a WebSocket. */
export async function refusal(url: string, options: ClientOptions = {}): Promise<number> {
  const socket = new WebSocket(url, { origin: ownOrigin, ...options });
  socket.on('error', () => {});
  const status = await new Promise<number>((resolve) => {
    socket.once('open', () => resolve(101));
    socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
  });
  socket.terminate();
  return status;
}
