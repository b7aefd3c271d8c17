/** Prints the results for people and for programs. */
import { cpus, totalmem } from 'node:os';
import type { Comparison, SideFigures } from './load/pairs.ts';
import type { Options } from './options.ts';
import type { Measure, Table } from './scenario.ts';

export interface Result extends Comparison {
  scenario: string;
  goal: number;
}

export interface Measured extends Measure {
  scenario: string;
}

const headings = [
  'scenario',
  'ratio',
  'goal',
  'ratios',
  'talkboard/s',
  'floor/s',
  'p50 ms',
  'p99 ms',
  'CPU µs',
];

export function tableOf(results: readonly Result[]): string {
  const rows = results.map((result) => [
    result.scenario,
    result.ratio.toFixed(2),
    `>= ${result.goal} ${result.ratio >= result.goal ? 'met' : 'MISSED'}`,
    `${Math.min(...result.ratios).toFixed(2)} to ${Math.max(...result.ratios).toFixed(2)}`,
    String(Math.round(result.talkboard.perSecond)),
    String(Math.round(result.floor.perSecond)),
    `${result.talkboard.p50} / ${result.floor.p50}`,
    `${result.talkboard.p99} / ${result.floor.p99}`,
    `${cpuOf(result.talkboard)} / ${cpuOf(result.floor)}`,
  ]);
  return table(headings, rows);
}

export function measuresOf(measured: readonly Measured[]): string {
  const rows = measured.map(({ scenario, name, value, goal }) => [
    scenario,
    name,
    value >= 100 ? String(Math.round(value)) : value.toFixed(value < 1 ? 3 : 2),
    goal === null ? '' : 'atMost' in goal ? `<= ${goal.atMost}` : `>= ${goal.atLeast}`,
    goal === null ? '' : ('atMost' in goal ? value <= goal.atMost : value >= goal.atLeast) ? 'met' : 'MISSED',
  ]);
  return table(['scenario', 'figure', 'value', 'goal', ''], rows);
}

export function plainTable({ headings, rows }: Table): string {
  return table(headings, rows);
}

function table(headings: string[], rows: string[][]): string {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]!.length)),
  );
  const line = (cells: string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`;
  return [line(headings), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

/** The side's own process plus PostgreSQL. */
function cpuOf({ cpu }: SideFigures): string {
  return cpu ? `${Math.round(cpu.side)}+${Math.round(cpu.database)}` : '–';
}

export function machine(): string {
  const [first] = cpus();
  return `${cpus().length} cores (${first?.model ?? 'unknown'}), ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.versions.node}`;
}

export function jsonOf(
  found: {
    results: readonly Result[];
    measured: readonly Measured[];
    tables: readonly { scenario: string; table: Table }[];
  },
  options: Options,
  date: Date,
): string {
  const { records, pairs, seconds, warmUpSeconds, clients, seed } = options;
  return `${JSON.stringify(
    {
      date: date.toISOString(),
      machine: machine(),
      options: { records, pairs, seconds, warmUpSeconds, clients, seed },
      ...found,
    },
    null,
    2,
  )}\n`;
}
