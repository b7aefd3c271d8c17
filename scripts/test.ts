/**
 * `npm test [paths…]`: one PostgreSQL for the whole run, then node's own test runner over every *.test.ts. `--full`
 * runs the fault tests with their full counts (`npm run faults`).
 */
import { spawn } from 'node:child_process';
import { globSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bringChromium } from '../test/support/chromium.ts';
import { startTestServer } from '../test/support/database.ts';
import { bringFfmpeg } from '../test/support/ffmpeg.ts';
import { newFolder } from '../test/support/scratch.ts';
import { buildDashboard } from './build-dashboard.ts';
import { buildDashboardNode } from './build-dashboard-node.ts';
import { groupFiles } from './test-groups.ts';

const asked = process.argv.slice(2).filter((argument) => argument !== '--full');
const isFull = process.argv.includes('--full');
const counts = isFull ? { FAULTS: 'full' } : {};
/** Ends a hanging process of tests. A group of browser tests takes minutes, a hundred kills a quarter of an hour. */
const withinMs = isFull ? 3_600_000 : 1_800_000;
const files =
  asked.length > 0
    ? asked
    : globSync('{server,cli,bench,test,contract,browser,scripts,dashboard}/**/*.test.ts').sort();
// Once, before test files need it in parallel.
if (files.some((file) => /browser|import-page|^dashboard/.test(file))) bringChromium();
if (files.some((file) => /browser|dashboard|import-page/.test(file))) await buildDashboard();
if (files.some((file) => file.includes('test/dashboard'))) await buildDashboardNode();
bringFfmpeg();
const workDir = newFolder('talkboard-run-');
const cluster = files.some((file) => file.includes('faults')) ? { copyTo: join(workDir, 'cluster') } : {};
const server = await startTestServer(cluster);
const processes = asked.length > 0 ? files : groupFiles(files, join(workDir, 'groups'));
const runner = spawn(
  process.execPath,
  [
    '--test',
    `--import=${import.meta.resolve('../test/support/test-context.ts')}`,
    '--test-reporter=spec',
    '--test-concurrency=2',
    `--test-timeout=${withinMs}`,
    ...processes,
  ],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      ...counts,
      TEST_POSTGRES: JSON.stringify(server.connection),
      ...(cluster.copyTo && { TEST_CLUSTER: cluster.copyTo }),
      // Most processes load the whole service: compiled once, that takes half the time.
      NODE_COMPILE_CACHE: join(workDir, 'compiled'),
    },
  },
);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => runner.kill(signal));
const code = await new Promise<number>((resolve) => runner.on('exit', (status) => resolve(status ?? 1)));
await server.stop();
rmSync(workDir, { recursive: true, force: true });
process.exit(code);
