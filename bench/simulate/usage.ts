/** Processor time and memory of a deployment, as the kernel counts them: its own processes and PostgreSQL apart. Linux only. */
import { readdirSync, readFileSync } from 'node:fs';
import { microsPerTick, ticksOf } from '../cpu.ts';
import type { Deployment } from './deployment.ts';

export interface Micros {
  nodes: number;
  database: number;
}

export interface Memory {
  name: string;
  /** Of this moment and at most, in megabytes. */
  mb: number;
  peakMb: number;
}

export interface UsageMeter {
  /** Microseconds since the meter was opened. A killed process loses what it used since the last look. */
  read(): Micros;
  memory(): Memory[];
  close(): void;
}

const lookEveryMs = 1_000;

export function openUsageMeter({ nodes, cells }: Deployment): UsageMeter {
  const last = new Map<number, number>();
  const peaks = new Map<string, number>();
  const current = new Map<string, number>();
  const used: Micros = { nodes: 0, database: 0 };

  /** What a process used since the last look; one that is new since then, everything. */
  const step = (pid: number, ticks: number, isFirst: boolean): number => {
    const before = last.get(pid) ?? (isFirst ? ticks : 0);
    last.set(pid, ticks);
    return Math.max(0, ticks - before) * microsPerTick;
  };
  const note = (name: string, kilobytes: number) => {
    const mb = kilobytes / 1024;
    current.set(name, mb);
    peaks.set(name, Math.max(mb, peaks.get(name) ?? 0));
  };
  const look = (isFirst: boolean) => {
    const children = childrenByParent();
    for (const { name, side } of nodes) {
      const ticks = side && ticksOf(side.pid);
      if (!side || !ticks) continue;
      used.nodes += step(side.pid, ticks.own, isFirst);
      note(name, statusOf(side.pid, 'VmRSS'));
    }
    for (const cell of cells) {
      const pid = cell.pid();
      const server = pid === null ? null : ticksOf(pid);
      if (pid === null || !server) continue;
      const processes = [pid, ...(children.get(pid) ?? [])];
      let sum = server.own + server.endedChildren;
      for (const child of processes.slice(1)) sum += ticksOf(child)?.own ?? 0;
      used.database += step(pid, sum, isFirst);
      // What they share counts once.
      const own = processes.reduce((total, one) => total + statusOf(one, 'RssAnon'), 0);
      const shared = Math.max(...processes.map((one) => statusOf(one, 'RssShmem')));
      note(`PostgreSQL ${cell.name}`, own + shared);
    }
  };
  look(true);
  const timer = setInterval(() => look(false), lookEveryMs);
  timer.unref();
  return {
    read() {
      look(false);
      return { ...used };
    },
    memory: () => [...current].map(([name, mb]) => ({ name, mb, peakMb: peaks.get(name)! })),
    close: () => clearInterval(timer),
  };
}

function childrenByParent(): Map<number, number[]> {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    const parent = /^\d+$/.test(name) ? ticksOf(Number(name))?.parent : undefined;
    if (parent === undefined) continue;
    const known = children.get(parent);
    if (known) known.push(Number(name));
    else children.set(parent, [Number(name)]);
  }
  return children;
}

function statusOf(pid: number, field: string): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0);
  } catch {
    return 0;
  }
}
