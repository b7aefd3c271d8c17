/** One run: mixed traffic with faults on the way, then the comparison of the books with what is stored. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Findings } from './check.ts';
import { collectFindings } from './collect.ts';
import { type FaultReport, runFaults } from './faults.ts';
import type { Instance } from './instance.ts';
import type { Outcomes } from './outcomes.ts';
import type { Memory, Micros } from './usage.ts';

export interface RunOptions {
  seconds: number;
  perSecond: number;
  moves: number;
  say(line: string): void;
}

export interface RunResult {
  seconds: number;
  outcomes: Outcomes;
  faults: FaultReport;
  acknowledged: number;
  deliveries: number;
  memory: Memory[];
  /** Over the whole run, with the work in the background. */
  used: Micros;
  connections: number;
  /** In PostgreSQL, for each acknowledged write, with its replies, events and log. */
  bytesPerWrite: number;
}

/** With a second's worth of requests unanswered the machine is saturated: then requests are left out, not queued. */
const fewestUnderWay = 8;
const longestDownMs = 4_000;

export async function runTraffic(instance: Instance, options: RunOptions): Promise<RunResult> {
  const { seconds, perSecond, moves, say } = options;
  const { traffic, drawAccount, deployment, accounts, balancer, books, receiver, usage } = instance;
  instance.newOutcomes();
  const before = usage.read();
  const sizeBefore = await instance.sizes();
  const acknowledgedBefore = books.acknowledged();
  say(`${seconds} s of traffic, ${perSecond} requests a second`);
  const underWay = new Set<Promise<unknown>>();
  let isOver = false;
  const began = performance.now();
  const sending = (async () => {
    for (let sent = 0; !isOver; ) {
      const due = Math.floor(((performance.now() - began) / 1000) * perSecond);
      for (; sent < due; sent++) {
        if (underWay.size >= Math.max(perSecond, fewestUnderWay)) continue;
        const one = traffic.run(traffic.draw(), drawAccount()).finally(() => underWay.delete(one));
        underWay.add(one);
      }
      await sleep(5);
    }
  })();
  try {
    const plan = { seconds, moves, downMs: Math.min(longestDownMs, seconds * 50) };
    const faults = await runFaults({ deployment, accounts, balancer, books, say }, plan);
    await sleep(Math.max(0, began + seconds * 1000 - performance.now()));
    isOver = true;
    await sending;
    await Promise.all(underWay);
    const after = usage.read();
    const size = await instance.sizes();
    const written = Math.max(1, books.acknowledged() - acknowledgedBefore);
    return {
      connections: size.connections,
      bytesPerWrite: (size.bytes - sizeBefore.bytes) / written,
      seconds: (performance.now() - began) / 1000,
      outcomes: instance.newOutcomes(),
      faults,
      acknowledged: books.acknowledged(),
      deliveries: receiver.received(),
      memory: usage.memory(),
      used: { nodes: after.nodes - before.nodes, database: after.database - before.database },
    };
  } finally {
    isOver = true;
  }
}

/** Wrong answers that clients got on the way count too. */
export async function checkInstance(instance: Instance, withinMs: number): Promise<Findings> {
  const findings = await collectFindings(instance, instance.accounts, withinMs);
  return { ...findings, wrong: [...instance.books.wrongAnswers(), ...findings.wrong] };
}
