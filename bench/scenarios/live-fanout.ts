/** Many sockets on one process: how late a change arrives, and whether any socket misses one. */
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { WebSocket } from 'ws';
import { atRate, type Client, openClient, percentile } from '../load/client.ts';
import type { Measure, Scenario } from '../scenario.ts';
import type { Stage } from '../stage.ts';

const accounts = 100;
const socketsEach = 20;
const eventsPerSecond = 1_000;
/** Written by the batch: the measurement is how changes reach the sockets, not how requests are handled. */
const eventsAtOnce = 20;
const seconds = 30;
const password = 'a password for one run';
const limits = {
  crmPerMinute: 10_000_000,
  crmPerHour: 100_000_000,
  messagesPerMinute: 10_000_000,
  aiRepliesPerDay: 100_000_000,
};

interface Audience {
  api: Client;
  sockets: Listener[];
  written: number;
}

interface Listener {
  socket: WebSocket;
  received: number;
  gaps: number;
  closed: boolean;
}

export const liveFanout: Scenario = {
  name: 'live-fanout',
  about: `${accounts * socketsEach} sockets, ${eventsPerSecond} changes a second in batches of ${eventsAtOnce}, each to ${socketsEach} sockets, for ${seconds} s`,
  async measure(stage): Promise<Measure[]> {
    const audiences: Audience[] = [];
    const latencies: number[] = [];
    let failed = 0;
    const memory = watchMemory(stage.service.pid);
    try {
      for (let i = 0; i < accounts; i++) audiences.push(await openAudience(stage, i, latencies));
      await atRate(eventsPerSecond / eventsAtOnce, seconds, async (index) => {
        const audience = audiences[index % accounts]!;
        const title = `at ${performance.now()}`;
        const items = Array.from({ length: eventsAtOnce }, () => ({ title }));
        try {
          await audience.api.call('POST', '/crm/records/batch', { items });
          audience.written += eventsAtOnce;
        } catch {
          failed += eventsAtOnce;
        }
      });
      const sockets = audiences.flatMap((audience) => audience.sockets);
      const missing = () =>
        audiences.reduce(
          (sum, { sockets: own, written }) => sum + own.reduce((s, one) => s + written - one.received, 0),
          0,
        );
      const deadline = performance.now() + 10_000;
      while (missing() > 0 && performance.now() < deadline) await new Promise((r) => setTimeout(r, 20));
      const trouble = sockets.filter((one) => one.gaps > 0 || one.closed).length;
      return [
        { name: 'frames received', value: latencies.length, goal: null },
        { name: 'request to arrival p50, ms', value: percentile(latencies, 0.5), goal: null },
        { name: 'request to arrival p99, ms', value: percentile(latencies, 0.99), goal: { atMost: 250 } },
        { name: 'changes that were refused', value: failed, goal: { atMost: 0 } },
        { name: 'missing', value: missing(), goal: { atMost: 0 } },
        { name: 'sockets with a gap or closed', value: trouble, goal: { atMost: 0 } },
        { name: 'memory of the process at most, MB', value: memory.stop(), goal: { atMost: 512 } },
      ];
    } finally {
      memory.stop();
      for (const { api, sockets } of audiences) {
        for (const { socket } of sockets) socket.terminate();
        await api.close();
      }
    }
  },
};

async function openAudience(stage: Stage, index: number, latencies: number[]): Promise<Audience> {
  const { url } = stage.service;
  const instance = openClient(url, stage.workspace.jwt);
  const adminEmail = `live-${index}@example.com`;
  const { body: made } = await instance.call('POST', '/admin/accounts', {
    name: `Live ${index}`,
    adminEmail,
    adminPassword: password,
  });
  await instance.call('PATCH', `/admin/accounts/${made.account.id}`, { limits });
  const { body: login } = await instance.call('POST', '/auth/login', { email: adminEmail, password });
  await instance.close();
  const user = openClient(url, login.token);
  const { body: token } = await user.call('POST', '/api-tokens', { name: 'live', scopes: ['crm:write'] });
  const sockets: Listener[] = [];
  for (let i = 0; i < socketsEach; i++) {
    const { body } = await user.call('POST', '/ws/tickets');
    sockets.push(await openSocket(`${url.replace('http', 'ws')}/ws?ticket=${body.ticket}`, latencies));
  }
  await user.close();
  return { api: openClient(url, token.token), sockets, written: 0 };
}

const before = Buffer.from('"title":"at ');
const head = /^\{"seq":(\d+),"prev":(\d+),"type":"record\.created"/;

async function openSocket(address: string, latencies: number[]): Promise<Listener> {
  const socket = new WebSocket(address, { perMessageDeflate: false, skipUTF8Validation: true });
  socket.on('error', () => {});
  const listener: Listener = { socket, received: 0, gaps: 0, closed: false };
  let seq = 0;
  const greeted = new Promise<void>((resolve) => {
    socket.on('message', (data) => {
      const bytes = data as Buffer;
      // Only what is needed is parsed: this process shares its two cores with what it measures.
      const numbers = head.exec(bytes.toString('latin1', 0, 64));
      if (!numbers) {
        seq = JSON.parse(String(bytes)).seq;
        resolve();
        return;
      }
      if (Number(numbers[2]) !== seq) listener.gaps++;
      seq = Number(numbers[1]);
      const from = bytes.indexOf(before) + before.length;
      latencies.push(performance.now() - Number.parseFloat(bytes.toString('latin1', from, from + 20)));
      listener.received++;
    });
  });
  await once(socket, 'open');
  socket.on('close', () => {
    listener.closed = true;
  });
  socket.send('{"type":"ping"}');
  await greeted;
  return listener;
}

function watchMemory(pid: number): { stop(): number } {
  let most = 0;
  const look = () => {
    const path = `/proc/${pid}/status`;
    const status = existsSync(path) ? readFileSync(path, 'utf8') : '';
    most = Math.max(most, Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
  };
  const timer = setInterval(look, 500);
  return {
    stop() {
      look();
      clearInterval(timer);
      return most;
    },
  };
}
