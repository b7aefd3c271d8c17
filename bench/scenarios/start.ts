import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { microsPerTick } from '../cpu.ts';
import { percentile } from '../load/client.ts';
import { startService } from '../processes.ts';
import type { AloneRun, Measure, Scenario } from '../scenario.ts';

interface Started {
  readyMs: number;
  /** Processor time of the process, without PostgreSQL. */
  cpuMs: number;
}

/** An installed clone on its own data folder, up to "ready"; with --before alternating with that version. */
export const start: Scenario = {
  name: 'start',
  about: 'from the start of an installed clone to ready, with its own PostgreSQL',
  async alone(run) {
    const { before, pairs } = run.options;
    const after = prepare(run);
    const other = before === null ? null : prepare(run, before);
    // The first start creates the database, the second one finds everything in the caches.
    for (let i = 0; i < 2; i++) {
      await other?.();
      await after();
    }
    const starts: Started[] = [];
    const others: Started[] = [];
    for (let i = 0; i < pairs; i++) {
      if (other) others.push(await other());
      starts.push(await after());
    }
    const measures: Measure[] = [
      { name: 'ready after, median', value: median(starts, 'readyMs'), goal: { atMost: 1_500 } },
      { name: 'processor time, median', value: median(starts, 'cpuMs'), goal: null },
    ];
    if (other) {
      for (const [key, name] of [
        ['readyMs', 'ready after'],
        ['cpuMs', 'processor time'],
      ] as const) {
        measures.push({
          name: `${name}, before, median`,
          value: median(others, key),
          goal: null,
        });
      }
    }
    return { measures };
  },
};

function prepare({ onClose }: AloneRun, folder?: string): () => Promise<Started> {
  const dataDir = mkdtempSync(join(tmpdir(), 'talkboard-start-'));
  onClose(async () => rmSync(dataDir, { recursive: true, force: true }));
  return async () => {
    const from = performance.now();
    const service = await startService({ DATA_DIR: dataDir }, [], folder);
    const readyMs = performance.now() - from;
    const cpuMs = cpuOf(service.pid);
    await service.stop();
    return { readyMs, cpuMs };
  };
}

function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * (microsPerTick / 1_000);
}

const median = (starts: readonly Started[], key: keyof Started) =>
  percentile(
    starts.map((one) => one[key]),
    0.5,
  );
