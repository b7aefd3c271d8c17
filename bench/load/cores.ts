/**
 * Gives the load generator its own core, so that offering more load does not take processor time from what is measured.
 * Linux only, where `taskset` is part of the base system.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** Returns what undoes it. Null where it cannot be done: with a single core or without `taskset`. */
export function separateGenerator(measuredPids: readonly number[]): (() => void) | null {
  const last = availableParallelism() - 1;
  if (last < 1) return null;
  const measured = () => measuredPids.flatMap(withChildren);
  const undo = () => {
    for (const pid of [...measured(), process.pid]) pin(pid, `0-${last}`);
  };
  const isDone = measured().every((pid) => pin(pid, `0-${last - 1}`)) && pin(process.pid, String(last));
  if (isDone) return undo;
  undo();
  return null;
}

/** With all threads that a process has by now; threads that it starts later inherit it. */
function pin(pid: number, cores: string): boolean {
  try {
    execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', cores, String(pid)], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
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
