/**
 * `npm run -s advisories`: asks the configured registry for known vulnerabilities of the production packages. Fails for
 * serious ones. Without an answer it says so and does not fail: many networks have no registry, or one that does not know
 * advisories. With `--report` it never fails, for checks of a commit: a new advisory does not change the commit.
 */
import { spawn } from 'node:child_process';
import { describeAudit, readAudit } from './advisories.report.ts';

const isReport = process.argv.includes('--report');
const waitMs = 45_000;

const { lines, isSerious } = describeAudit(readAudit(await runAudit()));
for (const line of lines) console.log(line);
if (isSerious && !isReport) process.exitCode = 1;

/** What npm prints. Its messages on standard error name the registry and are dropped. */
function runAudit(): Promise<string> {
  const args = ['audit', '--json', '--omit=dev', '--fetch-retries=0', '--fetch-timeout=15000'];
  return new Promise((resolve) => {
    const cwd = new URL('..', import.meta.url);
    const npm = spawn('npm', args, { cwd, stdio: ['ignore', 'pipe', 'ignore'], timeout: waitMs });
    const chunks: Buffer[] = [];
    npm.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    npm.on('error', () => resolve(''));
    npm.on('close', () => resolve(Buffer.concat(chunks).toString('utf8')));
  });
}
