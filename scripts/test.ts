/**
 * `npm test`, `npm run test:browser`, `npm run faults`: one PostgreSQL for the whole run, then node's own test runner.
 *
 *   node scripts/test.ts [--suite main|browser|faults] [paths…]
 *     --full       everything that is generated, and the full counts of the fault tests
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { parseArgs } from 'node:util';
import { bringChromium } from '../test/support/chromium.ts';
import { startTestServer } from '../test/support/database.ts';
import { bringFfmpeg } from '../test/support/ffmpeg.ts';
import { newFolder } from '../test/support/scratch.ts';
import { buildDashboard } from './build-dashboard.ts';
import { root } from './build-once.ts';
import { costEnvironment, costReport, keepCosts, readCosts, startCostMeter } from './test-costs.ts';
import { groupFiles } from './test-groups.ts';
import { filesOf, kindOf, type Suite, suiteOf, suites } from './test-suites.ts';

const { values: options, positionals: paths } = parseArgs({
  allowPositionals: true,
  options: { suite: { type: 'string', default: 'main' }, full: { type: 'boolean', default: false } },
});
if (!suites.includes(options.suite as Suite)) {
  console.error(`There is no suite ${options.suite}: choose one of ${suites.join(', ')}.`);
  process.exit(2);
}
const files = paths.length > 0 ? paths : filesOf(options.suite as Suite);
const costsPath = join(root, 'dist/test-costs.json');
/** Ends a hanging process of tests. A group of browser tests takes minutes, a hundred kills a quarter of an hour. */
const withinMs = options.full ? 3_600_000 : 1_800_000;

// Once, before test files need it in parallel.
if (files.some((file) => /browser|dashboard|import-page/.test(file))) {
  bringChromium();
  await buildDashboard();
}
bringFfmpeg();
const workDir = newFolder('talkboard-run-');
const cluster = files.some((file) => suiteOf(file) === 'faults') ? { copyTo: join(workDir, 'cluster') } : {};
const server = await startTestServer(cluster);
// The processes of tests inherit it.
Object.assign(process.env, {
  ...(options.full && { TEST_FULL: '1', FAULTS: 'full' }),
  ...costEnvironment(join(workDir, 'costs')),
  TEST_POSTGRES: JSON.stringify(server.connection),
  ...(cluster.copyTo && { TEST_CLUSTER: cluster.copyTo }),
  // Most processes load the whole service: compiled once, that takes half the time.
  NODE_COMPILE_CACHE: join(workDir, 'compiled'),
});
const meter = startCostMeter(join(workDir, 'costs'));
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort());
const tests = run({
  files: groupFiles(files, join(workDir, 'groups'), readCosts(costsPath)),
  concurrency: 2,
  timeout: withinMs,
  signal: stop.signal,
  execArgv: [`--import=${import.meta.resolve('../test/support/test-context.ts')}`],
});
let failures = 0;
tests.on('test:fail', () => failures++);
await new Promise((resolve) => tests.compose(spec).on('end', resolve).pipe(process.stdout));
const costs = meter.stop();
keepCosts(costsPath, costs);
console.log(costReport(costs, kindOf));
await server.stop();
rmSync(workDir, { recursive: true, force: true });
process.exit(failures === 0 && !stop.signal.aborted ? 0 : 1);
