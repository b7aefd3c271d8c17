/** The report of a simulation, as Markdown. */
import { loadavg } from 'node:os';
import { machine, plainTable } from '../report.ts';
import type { Measure } from '../scenario.ts';
import { capacityTable, figuresTable, type ModelFigures, readFigures } from './capacity.ts';
import type { Findings } from './check.ts';
import type { Costs } from './cost.ts';
import type { Instance } from './instance.ts';
import { countFailures, explain, longestRefusal, overloaded } from './outcomes.ts';
import type { RunResult } from './simulation.ts';
import type { Micros } from './usage.ts';

export interface Simulated {
  instance: Instance;
  run: RunResult;
  findings: Findings;
  /** One cell first, if it was measured beside; null: not measured. */
  costs: Costs | null;
  seed: number;
}

/** Of `npm run bench -- search`, which indexes records with 14 fields. */
const indexedRecordKb = 1.9;
/** The goal, where there is one cell only. */
const unmeasuredCellMb = 10;
export const modelledSizes = [1_000, 100_000, 1_000_000];
/** More than the noise of a shared machine. */
const mostCostRatio = 1.1;
const mostRefusedSeconds = 2;
const mostBusyPercent = 1;

export function measuresOf({ run, findings, costs }: Simulated): Measure[] {
  const { outcomes, faults } = run;
  const unexplained = outcomes.failures().filter((one) => explain(one, faults.windows) === null).length;
  const busy = outcomes.failures().filter((one) => explain(one, faults.windows) === overloaded).length;
  const asked = Math.max(1, outcomes.answered() + outcomes.failures().length);
  const none = { atMost: 0 };
  const measures: Measure[] = [
    { name: 'acknowledged writes', value: run.acknowledged, goal: null },
    { name: 'acknowledged and lost', value: findings.lost.length, goal: none },
    { name: 'wrong answers', value: findings.wrong.length, goal: none },
    { name: 'messages without a reply', value: findings.unanswered.length, goal: none },
    { name: 'messages with two replies', value: findings.answeredTwice.length, goal: none },
    { name: 'events missing', value: findings.eventsMissing.length, goal: none },
    { name: 'events about nothing, or twice', value: findings.eventsWrong.length, goal: none },
    { name: 'errors that no fault explains', value: unexplained, goal: none },
    { name: 'refused as BUSY, %', value: (100 * busy) / asked, goal: { atMost: mostBusyPercent } },
    { name: 'deliveries repeated with the same id', value: findings.repeatedDeliveries, goal: null },
  ];
  if (faults.moved.length + faults.failedMoves.length > 0) {
    measures.push({ name: 'accounts moved', value: faults.moved.length, goal: null });
    measures.push({ name: 'moves that failed', value: faults.failedMoves.length, goal: none });
    const value = longestRefusal(outcomes.failures(), faults.windows) / 1000;
    measures.push({
      name: 'writes refused during a move, at most, s',
      value,
      goal: { atMost: mostRefusedSeconds },
    });
  }
  const mix = costs?.byKind.at(-1)?.costs;
  if (mix && mix.length > 1) {
    const value = totalOf(mix[1]!) / totalOf(mix[0]!);
    measures.push({ name: 'CPU per request beside one cell', value, goal: { atMost: mostCostRatio } });
  }
  return measures;
}

export function reportOf(simulated: Simulated): string {
  const { instance, run, findings, costs, seed } = simulated;
  const { deployment, accounts } = instance;
  const records = accounts.reduce((sum, { size }) => sum + size, 0);
  const [load] = loadavg();
  const lines = [
    `${machine()}; load at the end ${load!.toFixed(1)}`,
    `${accounts.length} accounts with ${records} records at first, ${deployment.cells.length} cells, ` +
      `${deployment.nodes.length} processes, ${Math.round(run.seconds)} s, seed ${seed}`,
    '',
    'Faults:',
    ...faultLines(run),
    '',
    'Errors:',
    '',
    errorTable(run),
    '',
    'Times to the answer, ms:',
    '',
    latencyTable(run),
    '',
    'Memory:',
    '',
    plainTable({
      headings: ['process', 'MB at the end', 'MB at most'],
      rows: run.memory.map(({ name, mb, peakMb }) => [name, mb.toFixed(0), peakMb.toFixed(0)]),
    }),
    '',
  ];
  if (costs) lines.push('Processor time of one call, µs, service + PostgreSQL:', '', costTable(costs), '');
  lines.push('Other figures:', '', otherFigures(simulated), '');
  lines.push('For docs/scaling.md:', '', ...modelTables(simulated), '');
  for (const [name, list] of Object.entries(findings)) {
    if (!Array.isArray(list) || list.length === 0) continue;
    lines.push(`${name}:`, ...list.slice(0, 10).map((one) => `- ${one}`), '');
  }
  return lines.join('\n');
}

function faultLines({ faults }: RunResult): string[] {
  return [
    ...faults.killed.map((name) => `- kill -9 of ${name}, started again`),
    ...(faults.stoppedCell ? [`- the cell ${faults.stoppedCell} stopped and started again`] : []),
    ...faults.moved.map(
      ({ tag, records, ms }) => `- ${tag} with ${records} records moved in ${(ms / 1000).toFixed(1)} s`,
    ),
    ...faults.failedMoves.map((what) => `- FAILED move of ${what}`),
    ...faults.leftOut.map((what) => `- LEFT OUT: ${what}`),
  ];
}

function errorTable({ outcomes, faults }: RunResult): string {
  const counts = countFailures(outcomes.failures(), faults.windows);
  const rows = counts.map(({ what, expected, count }) => [what, expected ? 'yes' : 'NO', String(count)]);
  return plainTable({ headings: ['error', 'explained by a fault', 'requests'], rows });
}

function latencyTable({ outcomes }: RunResult): string {
  const ms = (value: number) => (value < 100 ? value.toFixed(1) : value.toFixed(0));
  return plainTable({
    headings: ['request', 'answered', 'p50', 'p95', 'p99', 'longest'],
    rows: outcomes
      .figures()
      .map(({ kind, answered, p50, p95, p99, max }) => [
        kind,
        String(answered),
        ms(p50),
        ms(p95),
        ms(p99),
        ms(max),
      ]),
  });
}

const totalOf = ({ nodes, database }: Micros) => nodes + database;
const pair = ({ nodes, database }: Micros) => `${Math.round(nodes)} + ${Math.round(database)}`;

function costTable({ byKind, idle }: Costs): string {
  const isCompared = idle.length > 1;
  const rowOf = (name: string, costs: Micros[], unit: (micros: Micros) => string) => [
    name,
    ...costs.map(unit),
    ...(isCompared ? [(totalOf(costs[1]!) / totalOf(costs[0]!)).toFixed(2)] : []),
  ];
  const percent = ({ nodes, database }: Micros) =>
    `${(nodes / 10_000).toFixed(1)} % + ${(database / 10_000).toFixed(1)} % of a core`;
  return plainTable({
    headings: ['call', ...(isCompared ? ['one cell', 'all cells', 'ratio'] : ['here'])],
    rows: [
      ...byKind.map(({ kind, costs }) => rowOf(kind, costs, pair)),
      rowOf('without traffic', idle, percent),
    ],
  });
}

function otherFigures({ instance, run }: Simulated): string {
  const { nodes, cells } = instance.deployment;
  const answered = Math.max(1, run.outcomes.answered());
  const used = { nodes: run.used.nodes / answered, database: run.used.database / answered };
  return plainTable({
    headings: ['figure', 'value'],
    rows: [
      ['processor time over the whole run, with faults and idle work, for each answer, µs', pair(used)],
      ['connections of a process to a cell', (run.connections / nodes.length / cells.length).toFixed(1)],
    ],
  });
}

/** As docs/scaling.md has it, between the marks. */
function modelTables({ instance, run, costs }: Simulated): string[] {
  const mix = costs?.byKind.at(-1)?.costs.at(-1);
  if (!mix) return ['The capacity model needs the processor time of requests, which was not measured.'];
  const apis = run.memory.filter(({ name }) => name.startsWith('api')).map(({ peakMb }) => peakMb);
  const { disk } = instance;
  const figures: ModelFigures = {
    serviceMicros: mix.nodes,
    databaseMicros: mix.database,
    processMb: Math.max(...apis),
    cellMb: cellMb(costs!),
    indexedRecordKb,
    accountKb: disk.perAccount / 1024,
    recordKb: disk.perRecord / 1024,
    writeKb: run.bytesPerWrite / 1024,
  };
  const shown = figuresTable(figures);
  // From what is shown, so that the document agrees with itself.
  const exact = readFigures(plainTable(shown));
  return [plainTable(shown), '', plainTable(capacityTable(exact, modelledSizes))];
}

/** Of both instances after the same calls. `cell-idle` measures it more exactly. */
function cellMb({ apiMb, cells }: Costs): number {
  const [one, all] = apiMb;
  return all === undefined ? unmeasuredCellMb : Math.max(0.1, (all - one!) / (cells.at(-1)! - 1));
}
