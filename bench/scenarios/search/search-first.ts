/** The first search after a start, with the index built from the database and with its file, alternating. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openClient, percentile } from '../../load/client.ts';
import type { Measure, Scenario } from '../../scenario.ts';

const rounds = 3;
const goalMs = (records: number) => (records > 200_000 ? 3_000 : 500);

interface Start {
  firstMs: number;
  /** The memory that the first search added, in bytes. */
  resident: number;
  total: number;
}

export const searchFirst: Scenario = {
  name: 'search-first',
  about: 'the first GET /crm/search of a process, with and without the file of its index',
  onRequest: true,
  fillsItself: true,
  async measure(stage) {
    const { records } = stage.options;
    const { token } = await stage.corpus();
    const newDataDir = () => {
      const dataDir = mkdtempSync(join(tmpdir(), 'talkboard-bench-'));
      copyFileSync(join(stage.dataDir, 'secret-key'), join(dataDir, 'secret-key'));
      stage.onClose(() => rmSync(dataDir, { recursive: true, force: true }));
      return dataDir;
    };
    // A process without files removes those of its folder.
    const withoutFiles = { DATA_DIR: newDataDir(), SEARCH_FILES_MB: '0' };
    const withFiles = { DATA_DIR: newDataDir(), SEARCH_FILES_MB: '16384' };

    const start = async (env: Record<string, string>): Promise<Start> => {
      const process = await stage.startBeside(stage.connection.database as string, { role: 'api', env });
      const client = openClient(process.url, token);
      try {
        // Signs in and reads the definitions, which is no part of the index.
        await client.call('GET', '/crm/records?pageSize=1');
        const before = residentOf(process.pid);
        const { ms, body } = await client.call('GET', '/crm/search?q=warm');
        const { total } = body;
        return { firstMs: ms, resident: residentOf(process.pid) - before, total };
      } finally {
        await client.close();
        await process.stop();
      }
    };

    // Writes the file when it stops.
    const { total } = await start(withFiles);
    const built: Start[] = [];
    const read: Start[] = [];
    for (let round = 0; round < rounds; round++) {
      built.push(await start(withoutFiles));
      read.push(await start(withFiles));
      stage.say(`  built ${built[round]!.firstMs.toFixed(0)} ms, read ${read[round]!.firstMs.toFixed(0)} ms`);
    }
    const wrong = [...built, ...read].filter((one) => one.total !== total).length;
    const middle = (starts: Start[], what: 'firstMs' | 'resident') =>
      percentile(
        starts.map((one) => one[what]),
        0.5,
      );
    const measures: Measure[] = [
      { name: 'first search, built, ms', value: middle(built, 'firstMs'), goal: null },
      {
        name: 'first search, with the file, ms',
        value: middle(read, 'firstMs'),
        goal: { atMost: goalMs(records) },
      },
      { name: 'resident bytes per record, built', value: middle(built, 'resident') / records, goal: null },
      {
        name: 'resident bytes per record, with the file',
        value: middle(read, 'resident') / records,
        goal: { atMost: 900 },
      },
      { name: 'starts with another result', value: wrong, goal: { atMost: 0 } },
    ];
    return measures;
  },
};

function residentOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1024;
}
