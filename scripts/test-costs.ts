/**
 * What every test file costs: its wall time, and the processor time of its process with all that it starts, of its
 * browser, and of PostgreSQL. Read from /proc once a second; a system without it has no figures.
 */
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export type Share = 'node' | 'browser' | 'postgres';

/** In seconds. */
export type Cost = Record<Share | 'wall', number>;

export type Costs = Map<string, Cost>;

/** A line of /proc. Times are in ticks of the clock. */
export interface Process {
  pid: number;
  parent: number;
  /** Of the program, as the system shortens it. */
  name: string;
  ticks: number;
  /** Of its children that have ended. */
  endedTicks: number;
}

const ticksPerSecond = 100;
const everyMs = 1_000;
/** What belongs to no file, such as the server that all share. */
export const shared = '(shared)';

const environmentName = 'TEST_COSTS';

/** Where processes of tests note what they run, for `noteFile`. */
export const costEnvironment = (folder: string): Record<string, string> => ({ [environmentName]: folder });

/** A process that runs several files notes each one at its start. */
export function noteFile(file: string): void {
  const folder = process.env[environmentName];
  if (folder) appendFileSync(join(folder, String(process.pid)), `${file}\n`);
}

/** `runner`: the process whose children run the tests. `folder`: where `noteFile` writes. */
export function startCostMeter(folder: string, runner = process.pid): { stop(): Costs } {
  if (!existsSync('/proc/self/stat')) return { stop: () => new Map() };
  mkdirSync(folder, { recursive: true });
  const meter = createMeter(runner, { fileOf: (pid) => runningFile(folder, pid), testerOf: testerOfBackend });
  const timer = setInterval(() => meter.take(readProcesses(), performance.now()), everyMs);
  meter.take(readProcesses(), performance.now());
  return {
    stop() {
      clearInterval(timer);
      meter.take(readProcesses(), performance.now());
      return meter.costs;
    },
  };
}

interface Known extends Process {
  /** The process of tests that it belongs to; null for what all share. */
  tester: number | null;
  /** Ticks that were counted for it, with those of its ended children. */
  counted: number;
  /** Ticks of ended children that were counted while they ran, and are part of `endedTicks` soon. */
  expected: number;
}

interface Lookups {
  fileOf(tester: number): string;
  /** The process of tests that a process of the shared PostgreSQL works for, if it is known. */
  testerOf(pid: number): number | null;
}

export function createMeter(runner: number, { fileOf, testerOf }: Lookups) {
  const costs: Costs = new Map();
  const known = new Map<number, Known>();
  let last: number | null = null;

  const add = (file: string, part: keyof Cost, seconds: number) => {
    const cost = costs.get(file) ?? { wall: 0, node: 0, browser: 0, postgres: 0 };
    cost[part] += seconds;
    costs.set(file, cost);
  };
  /** The runner's child above it. One whose parent has ended keeps the one it had. */
  const testerAbove = (one: Process, running: ReadonlyMap<number, Process>): number | null => {
    let above: Process | undefined = one;
    while (above && above.parent !== runner) above = running.get(above.parent);
    return above && shareOf(above) === 'node' ? above.pid : null;
  };
  const isBelowRunner = (one: Process, running: ReadonlyMap<number, Process>): boolean => {
    for (let above: Process | undefined = one; above; above = running.get(above.parent)) {
      if (above.parent === runner) return true;
    }
    return false;
  };

  return {
    costs,
    take(processes: readonly Process[], nowMs: number): void {
      const running = new Map(processes.map((one) => [one.pid, one]));
      for (const ended of known.values()) {
        if (running.has(ended.pid)) continue;
        const parent = known.get(ended.parent);
        if (parent) parent.expected += ended.counted;
        known.delete(ended.pid);
      }
      for (const one of processes) {
        const before = known.get(one.pid);
        if (!before && !isBelowRunner(one, running)) continue;
        const now: Known = {
          ...one,
          tester: before?.tester ?? testerAbove(one, running) ?? testerOf(one.pid),
          counted: before?.counted ?? 0,
          expected: before?.expected ?? 0,
        };
        const ofEnded = one.endedTicks - (before?.endedTicks ?? 0);
        const missed = Math.max(0, ofEnded - now.expected);
        now.expected = Math.max(0, now.expected - ofEnded);
        const ticks = one.ticks - (before?.ticks ?? 0) + missed;
        now.counted += ticks;
        known.set(one.pid, now);
        const file = now.tester === null ? shared : fileOf(now.tester);
        if (ticks > 0) add(file, shareOf(one), ticks / ticksPerSecond);
        if (now.tester === one.pid && last !== null) add(file, 'wall', (nowMs - last) / 1_000);
      }
      last = nowMs;
    },
  };
}

function shareOf({ name }: Process): Share {
  if (name === 'postgres') return 'postgres';
  return /chrom|headless/.test(name) ? 'browser' : 'node';
}

function readProcesses(): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const line = readText(`/proc/${pid}/stat`);
      // The name is in parentheses and may contain any of them.
      const [, name = '', rest = ''] = /^\d+ \((.*)\) (.*)$/s.exec(line) ?? [];
      const fields = rest.split(' ');
      if (fields.length < 15) return [];
      const at = (field: number) => Number(fields[field - 3]);
      return [{ pid: Number(pid), parent: at(4), name, ticks: at(14) + at(15), endedTicks: at(16) + at(17) }];
    });
}

/** PostgreSQL shows the database in the title of its processes: see `createTestDatabase`. */
function testerOfBackend(pid: number): number | null {
  const [, tester] = / test_(\d+)_/.exec(readText(`/proc/${pid}/cmdline`)) ?? [];
  return tester ? Number(tester) : null;
}

/** The last one that it noted, or the one that it was started with. */
function runningFile(folder: string, tester: number): string {
  const noted = readText(join(folder, String(tester)));
  return noted.trimEnd().split('\n').at(-1) || startedWith(tester);
}

const commandFiles = new Map<number, string>();

function startedWith(tester: number): string {
  const found = commandFiles.get(tester);
  if (found) return found;
  const words = readText(`/proc/${tester}/cmdline`).split('\0');
  const file = words.findLast((word) => /\.test\.ts$/.test(word));
  // A group that is still loading its files has an absolute path.
  const name = !file || file.startsWith('/') ? shared : file;
  if (file) commandFiles.set(tester, name);
  return name;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // It has ended meanwhile.
    return '';
  }
}

/** Empty if there is no such file, or it is of another form. */
export function readCosts(path: string): Costs {
  try {
    return new Map(Object.entries(JSON.parse(readFileSync(path, 'utf8')) as Record<string, Cost>));
  } catch {
    return new Map();
  }
}

/** Files that did not run this time keep what they have. */
export function keepCosts(path: string, costs: Costs): void {
  const all = new Map([...readCosts(path), ...costs]);
  all.delete(shared);
  const rounded = [...all]
    .filter(([file]) => existsSync(file))
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([file, cost]) => [file, Object.fromEntries(Object.entries(cost).map(([k, v]) => [k, round(v)]))]);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(Object.fromEntries(rounded), null, 1)}\n`);
}

export const processorTime = ({ node, browser, postgres }: Cost): number => node + browser + postgres;

/** The most expensive files, and the sum of each kind. */
export function costReport(costs: Costs, kindOf: (file: string) => string, most = 20): string {
  if (costs.size === 0) return '';
  const columns: (keyof Cost)[] = ['wall', 'node', 'browser', 'postgres'];
  const line = (name: string, cost: Cost) =>
    [processorTime(cost), ...columns.map((column) => cost[column])]
      .map((seconds) => seconds.toFixed(1).padStart(9))
      .concat(`  ${name}`)
      .join('');
  const sorted = [...costs].sort(([, a], [, b]) => processorTime(b) - processorTime(a));
  const kinds = Map.groupBy(sorted, ([file]) => (file === shared ? file : kindOf(file)));
  const sum = (all: readonly [string, Cost][]): Cost =>
    Object.fromEntries(
      columns.map((column) => [column, all.reduce((total, [, cost]) => total + cost[column], 0)]),
    ) as Cost;
  const heading = ['processor', ...columns].map((name) => name.padStart(9)).join('');
  const totals = [...kinds].map(([kind, files]) => line(`${kind} (${files.length} files)`, sum(files)));
  return [
    `Seconds of the ${Math.min(most, sorted.length)} most expensive test files:`,
    heading,
    ...sorted
      .filter(([file]) => file !== shared)
      .slice(0, most)
      .map(([file, cost]) => line(file, cost)),
    'By kind:',
    heading,
    ...totals,
    line('all', sum(sorted)),
  ].join('\n');
}

const round = (seconds: number): number => Math.round(seconds * 100) / 100;
