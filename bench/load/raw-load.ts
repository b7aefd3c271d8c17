/**
 * A load generator over bare sockets, for what autocannon cannot do: offer requests at an even rate whether or not
 * earlier ones were answered. It must be cheap, since it shares the processor with the service that it measures.
 */
import { connect, type Socket } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { percentile } from './client.ts';
import type { Burst } from './load.ts';

export interface RawLoad {
  url: string;
  /** Complete HTTP requests, sent in rotation. */
  requests: readonly Buffer[];
  /** Requests in flight at most. */
  connections: number;
  seconds: number;
  /** Offered rate; if omitted, each connection sends again as soon as it is answered. */
  perSecond?: number;
}

export interface RawBurst extends Burst {
  /** Of the responses 2xx alone. */
  acceptedP99: number;
  /** Due at the offered rate while every connection waited for a response. */
  unsent: number;
  broken: number;
  /** p99 of what the generator's own event loop is late, ms: latencies include it. */
  generatorDelayP99: number;
}

const tickMs = 2;
const headEnd = '\r\n\r\n';

interface Line {
  socket: Socket;
  sentAt: number;
  received: string;
}

export async function runRawLoad({
  url,
  requests,
  connections,
  seconds,
  perSecond,
}: RawLoad): Promise<RawBurst> {
  const { hostname, port } = new URL(url);
  const statuses: Record<string, number> = {};
  const latencies: number[] = [];
  const accepted: number[] = [];
  const idle: Line[] = [];
  const lines = await Promise.all(
    Array.from({ length: connections }, () => openLine(hostname, Number(port))),
  );
  let sent = 0;
  let isOver = false;
  let failed = 0;

  const send = (line: Line) => {
    line.sentAt = performance.now();
    line.socket.write(requests[sent++ % requests.length]!);
  };
  for (const line of lines) {
    line.socket.on('data', (text: string) => {
      line.received += text;
      const status = statusOfWhole(line.received);
      if (status === null || isOver) return;
      line.received = '';
      statuses[status] = (statuses[status] ?? 0) + 1;
      const ms = performance.now() - line.sentAt;
      latencies.push(ms);
      if (status.startsWith('2')) accepted.push(ms);
      if (perSecond === undefined) send(line);
      else idle.push(line);
    });
    line.socket.on('error', () => failed++);
  }

  const delay = monitorEventLoopDelay({ resolution: tickMs });
  delay.enable();
  const began = performance.now();
  if (perSecond === undefined) for (const line of lines) send(line);
  else idle.push(...lines);
  await new Promise<void>((resolve) => {
    const tick = setInterval(() => {
      const elapsed = performance.now() - began;
      const due = perSecond === undefined ? 0 : Math.floor((elapsed / 1000) * perSecond) - sent;
      for (let index = 0; index < due; index++) {
        const line = idle.pop();
        // All connections are waiting: this request could not even be sent.
        if (line) send(line);
        else break;
      }
      if (elapsed < seconds * 1000) return;
      clearInterval(tick);
      resolve();
    }, tickMs);
  });
  isOver = true;
  delay.disable();
  const took = (performance.now() - began) / 1000;
  for (const { socket } of lines) socket.destroy();
  const succeeded = accepted.length;
  const answered = latencies.length;
  return {
    perSecond: succeeded / took,
    succeeded,
    failed: answered - succeeded + failed,
    statuses,
    p50: answered > 0 ? percentile(latencies, 0.5) : 0,
    p99: answered > 0 ? percentile(latencies, 0.99) : 0,
    acceptedP99: succeeded > 0 ? percentile(accepted, 0.99) : 0,
    broken: failed,
    // It counts from the start of the wait of `resolution`.
    generatorDelayP99: Math.max(0, delay.percentile(99) / 1e6 - tickMs),
    unsent: perSecond === undefined ? 0 : Math.max(0, Math.floor(took * perSecond) - sent),
  };
}

/** Null: incomplete. */
function statusOfWhole(text: string): string | null {
  const end = text.indexOf(headEnd);
  if (end < 0) return null;
  const length = /content-length: (\d+)/i.exec(text.slice(0, end))?.[1];
  if (length === undefined) throw new Error(`an answer without a length: ${text.slice(0, end)}`);
  return text.length - end - headEnd.length >= Number(length) ? text.slice(9, 12) : null;
}

function openLine(host: string, port: number): Promise<Line> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host);
    socket.setNoDelay(true).setEncoding('latin1');
    socket.once('connect', () => resolve({ socket, sentAt: 0, received: '' }));
    socket.once('error', reject);
  });
}
