/**
 * What an instance of a given size needs, calculated from measured figures. docs/scaling.md has the formulas in words,
 * the figures and the result; a test compares them.
 */
import type { Table } from '../scenario.ts';

/** In the units of their names. */
export interface ModelFigures {
  /** Processor time of a request of the mixed traffic, with the work that follows it. */
  serviceMicros: number;
  databaseMicros: number;
  /** An api process under load, without search indexes. */
  processMb: number;
  /** What each further cell adds to a process. */
  cellMb: number;
  /** Of the search index. */
  indexedRecordKb: number;
  accountKb: number;
  recordKb: number;
  /** A write with its reply, its events and their log. */
  writeKb: number;
}

const figureRows: { key: keyof ModelFigures; name: string; unit: string }[] = [
  { key: 'serviceMicros', name: 'processor time of a mixed request, service', unit: 'µs' },
  { key: 'databaseMicros', name: 'processor time of a mixed request, PostgreSQL', unit: 'µs' },
  { key: 'processMb', name: 'memory of a process', unit: 'MB' },
  { key: 'cellMb', name: 'memory of a further cell in a process', unit: 'MB' },
  { key: 'indexedRecordKb', name: 'memory of a record in the search index', unit: 'KB' },
  { key: 'accountKb', name: 'disk of an empty account', unit: 'KB' },
  { key: 'recordKb', name: 'disk of a record', unit: 'KB' },
  { key: 'writeKb', name: 'disk of a write with its reply, events and log', unit: 'KB' },
];

/** What an average account does and has. Most have less, a few have much more. */
const assumed = {
  requestsPerDay: 100,
  /** Of a day's requests; half of that hour's requests come in its busiest quarter. */
  shareOfBusiestHour: 1 / 8,
  busiestFactor: 2,
  shareOfWrites: 0.3,
  daysKept: 365,
  records: 300,
  /** Of the records, in accounts that were searched within the last ten minutes. */
  shareSearched: 0.1,
};

/** What one part takes at most, so that it can lose a neighbour and still grow. */
const bounds = {
  serviceUse: 0.6,
  databaseUse: 0.5,
  coresPerCell: 8,
  /** A copy of more takes longer than a night's maintenance. */
  terabytesPerCell: 1,
  searchMbPerProcess: 512,
  connectionsPerProcess: 16,
  /** PostgreSQL takes more, but each costs memory and a process. */
  connectionsWithoutPooler: 200,
  leastApi: 2,
  leastWorker: 2,
  /** Of the service's processor time. */
  shareOfWorkers: 0.4,
};

export interface Capacity {
  accounts: number;
  perSecond: number;
  serviceCores: number;
  databaseCores: number;
  terabytes: number;
  searchGb: number;
  cells: number;
  apiProcesses: number;
  workerProcesses: number;
  processMb: number;
  connectionsPerCell: number;
}

export function capacityOf(accounts: number, figures: ModelFigures): Capacity {
  const { requestsPerDay, shareOfBusiestHour, busiestFactor, shareOfWrites, daysKept } = assumed;
  const perSecond = (accounts * requestsPerDay * shareOfBusiestHour * busiestFactor) / 3600;
  const serviceCores = (perSecond * figures.serviceMicros) / 1e6 / bounds.serviceUse;
  const databaseCores = (perSecond * figures.databaseMicros) / 1e6 / bounds.databaseUse;
  const kilobytes =
    figures.accountKb +
    assumed.records * figures.recordKb +
    requestsPerDay * shareOfWrites * daysKept * figures.writeKb;
  const terabytes = (accounts * kilobytes) / 2 ** 30;
  const searchMb = (accounts * assumed.records * assumed.shareSearched * figures.indexedRecordKb) / 1024;
  const cells = Math.max(
    1,
    Math.ceil(databaseCores / bounds.coresPerCell),
    Math.ceil(terabytes / bounds.terabytesPerCell),
  );
  const apiProcesses = Math.max(
    bounds.leastApi,
    Math.ceil(serviceCores * (1 - bounds.shareOfWorkers)),
    Math.ceil(searchMb / bounds.searchMbPerProcess),
  );
  const workerProcesses = Math.max(bounds.leastWorker, Math.ceil(serviceCores * bounds.shareOfWorkers));
  return {
    accounts,
    perSecond,
    serviceCores,
    databaseCores,
    terabytes,
    searchGb: searchMb / 1024,
    cells,
    apiProcesses,
    workerProcesses,
    processMb: figures.processMb + (cells - 1) * figures.cellMb,
    connectionsPerCell: (apiProcesses + workerProcesses) * bounds.connectionsPerProcess,
  };
}

export function figuresTable(figures: ModelFigures): Table {
  return {
    headings: ['Figure', 'Value'],
    rows: figureRows.map(({ key, name, unit }) => [name, `${rounded(figures[key])} ${unit}`]),
  };
}

/** The reverse, from Markdown. */
export function readFigures(markdown: string): ModelFigures {
  const read = ({ key, name, unit }: (typeof figureRows)[number]) => {
    const line = markdown.split('\n').find((one) => one.startsWith(`| ${name} `));
    const value = Number(line?.split('|')[2]?.replace(unit, '').replaceAll(',', '').trim());
    if (!(value > 0)) throw new Error(`there is no figure "${name}"`);
    return [key, value] as const;
  };
  return Object.fromEntries(figureRows.map(read)) as unknown as ModelFigures;
}

export function capacityTable(figures: ModelFigures, sizes: readonly number[]): Table {
  const all = sizes.map((accounts) => capacityOf(accounts, figures));
  const row = (name: string, show: (capacity: Capacity) => string) => [name, ...all.map(show)];
  return {
    headings: ['Accounts', ...sizes.map((size) => size.toLocaleString('en'))],
    rows: [
      row('requests a second, at the busiest time', ({ perSecond }) => rounded(perSecond)),
      row('cores for the service', ({ serviceCores }) => rounded(serviceCores)),
      row('cores for PostgreSQL', ({ databaseCores }) => rounded(databaseCores)),
      row('disk after a year, TB', ({ terabytes }) => rounded(terabytes)),
      row('search indexes in memory, GB', ({ searchGb }) => rounded(searchGb)),
      row('cells', ({ cells }) => String(cells)),
      row('api processes', ({ apiProcesses }) => String(apiProcesses)),
      row('worker processes', ({ workerProcesses }) => String(workerProcesses)),
      row('memory of a process without search indexes, MB', ({ processMb }) => rounded(processMb)),
      row(
        'connections to each cell, at most',
        ({ connectionsPerCell: count }) =>
          `${count.toLocaleString('en')}${count > bounds.connectionsWithoutPooler ? ', with PgBouncer' : ''}`,
      ),
    ],
  };
}

/** Two significant digits are more than such a model knows. */
function rounded(value: number): string {
  const digits = value >= 100 ? Math.round(value) : Number(value.toPrecision(2));
  return digits.toLocaleString('en', { maximumFractionDigits: 4 });
}
