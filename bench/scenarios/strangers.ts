/** What strangers may cost: visitors who type without end, and bodies that never end. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { Agent, request } from 'undici';
import { WebSocket } from 'ws';
import { limits } from '../../contract/limits.ts';
import { atRate, openClient, percentile } from '../load/client.ts';
import type { Measure, Scenario } from '../scenario.ts';
import type { Stage } from '../stage.ts';

const visitors = 200;
const framesPerSecond = 2_500;
const frameTickMs = 10;
const readsPerSecond = 100;
/** Pairs of reads without and with frames. */
const rounds = 7;
const roundSeconds = 5;
const settleMs = 5_000;

const bodies = 1_500;
/** As much as a route for callers without authentication takes, without its end. */
const bodyBytes = 6 * limits.messageLength;
const bodySeconds = 15;
const bodyAddresses = 100;

/** Each is a stranger of its own: the limits of one address do not end the attack. */
const addressOf = (index: number) => `127.0.${1 + Math.floor(index / 250)}.${1 + (index % 250)}`;

export const strangers: Scenario = {
  name: 'strangers',
  about: `reads beside ${framesPerSecond} typing frames a second of ${visitors} sockets; memory with ${bodies} unfinished bodies`,
  async measure(stage): Promise<Measure[]> {
    return [...(await measureTyping(stage)), ...(await measureBodies(stage))];
  },
};

async function measureTyping({ service, workspace, recordIds, say }: Stage): Promise<Measure[]> {
  const sockets: WebSocket[] = [];
  const api = openClient(service.url, workspace.token);
  let closed = 0;
  try {
    for (let index = 0; index < visitors; index++) {
      const socket = await openVisitor(service.url, addressOf(index));
      socket.on('close', () => closed++);
      sockets.push(socket);
    }
    // The AI answers what they wrote.
    await pause(settleMs);
    const pairs: { idle: number; typing: number }[] = [];
    await readFor(roundSeconds, api, recordIds);
    for (let round = 0; round < rounds; round++) {
      const idle = await readFor(roundSeconds, api, recordIds);
      const stop = sendFrames(sockets);
      const typing = await readFor(roundSeconds, api, recordIds);
      say(`${Math.round(stop() / roundSeconds)} frames a second: p95 ${idle} and ${typing} ms`);
      pairs.push({ idle, typing });
    }
    const median = (of: (pair: (typeof pairs)[number]) => number) => percentile(pairs.map(of), 0.5);
    return [
      { name: 'reads p95 without frames, ms', value: median(({ idle }) => idle), goal: null },
      { name: 'reads p95 with frames, ms', value: median(({ typing }) => typing), goal: null },
      {
        name: 'with beside without',
        value: median(({ idle, typing }) => typing / idle),
        goal: { atMost: 2 },
      },
      { name: 'sockets that were closed', value: closed, goal: { atMost: 0 } },
    ];
  } finally {
    for (const socket of sockets) socket.terminate();
    await api.close();
  }
}

/** A visitor with a conversation: operators are told what the visitor types. */
async function openVisitor(url: string, localAddress: string): Promise<WebSocket> {
  const dispatcher = new Agent({ localAddress });
  const post = async (path: string, token: string | null, body: object) => {
    const { statusCode, body: answer } = await request(url + path, {
      method: 'POST',
      dispatcher,
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (statusCode >= 300) throw new Error(`POST ${path} answered ${statusCode}: ${text}`);
    return JSON.parse(text);
  };
  const { token } = await post('/widget/sessions', null, { channel: 'web' });
  await post('/widget/messages', token, {
    clientId: `stranger-${localAddress.replaceAll('.', '-')}`,
    content: 'Hello',
  });
  await dispatcher.close();
  const socket = new WebSocket(`${url.replace('http', 'ws')}/widget/live`, { localAddress });
  socket.on('error', () => {});
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'hello', token, position: 0, since: 0 }));
  await once(socket, 'message');
  return socket;
}

/** Returns their p95. */
async function readFor(
  seconds: number,
  api: ReturnType<typeof openClient>,
  recordIds: readonly string[],
): Promise<number> {
  const times: number[] = [];
  await atRate(readsPerSecond, seconds, async (index) => {
    const id = recordIds[(index * 7_919) % recordIds.length]!;
    const path = index % 2 === 0 ? `/crm/records/${id}` : '/crm/records?limit=20';
    times.push((await api.call('GET', path)).ms);
  });
  return percentile(times, 0.95);
}

/** Returns what ends it and how many were sent. */
function sendFrames(sockets: readonly WebSocket[]): () => number {
  const since = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    const due = ((performance.now() - since) / 1_000) * framesPerSecond;
    for (; sent < due; sent++) {
      const socket = sockets[sent % sockets.length]!;
      const isTyping = Math.floor(sent / sockets.length) % 2 === 0;
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ type: 'typing', isTyping }));
    }
  }, frameTickMs);
  return () => {
    clearInterval(timer);
    return sent;
  };
}

/** First without bodies, to know what connections cost; then each comes once; then one that is given up begins again. */
async function measureBodies({ service }: Stage): Promise<Measure[]> {
  const { hostname, port } = new URL(service.url);
  const head = [
    'POST /widget/messages HTTP/1.1',
    `host: ${hostname}:${port}`,
    'content-type: application/json',
    'transfer-encoding: chunked',
    '',
    `${bodyBytes.toString(16)}`,
    '[',
  ].join('\r\n');
  const bytes = Buffer.from(head.padEnd(head.length + bodyBytes - 1, ' '));
  const open = new Set<Socket>();
  let isRepeated = false;
  let ended = 0;
  const begin = (index: number, sent: Buffer) => {
    const localAddress = addressOf(index % bodyAddresses);
    const socket = connect({ host: hostname, port: Number(port), localAddress });
    open.add(socket);
    socket.on('error', () => {});
    socket.on('connect', () => socket.write(sent));
    // The end of the connection comes after the answer.
    socket.resume();
    socket.on('close', () => {
      open.delete(socket);
      ended++;
      if (isRepeated) setTimeout(() => isRepeated && begin(index, sent), 200);
    });
  };
  const endAll = () => {
    for (const socket of open) socket.destroy();
  };
  const before = residentMb(service.pid);
  const mostWith = async (sent: Buffer) => {
    for (let index = 0; index < bodies; index++) begin(index, sent);
    let most = 0;
    for (let tick = 0; tick < bodySeconds * 10; tick++) {
      await pause(100);
      most = Math.max(most, residentMb(service.pid) - before);
    }
    return most;
  };
  const connections = await mostWith(bytes.subarray(0, bytes.indexOf('[')));
  endAll();
  const once = await mostWith(bytes);
  endAll();
  isRepeated = true;
  const again = await mostWith(bytes);
  isRepeated = false;
  endAll();
  await pause(settleMs);
  return [
    { name: 'memory before unfinished bodies, MB', value: before, goal: null },
    { name: 'more with the connections alone, MB', value: connections, goal: null },
    { name: 'more with them, MB', value: once, goal: { atMost: 400 } },
    { name: 'more while they begin again, MB', value: again, goal: { atMost: 400 } },
    { name: 'more after them, MB', value: residentMb(service.pid) - before, goal: null },
    { name: 'bodies that were given up', value: ended, goal: null },
  ];
}

function residentMb(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  if (!kilobytes) throw new Error('the kernel does not report the memory of a process');
  return Number(kilobytes) / 1024;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
