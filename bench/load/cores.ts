/**
 * Pins the load generator to a core, so that more load does not take processor time from what is measured. Linux
 * only, where `taskset` is part of the base system.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** False if it is not possible: with a single core or without `taskset`. */
export function separateGenerator(measuredPids: number[]): boolean {
  const cores = availableParallelism();
  if (cores < 2) return false;
  const last = cores - 1;
  try {
    for (const pid of measuredPids.flatMap(withChildren)) pin(pid, last === 1 ? '0' : `0-${last - 1}`);
    pin(process.pid, String(last));
    return true;
  } catch {
    return false;
  }
}

/** Including all current threads; later ones inherit it. */
function pin(pid: number, cores: string): void {
  execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', cores, String(pid)], { stdio: 'ignore' });
}

function withChildren(pid: number): number[] {
  const isChild = (other: string) => {
    try {
      return Number(/^PPid:\t(\d+)$/m.exec(readFileSync(`/proc/${other}/status`, 'utf8'))?.[1]) === pid;
    } catch {
      return false;
    }
  };
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isChild(name));
  return [pid, ...children.map(Number)];
}
