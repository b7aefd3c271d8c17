/**
 * Processor time as counted by the kernel. Unlike a rate it hardly depends on other load, so a change of a few per
 * cent is visible where noise would hide it. Linux only.
 */
import { readdirSync, readFileSync } from 'node:fs';

export interface CpuMeter {
  /** Microseconds since it was last read; null if the kernel does not report it. */
  read(): CpuTimes | null;
}

export interface CpuTimes {
  side: number;
  database: number;
}

/** USER_HZ, which is 100 on every Linux that Node runs on. */
export const microsPerTick = 10_000;

export function createCpuMeter(sidePid: number, postgresPid: () => number | null): CpuMeter {
  const times = (): CpuTimes | null => {
    const server = postgresPid();
    const side = ticksOf(sidePid);
    if (!side || server === null) return null;
    const database = ticksOfServer(server);
    return { side: side.own * microsPerTick, database: database * microsPerTick };
  };
  let last = times();
  return {
    read() {
      const before = last;
      last = times();
      if (!before || !last) return null;
      return { side: last.side - before.side, database: last.database - before.database };
    },
  };
}

/** PostgreSQL has a process per connection, and some come and go. */
function ticksOfServer(pid: number): number {
  const server = ticksOf(pid);
  let sum = server ? server.own + server.endedChildren : 0;
  for (const name of readdirSync('/proc')) {
    const child = /^\d+$/.test(name) ? ticksOf(Number(name)) : null;
    if (child?.parent === pid) sum += child.own;
  }
  return sum;
}

export function ticksOf(pid: number): { parent: number; own: number; endedChildren: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program's name is in parentheses and may contain anything.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    return {
      parent: fields[1]!,
      own: fields[11]! + fields[12]!,
      endedChildren: fields[13]! + fields[14]!,
    };
  } catch {
    return null;
  }
}
