/** `npm run bench`: what Talkboard costs above the bare stack. See docs/benchmarks.md. */
import { writeFileSync } from 'node:fs';
import { type Options, readOptions, UsageError } from './options.ts';
import { PeersMissing } from './peers.ts';
import { jsonOf, type Measured, machine, measuresOf, plainTable, type Result, tableOf } from './report.ts';
import type { Scenario, Table } from './scenario.ts';
import { scenarios } from './scenarios.ts';
import { openStage, type Stage } from './stage.ts';

/** If no scenario needs the common records. */
const fewRecords = 100;

const say = (line: string) => void process.stderr.write(`${line}\n`);

interface Found {
  results: Result[];
  measured: Measured[];
  tables: { scenario: string; table: Table }[];
  /** Reports of scenarios that print more than figures. */
  texts: string[];
}

/** The exit code: 1 if a run found something that must never happen. */
async function main(): Promise<number> {
  const options = readOptions(
    process.argv.slice(2),
    scenarios.map((scenario) => scenario.name),
  );
  const asked = scenarios.filter(
    ({ name, onRequest }) =>
      options.scenarios.includes(name) || (options.scenarios.length === 0 && !onRequest),
  );
  say(machine());
  const found: Found = { results: [], measured: [], tables: [], texts: [] };
  const alone = asked.filter((scenario) => 'alone' in scenario);
  const staged = asked.filter((scenario) => !('alone' in scenario));
  if (staged.length > 0) await runOnStage(options, staged, found);
  for (const scenario of alone) await runAlone(options, scenario, found);

  for (const text of found.texts) process.stdout.write(`${text}\n`);
  if (found.results.length > 0) process.stdout.write(`${tableOf(found.results)}\n`);
  if (found.measured.length > 0) process.stdout.write(`${measuresOf(found.measured)}\n`);
  for (const { scenario, table } of found.tables) {
    process.stdout.write(`${scenario}\n${plainTable(table)}\n`);
  }
  if (options.jsonFile) writeFileSync(options.jsonFile, jsonOf(found, options, new Date()));
  // For unattended runs: other figures depend on the machine, these do not.
  const isBroken = found.measured.some(
    ({ goal, value }) => goal && 'atMost' in goal && goal.atMost === 0 && value > 0,
  );
  return isBroken ? 1 : 0;
}

async function runOnStage(options: Options, asked: Scenario[], found: Found): Promise<void> {
  const common = asked.every((scenario) => scenario.fillsItself) ? fewRecords : options.records;
  const { records, pairs, seconds, clients, seed } = options;
  say(`${records} records, ${clients} clients, ${pairs} pairs of ${seconds} s, seed ${seed}`);
  // Kept as a promise: a signal during the start waits for it, then stops everything.
  const opening = openStage(options, say, common);
  onInterrupt(async () => {
    const stage = await opening.catch(() => null);
    await stage?.close();
  });
  const stage = await opening;
  try {
    for (const scenario of asked) await runOne(stage, scenario, found);
  } finally {
    await stage.close();
  }
}

async function runOne(stage: Stage, scenario: Scenario, found: Found): Promise<void> {
  const { name } = scenario;
  say(`${name}: ${scenario.about}`);
  if ('run' in scenario) {
    found.results.push({ scenario: name, goal: scenario.goal, ...(await scenario.run(stage)) });
  } else if ('tabulate' in scenario) {
    const { measures = [], ...table } = await scenario.tabulate(stage);
    found.tables.push({ scenario: name, table });
    found.measured.push(...measures.map((measure) => ({ scenario: name, ...measure })));
  } else if ('measure' in scenario) {
    const measures = await scenario.measure(stage);
    found.measured.push(...measures.map((measure) => ({ scenario: name, ...measure })));
  }
}

async function runAlone(options: Options, scenario: Scenario, found: Found): Promise<void> {
  if (!('alone' in scenario)) return;
  const { name } = scenario;
  say(`${name}: ${scenario.about} (seed ${options.seed})`);
  const closers: (() => unknown)[] = [];
  const close = async () => {
    // Each is tried, also after one that failed: servers stop and folders go.
    for (const step of closers.splice(0).reverse()) {
      await (async () => step())().catch((error: Error) => say(`closing failed: ${error.message}`));
    }
  };
  onInterrupt(close);
  try {
    const { measures, text } = await scenario.alone({
      options,
      say,
      onClose: (step) => void closers.push(step),
    });
    found.measured.push(...measures.map((measure) => ({ scenario: name, ...measure })));
    if (text !== undefined) found.texts.push(text);
  } finally {
    await close();
  }
}

function onInterrupt(close: () => Promise<unknown>): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.removeAllListeners(signal).once(signal, () => void close().finally(() => process.exit(130)));
  }
}

main().then(
  (code) => process.exit(code),
  (error: Error) => {
    const isPlain = error instanceof UsageError || error instanceof PeersMissing;
    say(isPlain ? error.message : (error.stack ?? error.message));
    process.exit(error instanceof UsageError ? 2 : 1);
  },
);
