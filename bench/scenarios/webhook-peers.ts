import { startChild } from '../child.ts';
import { median } from '../load/pairs.ts';
import { type CountingReceiver, startCountingReceiver } from '../load/receiver.ts';
import {
  backlogOf,
  deliverWithinMs,
  meterRound,
  prepareBacklog,
  type Round,
} from '../load/webhook-backlog.ts';
import { startRedis } from '../peers/redis.ts';
import { installPeers, type Peers } from '../peers.ts';
import type { Measure, Scenario } from '../scenario.ts';
import type { Stage } from '../stage.ts';

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
    const { secret, body, workOff } = await prepareBacklog(stage, stage, receiver, backlog);
    const start: Backlog = { url: receiver.url, secret, body, receiver, backlog };
    const sides: Sides = {
      talkboard: workOff,
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
    const rate = receiver.sustainedRate(backlog, deliverWithinMs);
    return meterRound(stage, boss.pid, async () => {
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
    const rate = receiver.sustainedRate(backlog, deliverWithinMs);
    return meterRound(stage, bull.pid, async () => {
      await bull.ask({ work: { count: backlog, appendfsync } });
      return rate;
    });
  };
  return {
    'BullMQ, fsync each second': () => workOff('everysec'),
    'BullMQ, fsync of each write': () => workOff('always'),
  };
}
