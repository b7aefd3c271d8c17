/**
 * `npm test`, `npm run test:browser` and `npm run faults`: one PostgreSQL for the whole run, then node's own test runner.
 *
 *   node scripts/test.ts [--suite main|browser|faults] [paths…]
 *     --full       all generated cases, and the full counts of the fault tests
 *     --repeat n   runs everything n times and lists what failed
 *     --load       with other processes on every core, and random delays of what comes from the network
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { parseArgs } from 'node:util';
import { version } from '../contract/version.ts';
import { bringChromium } from '../test/support/chromium.ts';
import { startTestServer } from '../test/support/database.ts';
import { bringFfmpeg } from '../test/support/ffmpeg.ts';
import { newFolder } from '../test/support/scratch.ts';
import { buildDashboard } from './build-dashboard.ts';
import { buildDashboardNode } from './build-dashboard-node.ts';
import { root } from './build-once.ts';
import { costEnvironment, costReport, keepCosts, readCosts, startCostMeter } from './test-costs.ts';
import { groupFiles } from './test-groups.ts';
import { failureReport, startLoad } from './test-load.ts';
import { filesOf, kindOf, type Suite, suiteOf, suites } from './test-suites.ts';

const { suite, paths, isFull, repeat, hasLoad } = readArguments();
const files = paths.length > 0 ? paths : filesOf(suite);
const costsPath = join(root, 'dist/test-costs.json');
/** A process of tests waits for a third of its time; one of the others also has a browser, or services that it kills. */
const processesAtOnce = suite === 'main' ? 6 : 2;
/** Ends a hanging process of tests. A group of files takes minutes, a hundred kills a quarter of an hour. */
const withinMs = isFull ? 3_600_000 : 1_800_000;

// Once, before test files need it in parallel.
if (files.some((file) => suiteOf(file) === 'browser' || file.includes('import-page'))) bringChromium();
bringFfmpeg();
/** Beside the start of the database, which keeps one core busy at most. */
const ready = Promise.all([build(), compileOnce()]);
ready.catch(() => {});
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort());
const load = hasLoad ? startLoad() : null;
const failed: string[][] = [];
while (failed.length < repeat && !stop.signal.aborted) {
  failed.push(await runOnce());
  if (repeat > 1) console.log(failureReport(failed, repeat));
}
load?.stop();
process.exit(failed.flat().length === 0 && !stop.signal.aborted ? 0 : 1);

async function build(): Promise<void> {
  await buildDashboard();
  if (files.some((file) => file.startsWith('test/dashboard/'))) await buildDashboardNode();
}

/** A process keeps what it has compiled when it ends: without this the first six would all compile the service. */
async function compileOnce(): Promise<void> {
  const folder = compiledFolder();
  if (existsSync(folder) || files.length < processesAtOnce) return;
  const load = `import(${JSON.stringify(import.meta.resolve('../test/support/service.ts'))}).then(() => process.exit())`;
  const env = { ...process.env, NODE_COMPILE_CACHE: folder };
  await once(spawn(process.execPath, ['-e', load], { env, stdio: 'ignore' }), 'close');
}

/** The names of the tests that failed. */
async function runOnce(): Promise<string[]> {
  const workDir = newFolder('talkboard-run-');
  const cluster = files.some(needsCluster) ? { copyTo: join(workDir, 'cluster') } : {};
  const [server] = await Promise.all([startTestServer(cluster), ready]);
  // The processes of tests inherit it.
  Object.assign(process.env, {
    ...(isFull && { TEST_FULL: '1' }),
    ...costEnvironment(join(workDir, 'costs')),
    ...load?.environment,
    TEST_POSTGRES: JSON.stringify(server.connection),
    ...(cluster.copyTo && { TEST_CLUSTER: cluster.copyTo }),
    // Most processes load the whole service: compiled once, that takes half the time.
    NODE_COMPILE_CACHE: compiledFolder(),
  });
  const meter = startCostMeter(join(workDir, 'costs'));
  const preloads = ['../test/support/test-context.ts', ...(load ? ['../test/support/random-delays.ts'] : [])];
  const tests = run({
    files: groupFiles(files, join(workDir, 'groups'), readCosts(costsPath)),
    concurrency: processesAtOnce,
    timeout: withinMs,
    signal: stop.signal,
    execArgv: preloads.map((path) => `--import=${import.meta.resolve(path)}`),
  });
  const names: string[] = [];
  tests.on('test:fail', ({ name, details }) => {
    const { failureType } = details.error as { failureType?: string };
    // A suite fails with each of its tests.
    if (failureType !== 'subtestsFailed') names.push(name);
  });
  await new Promise((resolve) => tests.compose(spec).on('end', resolve).pipe(process.stdout, { end: false }));
  const costs = meter.stop();
  if (!load) keepCosts(costsPath, costs);
  console.log(costReport(costs, kindOf));
  await server.stop();
  rmSync(workDir, { recursive: true, force: true });
  return names;
}

/** What earlier runs of this version have compiled. Node takes nothing that was made from another text. */
function compiledFolder(): string {
  const all = join(root, 'dist/test-compiled');
  const others = existsSync(all) ? readdirSync(all).filter((name) => name !== version) : [];
  for (const name of others) rmSync(join(all, name), { recursive: true, force: true });
  return join(all, version);
}

/** See test/support/cluster.ts. The fault tests copy it in their own support. */
function needsCluster(file: string): boolean {
  return suiteOf(file) === 'faults' || readFileSync(file, 'utf8').includes('support/cluster.ts');
}

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        suite: { type: 'string', default: 'main' },
        full: { type: 'boolean', default: false },
        repeat: { type: 'string', default: '1' },
        load: { type: 'boolean', default: false },
      },
    });
    const asked = suites.find((name) => name === values.suite);
    if (!asked) throw new Error(`There is no suite ${values.suite}. Choose one of ${suites.join(', ')}.`);
    const times = Number(values.repeat);
    if (!Number.isInteger(times) || times < 1) throw new Error('--repeat needs a number from 1 on.');
    const absent = positionals.find((path) => !existsSync(path));
    if (absent) throw new Error(`There is no file ${absent}.`);
    return {
      suite: asked as Suite,
      paths: positionals,
      isFull: values.full,
      repeat: times,
      hasLoad: values.load,
    };
  } catch (error) {
    console.error((error as Error).message);
    process.exit(2);
  }
}
