/**
 * Processor time per request, for each kind of request, without faults. Several instances take turns, so that the
 * ratio between them does not depend on what else the machine does.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../load/pairs.ts';
import type { Instance } from './instance.ts';
import { kinds as allKinds, type Kind, shareOf } from './traffic.ts';
import type { Micros } from './usage.ts';

export interface KindCost {
  kind: Kind | 'mix';
  /** In the order of the instances: microseconds for one call of the kind, with its work in the background. */
  costs: Micros[];
}

export interface CostOptions {
  rounds: number;
  burstSeconds: number;
  /** For all kinds together. */
  warmUpSeconds: number;
  /** In the order of the instances. */
  clients: readonly number[];
  /** All, if it is left out. */
  kinds?: readonly Kind[];
  say(line: string): void;
}

/** What follows replies and deliveries, such as the numbering of live changes. */
const settleMs = 700;
const writes = new Set<Kind>(['create', 'send', 'widget']);

export interface Costs {
  byKind: KindCost[];
  /** In the order of the instances: microseconds a second without traffic. */
  idle: Micros[];
  /** Memory of an api process afterwards, and the number of cells. */
  apiMb: number[];
  cells: number[];
}

export async function measureCosts(instances: readonly Instance[], options: CostOptions): Promise<Costs> {
  const { rounds, burstSeconds, warmUpSeconds, clients, kinds = allKinds, say } = options;
  for (const [index, instance] of instances.entries()) {
    for (const kind of kinds) {
      await burst(instance, kind, clients[index]!, (warmUpSeconds * 1000) / kinds.length);
    }
  }
  for (const instance of instances) await instance.drained();
  await sleep(settleMs);
  const idle: Micros[] = [];
  for (const instance of instances) idle.push(await idleOf(instance, burstSeconds * 1000));
  const byKind: KindCost[] = [];
  for (const kind of kinds) {
    say(`  processor time of ${kind}`);
    const found = instances.map(() => [] as Micros[]);
    for (let round = 0; round < rounds; round++) {
      const order = instances.map((_, index) => index);
      for (const index of round % 2 === 0 ? order : order.toReversed()) {
        found[index]!.push(
          await costOf(instances[index]!, kind, idle[index]!, { burstSeconds, clients: clients[index]! }),
        );
      }
    }
    byKind.push({ kind, costs: found.map(medianOf) });
  }
  const shares = byKind.reduce((sum, { kind }) => sum + shareOf(kind as Kind), 0);
  const mixOf = (index: number, part: keyof Micros) =>
    byKind.reduce((sum, { kind, costs }) => sum + shareOf(kind as Kind) * costs[index]![part], 0) / shares;
  const mix = instances.map((_, index) => ({
    nodes: mixOf(index, 'nodes'),
    database: mixOf(index, 'database'),
  }));
  return {
    byKind: [...byKind, { kind: 'mix', costs: mix }],
    idle,
    apiMb: instances.map(({ usage }) =>
      median(
        usage
          .memory()
          .filter(({ name }) => name.startsWith('api'))
          .map(({ mb }) => mb),
      ),
    ),
    cells: instances.map(({ deployment }) => deployment.cells.length),
  };
}

const medianOf = (list: readonly Micros[]): Micros => ({
  nodes: median(list.map(({ nodes }) => nodes)),
  database: median(list.map(({ database }) => database)),
});

async function idleOf({ usage }: Instance, ms: number): Promise<Micros> {
  const before = usage.read();
  const began = performance.now();
  await sleep(ms);
  const after = usage.read();
  const seconds = (performance.now() - began) / 1000;
  return {
    nodes: (after.nodes - before.nodes) / seconds,
    database: (after.database - before.database) / seconds,
  };
}

async function costOf(
  instance: Instance,
  kind: Kind,
  idle: Micros,
  { burstSeconds, clients }: { burstSeconds: number; clients: number },
): Promise<Micros> {
  const began = performance.now();
  const before = instance.usage.read();
  const calls = await burst(instance, kind, clients, burstSeconds * 1000);
  if (writes.has(kind)) await instance.drained();
  await sleep(settleMs);
  const after = instance.usage.read();
  const seconds = (performance.now() - began) / 1000;
  return {
    nodes: Math.max(0, after.nodes - before.nodes - idle.nodes * seconds) / calls,
    database: Math.max(0, after.database - before.database - idle.database * seconds) / calls,
  };
}

/** Returns how many calls were made. A failure makes the figures worthless. */
async function burst(instance: Instance, kind: Kind, clients: number, ms: number): Promise<number> {
  const { traffic, drawAccount, outcomes } = instance;
  const failedBefore = outcomes().failures().length;
  const until = performance.now() + ms;
  let calls = 0;
  const client = async () => {
    while (performance.now() < until) {
      calls++;
      await traffic.run(kind, drawAccount());
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  const failure = outcomes().failures()[failedBefore];
  if (failure)
    throw new Error(`${kind} failed while its cost was measured: ${failure.status} ${failure.text}`);
  return calls;
}
