/** `npm run bench`: what Talkboard costs above the bare stack. See docs/benchmarks.md. */
import { writeFileSync } from 'node:fs';
import { readOptions, UsageError } from './options.ts';
import { PeersMissing } from './peers.ts';
import { jsonOf, type Measured, machine, measuresOf, plainTable, type Result, tableOf } from './report.ts';
import type { Table } from './scenario.ts';
import { scenarios } from './scenarios.ts';
import { openStage, type Stage } from './stage.ts';

/** If no scenario needs the common records. */
const fewRecords = 100;

const say = (line: string) => void process.stderr.write(`${line}\n`);

async function main(): Promise<void> {
  const options = readOptions(
    process.argv.slice(2),
    scenarios.map((scenario) => scenario.name),
  );
  const asked = scenarios.filter(
    ({ name, onRequest }) =>
      options.scenarios.includes(name) || (options.scenarios.length === 0 && !onRequest),
  );
  const common = asked.every((scenario) => scenario.fillsItself) ? fewRecords : options.records;
  const { records, pairs, seconds, clients, seed } = options;
  say(machine());
  say(`${records} records, ${clients} clients, ${pairs} pairs of ${seconds} s, seed ${seed}`);

  // Kept as a promise: a signal during the start waits for it, then stops everything.
  const opening = openStage(options, say, common);
  const interrupt = async () => {
    const stage = await opening.catch(() => null);
    await stage?.close();
    process.exit(130);
  };
  process.once('SIGINT', () => void interrupt());
  process.once('SIGTERM', () => void interrupt());
  const stage = await opening;
  try {
    const { results, measured, tables } = await runAll(stage, asked);
    if (results.length > 0) process.stdout.write(`${tableOf(results)}\n`);
    if (measured.length > 0) process.stdout.write(`${measuresOf(measured)}\n`);
    for (const { scenario, table } of tables) process.stdout.write(`${scenario}\n${plainTable(table)}\n`);
    if (options.jsonFile)
      writeFileSync(options.jsonFile, jsonOf({ results, measured, tables }, options, new Date()));
  } finally {
    await stage.close();
  }
}

async function runAll(
  stage: Stage,
  asked: typeof scenarios,
): Promise<{ results: Result[]; measured: Measured[]; tables: { scenario: string; table: Table }[] }> {
  const results: Result[] = [];
  const measured: Measured[] = [];
  const tables: { scenario: string; table: Table }[] = [];
  for (const scenario of asked) {
    say(`${scenario.name}: ${scenario.about}`);
    if ('run' in scenario) {
      results.push({ scenario: scenario.name, goal: scenario.goal, ...(await scenario.run(stage)) });
    } else if ('tabulate' in scenario) {
      tables.push({ scenario: scenario.name, table: await scenario.tabulate(stage) });
    } else {
      const measures = await scenario.measure(stage);
      measured.push(...measures.map((measure) => ({ scenario: scenario.name, ...measure })));
    }
  }
  return { results, measured, tables };
}

main().then(
  () => process.exit(0),
  (error: Error) => {
    const isPlain = error instanceof UsageError || error instanceof PeersMissing;
    say(isPlain ? error.message : (error.stack ?? error.message));
    process.exit(error instanceof UsageError ? 2 : 1);
  },
);
