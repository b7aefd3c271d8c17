/** `npm run bench`: what Talkboard costs above the bare stack. See docs/benchmarks.md. */
import { writeFileSync } from 'node:fs';
import { readOptions, UsageError } from './options.ts';
import { jsonOf, machine, type Result, tableOf } from './report.ts';
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
    const results = await runAll(stage, asked);
    process.stdout.write(`${tableOf(results)}\n`);
    if (options.jsonFile) writeFileSync(options.jsonFile, jsonOf(results, options, new Date()));
  } finally {
    await stage.close();
  }
}

async function runAll(stage: Stage, asked: typeof scenarios): Promise<Result[]> {
  const results: Result[] = [];
  for (const scenario of asked) {
    say(`${scenario.name}: ${scenario.about}`);
    results.push({ scenario: scenario.name, goal: scenario.goal, ...(await scenario.run(stage)) });
  }
  return results;
}

main().then(
  () => process.exit(0),
  (error: Error) => {
    say(error instanceof UsageError ? error.message : (error.stack ?? error.message));
    process.exit(error instanceof UsageError ? 2 : 1);
  },
);
