import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createCpuMeter } from '../cpu.ts';
import { median } from '../load/pairs.ts';
import { startService } from '../processes.ts';
import type { Scenario } from '../scenario.ts';
import { startCellServer } from '../simulate/cell-server.ts';
import { openSimulationDir } from '../simulate/deployment.ts';

/** Several at once, and the difference divided: one alone is within the noise of a process's memory. */
const extraCells = 4;
const settleMs = 8_000;

/** All databases are in one PostgreSQL, so that its processor time contains what all cells ask of it. */
export const cellIdle: Scenario = {
  name: 'cell-idle',
  about: `memory and processor time of a cell without traffic: a process with ${extraCells} extra cells beside one without`,
  onRequest: true,
  async alone({ options, say, onClose }) {
    const dir = openSimulationDir(onClose);
    const server = await startCellServer(dir, 'home', true);
    onClose(() => server.stop());
    const names = Array.from({ length: extraCells }, (_, index) => `c${index + 2}`);
    const urls = await server.createDatabases(names);
    const env = {
      DATA_DIR: dir,
      DATABASE_URL: server.url,
      SECRET_KEY: 'a key for the time of one run of it',
      ADMIN_EMAIL: 'bench@example.com',
      ADMIN_PASSWORD: 'a password for one run',
    };
    const CELLS = names.map((name, index) => `${name}=${urls[index]}`).join(',');
    const figures = async (cells: string): Promise<Idle> => {
      const service = await startService({ ...env, CELLS: cells }, []);
      try {
        await sleep(settleMs);
        const meter = createCpuMeter(service.pid, server.pid);
        const began = performance.now();
        await sleep(countMs(options.seconds));
        const used = meter.read();
        const micros = (performance.now() - began) * 1000;
        if (!used) throw new Error('the kernel does not report processor time');
        return {
          mb: residentMb(service.pid),
          process: (100 * used.side) / micros,
          database: (100 * used.database) / micros,
        };
      } finally {
        await service.stop();
      }
    };
    // Creates the tables.
    await (await startService({ ...env, CELLS }, [])).stop();
    const differences: Idle[] = [];
    for (let pair = 0; pair < options.pairs; pair++) {
      const alone = await figures('');
      const together = await figures(CELLS);
      const one = {
        mb: (together.mb - alone.mb) / extraCells,
        process: (together.process - alone.process) / extraCells,
        database: (together.database - alone.database) / extraCells,
      };
      say(`  ${text(alone)} with one cell, ${text(together)} with ${extraCells + 1}`);
      differences.push(one);
    }
    const of = (name: keyof Idle) => median(differences.map((one) => one[name]));
    return {
      measures: [
        { name: 'memory of an idle cell in a process, MB', value: of('mb'), goal: { atMost: 10 } },
        {
          name: 'processor time of an idle cell, % of a core',
          value: median(differences.map((one) => one.process + one.database)),
          goal: { atMost: 2 },
        },
        { name: 'of it in the process', value: of('process'), goal: null },
        { name: 'of it in PostgreSQL', value: of('database'), goal: null },
      ],
    };
  },
};

interface Idle {
  mb: number;
  /** Per cent of a core. */
  process: number;
  database: number;
}

/** Idle work is little: it takes longer than a burst to count it. */
const countMs = (seconds: number) => seconds * 4_000;

const text = ({ mb, process, database }: Idle) =>
  `${mb.toFixed(0)} MB, ${process.toFixed(1)} % + ${database.toFixed(1)} %`;

function residentMb(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  if (!kilobytes) throw new Error('the kernel does not report the memory of a process');
  return Number(kilobytes) / 1024;
}
