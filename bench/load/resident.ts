import { readFileSync } from 'node:fs';
import type { Side } from '../processes.ts';

/** Of a process, in MB. */
export function residentMb({ pid }: Pick<Side, 'pid'>): number {
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}
