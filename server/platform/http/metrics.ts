/** Prometheus metrics. Labels are route patterns, never addresses: their number is bounded. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { version } from '../../../contract/version.ts';
import { selectLastRuns } from '../backups/runs.sql.ts';
import type { Schedule } from '../backups/schedule.ts';
import { homeCell } from '../cells/cell-settings.ts';
import type { Db } from '../db/db.ts';
import { listSteps } from '../jobs/housekeeping.ts';
import { createBackupGauges } from '../telemetry/backup-gauges.ts';
import { createRequestDurations, type RequestDurations } from '../telemetry/request-durations.ts';
import { freeBytes } from './ready-checks.ts';

/** A metric's name, help and labels stay as they are: dashboards and alerts of operators use them. */
export interface MetricOf<Label extends string> {
  name: string;
  help: string;
  labels?: readonly Label[];
}

type Labels<Label extends string> = Readonly<Record<Label, string>>;

interface Level {
  inc(): void;
  dec(): void;
  set(value: number): void;
}

/**
 * What features make their metrics with. The same name is the same metric, so a feature may ask for it wherever it counts;
 * `server/metrics.ts` asks for all of them, so that every process has them from its start.
 */
export interface Meter {
  counter<Label extends string = never>(metric: MetricOf<Label>): { inc(labels?: Labels<Label>): void };
  gauge(metric: MetricOf<never>): Level;
  histogram<Label extends string>(
    metric: MetricOf<Label> & { buckets: number[] },
  ): { observe(labels: Labels<Label>, value: number): void };
  /** A gauge that is read at each scrape and is the sum of what is read, until the returned function is called. */
  watch<Label extends string>(
    metric: MetricOf<Label>,
    read: () => { labels: Labels<Label>; value: number },
  ): () => void;
}

/** With the label of its cell. */
export interface Metrics extends Meter {
  registry: Registry;
  /** Not by cell: each route has many series already. */
  httpDuration: RequestDurations;
  /** Of the process, for all its cells. */
  ofProcess: Meter;
  /** The same for another cell, with that cell's database. */
  ofCell(cell: string, db: Db): Metrics;
  /** The cell's database is closed. */
  drop(cell: string): void;
}

const stepsWithinMs = 1_000;

export interface QueueDepth {
  queue: string;
  /** Due, and not begun. */
  waiting: number;
  /** For how long the oldest of them has been due. */
  oldestSeconds: number;
  /** Given up; null: this queue gives nothing up, or keeps its own log. */
  failed: number | null;
}

export interface MetricsOptions {
  /** The label of the home cell; null: there is one database, and no such label. */
  cell: string | null;
  readQueues(db: Db, timeoutMs: number): Promise<QueueDepth[]>;
  dataDir: string;
  /** Null: no backups are made by a schedule. */
  backupSchedule: Schedule | null;
}

export function createMetrics(home: Db, options: MetricsOptions): Metrics {
  const { cell, readQueues, dataDir, backupSchedule } = options;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const cellLabel: 'cell'[] = cell === null ? [] : ['cell'];
  const databases = new Map([[cell ?? '', home]]);
  const labelOf = (name: string): { cell?: string } => (name === '' ? {} : { cell: name });
  new Gauge({
    name: 'talkboard_db_connections',
    help: 'Connections to the database by state.',
    labelNames: ['state', ...cellLabel],
    registers,
    collect() {
      this.reset();
      for (const [name, db] of databases) {
        const { total, idle, waiting } = db.stats();
        this.set({ state: 'busy', ...labelOf(name) }, total - idle);
        this.set({ state: 'idle', ...labelOf(name) }, idle);
        this.set({ state: 'waiting', ...labelOf(name) }, waiting);
      }
    },
  });
  new Gauge({
    name: 'talkboard_housekeeping_last_success_seconds',
    help: 'When each step of housekeeping last succeeded, in seconds since 1970; 0: not yet.',
    labelNames: ['step', ...cellLabel],
    registers,
    async collect() {
      // All at once: a cell that hangs must not add to the time of the others.
      await Promise.all(
        [...databases].map(async ([name, db]) => {
          // Without the database the last values stay; a scrape must not fail for it.
          const steps = await listSteps(db, stepsWithinMs).catch(() => []);
          for (const { step, lastSuccessAt } of steps) {
            this.set({ step, ...labelOf(name) }, (lastSuccessAt ?? 0) / 1000);
          }
        }),
      );
    },
  });
  createBackupGauges({
    registers,
    cellLabel,
    schedule: backupSchedule,
    read: readSeldom(async () => {
      const found = await Promise.all(
        [...databases.keys()].map(async (name) => {
          const runs = await selectLastRuns(home, name || homeCell).catch(() => null);
          return runs && { labels: labelOf(name), ...runs };
        }),
      );
      return found.filter((one) => one !== null);
    }),
  });
  createQueueGauges(registers, cellLabel, async () => {
    const lists = await Promise.all(
      [...databases].map(async ([name, db]) => {
        const queues = await readQueues(db, stepsWithinMs).catch(() => []);
        return queues.map((depth) => ({ depth, labels: { queue: depth.queue, ...labelOf(name) } }));
      }),
    );
    return lists.flat();
  });
  new Gauge({
    name: 'talkboard_info',
    help: 'Always 1; its labels are the release and the version of Node.',
    labelNames: ['version', 'node'],
    registers,
  }).set({ version: version.slice(1), node: process.versions.node }, 1);
  new Gauge({
    name: 'talkboard_disk_free_bytes',
    help: 'Free space in DATA_DIR.',
    registers,
    async collect() {
      const free = await freeBytes(dataDir);
      if (free !== null) this.set(free);
    },
  });
  const httpDuration = createRequestDurations(registry);
  const createMeter = meterOf(registry);
  const ofProcess = createMeter({});
  const of = (name: string): Metrics => ({
    ...createMeter(labelOf(name)),
    registry,
    httpDuration,
    ofProcess,
    ofCell(other, db) {
      databases.set(other, db);
      return of(other);
    },
    drop: (other) => void databases.delete(other),
  });
  return of(cell ?? '');
}

const keptMs = 5_000;

/** One read for all gauges of a scrape, and for scrapes that follow each other. */
function readSeldom<T>(read: () => Promise<T>): () => Promise<T> {
  let last: { at: number; value: Promise<T> } | null = null;
  return () => {
    const now = performance.now();
    if (!last || now - last.at >= keptMs) last = { at: now, value: read() };
    return last.value;
  };
}
type MeasuredQueue = { depth: QueueDepth; labels: { queue: string; cell?: string } };

/** Without the database the last values stay. */
function createQueueGauges(
  registers: Registry[],
  cellLabel: 'cell'[],
  read: () => Promise<MeasuredQueue[]>,
): void {
  const readOnce = readSeldom(read);
  const gauge = (name: string, help: string, of: (depth: QueueDepth) => number | null) =>
    new Gauge({
      name,
      help,
      labelNames: ['queue', ...cellLabel],
      registers,
      async collect() {
        for (const { depth, labels } of await readOnce()) {
          const value = of(depth);
          if (value !== null) this.set(labels, value);
        }
      },
    });
  gauge('talkboard_queue_waiting', 'What is due and not begun, by queue.', ({ waiting }) => waiting);
  gauge(
    'talkboard_queue_oldest_seconds',
    'For how long the oldest has been due, by queue.',
    ({ oldestSeconds }) => oldestSeconds,
  );
  gauge('talkboard_queue_failed', 'What was given up and is still kept, by queue.', ({ failed }) => failed);
}

/** `own`: labels that all metrics of the meter have. */
function meterOf(registry: Registry): (own: { cell?: string }) => Meter {
  const watched = new Map<string, Set<() => { labels: object; value: number }>>();
  return (own) => {
    const optionsOf = ({ name, help, labels = [] }: MetricOf<string>) => ({
      name,
      help,
      labelNames: [...labels, ...Object.keys(own)],
      registers: [registry],
    });
    const known = <Kind>(name: string) => registry.getSingleMetric(name) as Kind | undefined;
    return {
      counter(metric) {
        const counter = known<Counter>(metric.name) ?? new Counter(optionsOf(metric));
        return { inc: (labels) => counter.inc({ ...labels, ...own }) };
      },
      gauge(metric) {
        const gauge = known<Gauge>(metric.name) ?? new Gauge(optionsOf(metric));
        return {
          inc: () => gauge.inc(own),
          dec: () => gauge.dec(own),
          set: (value) => gauge.set(own, value),
        };
      },
      histogram(metric) {
        const { buckets } = metric;
        const histogram = known<Histogram>(metric.name) ?? new Histogram({ ...optionsOf(metric), buckets });
        return { observe: (labels, value) => histogram.observe({ ...labels, ...own }, value) };
      },
      watch(metric, read) {
        const readers = watched.get(metric.name) ?? new Set();
        if (!watched.has(metric.name)) {
          watched.set(metric.name, readers);
          new Gauge({
            ...optionsOf(metric),
            collect() {
              this.reset();
              for (const readOne of readers) {
                const { labels, value } = readOne();
                this.inc({ ...labels }, value);
              }
            },
          });
        }
        const readOwn = () => {
          const { labels, value } = read();
          return { labels: { ...labels, ...own }, value };
        };
        readers.add(readOwn);
        return () => void readers.delete(readOwn);
      },
    };
  };
}
