/** Makes the machine slow and its moments different each time: what depends on them fails then. */
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

export interface Load {
  /** For the processes of tests: see test/support/random-delays.ts. */
  environment: Record<string, string>;
  stop(): void;
}

/** Longest delay of what a socket receives. */
const delayMs = 20;

/** A busy process on every core. They end with this one. */
export function startLoad(): Load {
  const endless = `process.stdin.on('end', () => process.exit()).resume();
    const burn = () => { for (const until = Date.now() + 50; Date.now() < until; ); setImmediate(burn); };
    burn();`;
  const processes = Array.from({ length: availableParallelism() }, () =>
    spawn(process.execPath, ['-e', endless], { stdio: ['pipe', 'ignore', 'inherit'] }),
  );
  return {
    environment: { TEST_DELAY_MS: String(delayMs) },
    stop: () => processes.forEach((one) => void one.kill()),
  };
}

/** `failed`: for each run so far, the names of the tests that failed. */
export function failureReport(failed: readonly string[][], of: number): string {
  const names = Map.groupBy(failed.flat(), (name) => name);
  return [
    `Run ${failed.length} of ${of}: ${failed.at(-1)?.length ?? 0} failed.`,
    ...[...names].map(([name, all]) => `  failed ${all.length} times in ${failed.length} runs: ${name}`),
  ].join('\n');
}
