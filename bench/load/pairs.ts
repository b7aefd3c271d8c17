/**
 * Two sides under the same load, in alternating bursts. Machines are shared and noisy: a rate says little, the median
 * of ratios of adjacent bursts says much.
 */
import { type CpuTimes, createCpuMeter } from '../cpu.ts';
import type { Side } from '../processes.ts';
import type { Stage } from '../stage.ts';
import type { Burst, LoadJob } from './load.ts';

export interface Target extends Pick<LoadJob, 'headers' | 'requests'> {
  side: Side;
}

export interface SideFigures {
  perSecond: number;
  p50: number;
  p99: number;
  /** Everything that was answered, warm-up included. */
  succeeded: number;
  /** Microseconds of processor time per request, in the side's own process and in PostgreSQL. */
  cpu: CpuTimes | null;
}

export interface Comparison {
  /** Talkboard's rate as a share of the floor's: the median of all pairs. */
  ratio: number;
  ratios: number[];
  talkboard: SideFigures;
  floor: SideFigures;
}

export async function comparePairs(
  stage: Pick<Stage, 'options' | 'load' | 'postgresPid'>,
  sides: { talkboard: Target; floor: Target },
): Promise<Comparison> {
  const { options, load } = stage;
  const succeeded = { talkboard: 0, floor: 0 };
  const cpu = { talkboard: [] as CpuTimes[], floor: [] as CpuTimes[] };
  const bursts = { talkboard: [] as Burst[], floor: [] as Burst[] };
  const run = async (side: 'talkboard' | 'floor', seconds: number): Promise<Burst> => {
    const { side: process, headers, requests } = sides[side];
    const meter = createCpuMeter(process.pid, stage.postgresPid);
    const burst = await load.run({ url: process.url, headers, requests, clients: options.clients, seconds });
    const used = meter.read();
    // A side that rejects is fast, so a single failure makes the figures worthless.
    if (burst.failed > 0 || burst.succeeded === 0) {
      throw new Error(`${side}: ${burst.failed} requests failed (${JSON.stringify(burst.statuses)})`);
    }
    succeeded[side] += burst.succeeded;
    if (used) {
      cpu[side].push({ side: used.side / burst.succeeded, database: used.database / burst.succeeded });
    }
    return burst;
  };

  const order = ['talkboard', 'floor'] as const;
  if (options.warmUpSeconds > 0) for (const side of order) await run(side, options.warmUpSeconds);
  for (let pair = 0; pair < options.pairs; pair++) {
    // The first side alternates, so that none always inherits the other's dirty pages.
    for (const side of pair % 2 === 0 ? order : order.toReversed()) {
      bursts[side].push(await run(side, options.seconds));
    }
  }
  const ratios = bursts.talkboard.map((burst, pair) => burst.perSecond / bursts.floor[pair]!.perSecond);
  const figures = (side: 'talkboard' | 'floor'): SideFigures => ({
    perSecond: median(bursts[side].map((burst) => burst.perSecond)),
    p50: median(bursts[side].map((burst) => burst.p50)),
    p99: median(bursts[side].map((burst) => burst.p99)),
    succeeded: succeeded[side],
    cpu:
      cpu[side].length === 0
        ? null
        : {
            side: median(cpu[side].map((times) => times.side)),
            database: median(cpu[side].map((times) => times.database)),
          },
  });
  return { ratio: median(ratios), ratios, talkboard: figures('talkboard'), floor: figures('floor') };
}

export function median(values: readonly number[]): number {
  if (values.length === 0) throw new Error('the median of nothing');
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
