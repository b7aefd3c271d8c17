import { startChild } from '../child.ts';
import { type CpuTimes, createCpuMeter } from '../cpu.ts';
import { openClient } from '../load/client.ts';
import { median } from '../load/pairs.ts';
import { type CountingReceiver, startCountingReceiver } from '../load/receiver.ts';
import { startRedis } from '../peers/redis.ts';
import { installPeers, type Peers } from '../peers.ts';
import type { Measure, Scenario } from '../scenario.ts';
import type { Stage } from '../stage.ts';

const endpoints = 20;
const maxBacklog = 20_000;
/** Each of 100 records is changed once per round, and each change is an event for each endpoint. */
const perRound = 100 * endpoints;
/** Ten for each of `--records`. */
const backlogOf = (records: number) =>
  Math.max(perRound, Math.min(maxBacklog, Math.floor((records * 10) / perRound) * perRound));
const withinMs = 300_000;

/**
 * Both sides find a backlog in the same PostgreSQL, sign each event and send it to the same receiver on loopback, up
 * to 64 at a time, and record the outcome: Talkboard a row of its log for each attempt, pg-boss one output for each
 * batch of jobs. In batches of 16 pg-boss has at most 64 calls whose result is not yet written, like Talkboard, so
 * that a crash would repeat as many; in batches of 200 it is faster and would repeat 800. BullMQ keeps its jobs in
 * Redis. As its documentation recommends, Redis calls fsync each second: a crash of the machine may lose that second.
 * With an fsync of each write it is as safe as PostgreSQL's commit.
 */
export const webhookPeers: Scenario = {
  name: 'webhook-peers',
  about: 'a backlog of signed deliveries, in turns with pg-boss and BullMQ, both with undici',
  onRequest: true,
  async measure(stage) {
    const peers = await installPeers(['pg-boss', 'bullmq', 'ioredis']);
    stage.onClose(() => peers.remove());
    const receiver = await startCountingReceiver();
    stage.onClose(() => receiver.close());
    const backlog = backlogOf(stage.options.records);
    const { requeue, secret, body } = await prepareBacklog(stage, receiver.url, backlog);
    const start: Backlog = { url: receiver.url, secret, body, receiver, backlog };
    const sides: Sides = {
      async talkboard() {
        await stage.pool.query('vacuum analyze webhook_deliveries, webhook_attempts');
        const rate = receiver.sustainedRate(backlog, withinMs);
        await requeue();
        return withCpu(stage, stage.service.pid, () => rate);
      },
      ...(await startBoss(stage, peers, start)),
      ...(await startBull(stage, peers, start)),
    };
    const names = Object.keys(sides);
    const rounds = new Map(names.map((name) => [name, [] as Round[]]));
    for (let pair = -1; pair < stage.options.pairs; pair++) {
      for (const name of pair % 2 === 0 ? names : names.toReversed()) {
        const round = await sides[name]!();
        // The first round of each is warm-up.
        if (pair >= 0) rounds.get(name)!.push(round);
        stage.say(`  ${name}: ${Math.round(round.rate)}/s${saidCpu(round, backlog)}`);
      }
    }
    const ours = rounds.get('talkboard')!;
    const measures: Measure[] = [];
    for (const [name, all] of rounds) {
      const rates = all.map(({ rate }) => rate);
      measures.push({ name: `${name}, deliveries a second`, value: median(rates), goal: null });
      const micros = all.flatMap(({ cpu }) => (cpu ? [(cpu.side + cpu.database) / backlog] : []));
      if (micros.length > 0) {
        measures.push({
          name: `${name}, µs of processor time a delivery`,
          value: median(micros),
          goal: null,
        });
      }
      if (name === 'talkboard') continue;
      const value = median(ours.map(({ rate }, pair) => rate / rates[pair]!));
      measures.push({ name: `ratio to ${name}`, value, goal: goals[name] ? { atLeast: goals[name] } : null });
    }
    return measures;
  },
};

type Sides = Record<string, () => Promise<Round>>;

interface Round {
  rate: number;
  /** Of the sender and of PostgreSQL, for all deliveries; null if the kernel does not report it. */
  cpu: CpuTimes | null;
}

async function withCpu(stage: Stage, pid: number, work: () => Promise<number>): Promise<Round> {
  const meter = createCpuMeter(pid, stage.postgresPid);
  const rate = await work();
  return { rate, cpu: meter.read() };
}

function saidCpu({ cpu }: Round, backlog: number): string {
  return cpu
    ? `, ${(cpu.side / backlog).toFixed(0)} + ${(cpu.database / backlog).toFixed(0)} µs of processor time a delivery`
    : '';
}

const goals: Record<string, number> = { 'pg-boss, batches of 16': 1.3, 'pg-boss, batches of 200': 1 };

interface Backlog {
  url: string;
  secret: string;
  body: string;
  receiver: CountingReceiver;
  backlog: number;
}

async function startBoss(
  stage: Stage,
  peers: Peers,
  { url, secret, body, receiver, backlog }: Backlog,
): Promise<Sides> {
  const boss = startChild('peers/pg-boss.ts', { PEER_ENTRY: peers.entry('pg-boss') });
  stage.onClose(() => boss.stop());
  await boss.ask({ open: { connection: stage.connection, url, secret } });
  const workOff = async (batchSize: number) => {
    await boss.ask({ insert: { count: backlog, body } });
    await stage.pool.query('vacuum analyze');
    const rate = receiver.sustainedRate(backlog, withinMs);
    return withCpu(stage, boss.pid, async () => {
      await boss.ask({ work: { batchSize } });
      return rate;
    });
  };
  return { 'pg-boss, batches of 16': () => workOff(16), 'pg-boss, batches of 200': () => workOff(200) };
}

/** It needs a Redis; without one it is left out. */
async function startBull(
  stage: Stage,
  peers: Peers,
  { url, secret, body, receiver, backlog }: Backlog,
): Promise<Sides> {
  const redis = await startRedis();
  if (!redis) {
    stage.say('BullMQ is left out: neither redis-server nor valkey-server is installed on this machine');
    return {};
  }
  stage.onClose(() => redis.stop());
  const env = { PEER_ENTRY: peers.entry('bullmq'), REDIS_ENTRY: peers.entry('ioredis') };
  const bull = startChild('peers/bullmq.ts', env);
  stage.onClose(() => bull.stop());
  await bull.ask({ open: { socket: redis.socket, url, secret } });
  const workOff = async (appendfsync: string) => {
    await bull.ask({ insert: { count: backlog, body } });
    const rate = receiver.sustainedRate(backlog, withinMs);
    return withCpu(stage, bull.pid, async () => {
      await bull.ask({ work: { count: backlog, appendfsync } });
      return rate;
    });
  };
  return {
    'BullMQ, fsync each second': () => workOff('everysec'),
    'BullMQ, fsync of each write': () => workOff('always'),
  };
}

/** The events are created once and delivered again in each round: creating them is not measured. */
async function prepareBacklog({ service, workspace, pool }: Stage, url: string, backlog: number) {
  const client = openClient(service.url, workspace.token);
  const hooks: string[] = [];
  let secret = '';
  for (let i = 0; i < endpoints; i++) {
    const { body } = await client.call('POST', '/webhooks', {
      url,
      events: ['crm_field_update'],
      enabled: false,
    });
    hooks.push(body.id);
    secret = body.secret;
  }
  const { body: list } = await client.call('GET', '/crm/records?limit=100');
  for (let sent = 0; sent < backlog / endpoints; sent += 100) {
    const items = list.items.map((record: { recordId: string }) => ({
      recordId: record.recordId,
      title: `Round ${sent}`,
    }));
    await client.call('POST', '/crm/records/batch', { items });
  }
  for (const id of hooks) await client.call('PATCH', `/webhooks/${id}`, { enabled: true });
  await client.close();
  const { rows } = await pool.query(
    `select e.body from webhook_deliveries d join events e on e.account_id = d.account_id and e.id = d.event_id
    where d.webhook_id = $1 limit 1`,
    [hooks[0]],
  );
  return {
    secret,
    body: rows[0].body as string,
    /** As if no attempt had been made. */
    async requeue() {
      // The last results of the previous round may still be in flight.
      for (;;) {
        const { rows: leased } = await pool.query(
          'select 1 from webhook_deliveries where lease_token is not null limit 1',
        );
        if (leased.length === 0) break;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      const { rowCount } = await pool.query(
        `update webhook_deliveries set status = 'pending', attempts = 0, next_attempt_at = now(), attempt_at = null,
          attempt_ms = null, attempt_status = null, attempt_error = null, attempt_response = null
        where webhook_id = any($1::uuid[])`,
        [hooks],
      );
      if (rowCount !== backlog) throw new Error(`${rowCount} deliveries instead of ${backlog}`);
    },
  };
}
