import { readFileSync } from 'node:fs';
import type { Scenario } from '../scenario.ts';

const settleMs = 5_000;

export const memoryAtRest: Scenario = {
  name: 'memory-at-rest',
  about: 'resident memory of the service, without PostgreSQL, after its start',
  async measure({ service }) {
    await new Promise((resolve) => setTimeout(resolve, settleMs));
    const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1];
    if (!kilobytes) throw new Error('the kernel does not report the memory of a process');
    return [{ name: 'resident, MB', value: Number(kilobytes) / 1024, goal: { atMost: 150 } }];
  },
};
