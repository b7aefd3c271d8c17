/** `npm run bench`: what Talkboard costs above the bare stack. See docs/benchmarks.md. */
import { writeFileSync } from 'node:fs';
import { readOptions, UsageError } from './options.ts';
import { jsonOf, type Measured, machine, measuresOf, type Result, tableOf } from './report.ts';
import { scenarios } from './scenarios.ts';
import { openStage, type Stage } from './stage.ts';

const say = (line: string) => void process.stderr.write(`${line}\n`);

async function main(): Promise<void> {
  const options = readOptions(
    process.argv.slice(2),
    scenarios.map((scenario) => scenario.name),
  );
  const asked = scenarios.filter(
    ({ name }) => options.scenarios.length === 0 || options.scenarios.includes(name),
  );
  const { records, pairs, seconds, clients, seed } = options;
  say(machine());
  say(`${records} records, ${clients} clients, ${pairs} pairs of ${seconds} s, seed ${seed}`);

  // Kept as a promise: a signal that comes while things are being started waits for them, then stops them.
  const opening = openStage(options, say);
  const interrupt = async () => {
    const stage = await opening.catch(() => null);
    await stage?.close();
    process.exit(130);
  };
  process.once('SIGINT', () => void interrupt());
  process.once('SIGTERM', () => void interrupt());
  const stage = await opening;
  try {
    const { results, measured } = await runAll(stage, asked);
    if (results.length > 0) process.stdout.write(`${tableOf(results)}\n`);
    if (measured.length > 0) process.stdout.write(`${measuresOf(measured)}\n`);
    if (options.jsonFile) writeFileSync(options.jsonFile, jsonOf(results, measured, options, new Date()));
  } finally {
    await stage.close();
  }
}

async function runAll(
  stage: Stage,
  asked: typeof scenarios,
): Promise<{ results: Result[]; measured: Measured[] }> {
  const results: Result[] = [];
  const measured: Measured[] = [];
  for (const scenario of asked) {
    say(`${scenario.name}: ${scenario.about}`);
    if ('run' in scenario) {
      results.push({ scenario: scenario.name, goal: scenario.goal, ...(await scenario.run(stage)) });
    } else {
      const measures = await scenario.measure(stage);
      measured.push(...measures.map((measure) => ({ scenario: scenario.name, ...measure })));
    }
  }
  return { results, measured };
}

main().then(
  () => process.exit(0),
  (error: Error) => {
    say(error instanceof UsageError ? error.message : (error.stack ?? error.message));
    process.exit(error instanceof UsageError ? 2 : 1);
  },
);
