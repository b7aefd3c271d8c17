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

interface Count<Label extends string> {
  inc(labels: Partial<Record<Label, string>>): void;
}
interface Tally {
  inc(): void;
}
interface Level extends Tally {
  dec(): void;
}
interface Timing<Label extends string> {
  observe(labels: Partial<Record<Label, string | number>>, seconds: number): void;
}

/** What a part of the service counts, for its cell. */
interface Meters {
  httpDuration: RequestDurations;
  rateLimited: Count<'bucket'>;
  jobsFinished: Count<'kind' | 'outcome'>;
  webhookAttempts: Timing<'outcome'>;
  liveConnections: Level;
  liveRefused: Count<'reason'>;
  liveClosed: Count<'reason'>;
  liveEventsSent: Tally;
  pushSent: Count<'outcome'>;
  widgetConnections: Level;
  widgetRefused: Count<'reason'>;
  widgetMessages: Count<'outcome'>;
}

export interface Metrics extends Meters, ProcessMeters {
  registry: Registry;
  /** The same for another cell, with that cell's database. */
  ofCell(cell: string, db: Db): Metrics;
  /** The cell's database is closed. */
  drop(cell: string): void;
}

/** Of the process, for all its cells. */
interface ProcessMeters {
  searchIndexes: SearchIndexes;
  /** Live processes that search for each other. */
  nodes: Gauge;
  nodeCalls: Counter<'outcome'>;
}

/** The search indexes in memory. */
export interface SearchIndexes {
  dropped: Count<'kind' | 'reason'>;
  /** Counts an owner of indexes until the returned function is called. */
  watch(kind: string, read: () => { indexes: number; bytes: number }): () => void;
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
  const meters = createMeters(registers, cellLabel);
  const ofProcess = createProcessMeters(registers);
  const of = (name: string): Metrics => {
    const label = labelOf(name);
    return {
      registry,
      ...ofProcess,
      ...(name === '' ? meters : labelled(meters, label)),
      ofCell(other, db) {
        databases.set(other, db);
        return of(other);
      },
      drop: (other) => void databases.delete(other),
    };
  };
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

/** Durations of requests are not by cell: each route has many series already. */
function labelled(meters: Meters, label: { cell?: string }): Meters {
  const count = <Label extends string>(metric: Count<Label>): Count<Label> => ({
    inc: (labels) => metric.inc({ ...labels, ...label } as Partial<Record<Label, string>>),
  });
  const level = (metric: Level): Level => {
    const own = metric as Gauge<'cell'>;
    return { inc: () => own.inc(label), dec: () => own.dec(label) };
  };
  return {
    httpDuration: meters.httpDuration,
    rateLimited: count(meters.rateLimited),
    jobsFinished: count(meters.jobsFinished),
    webhookAttempts: {
      observe: (labels, seconds) => meters.webhookAttempts.observe({ ...labels, ...label }, seconds),
    },
    liveConnections: level(meters.liveConnections),
    liveRefused: count(meters.liveRefused),
    liveClosed: count(meters.liveClosed),
    liveEventsSent: { inc: () => (meters.liveEventsSent as Counter<'cell'>).inc(label) },
    pushSent: count(meters.pushSent),
    widgetConnections: level(meters.widgetConnections),
    widgetRefused: count(meters.widgetRefused),
    widgetMessages: count(meters.widgetMessages),
  };
}

function createMeters(registers: Registry[], cellLabel: 'cell'[]): Meters {
  return {
    httpDuration: createRequestDurations(registers[0]!),
    rateLimited: new Counter({
      name: 'talkboard_rate_limited_total',
      help: 'Requests rejected by a rate limit.',
      labelNames: ['bucket', ...cellLabel],
      registers,
    }),
    jobsFinished: new Counter({
      name: 'talkboard_jobs_finished_total',
      help: 'Background jobs, by outcome.',
      labelNames: ['kind', 'outcome', ...cellLabel],
      registers,
    }),
    webhookAttempts: new Histogram({
      name: 'talkboard_webhook_attempt_duration_seconds',
      help: 'Webhook delivery attempts, by outcome.',
      labelNames: ['outcome', ...cellLabel],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
      registers,
    }),
    liveConnections: new Gauge({
      name: 'talkboard_live_connections',
      help: 'Open WebSocket connections.',
      labelNames: cellLabel,
      registers,
    }),
    liveRefused: new Counter({
      name: 'talkboard_live_refused_total',
      help: 'Rejected WebSocket connections.',
      labelNames: ['reason', ...cellLabel],
      registers,
    }),
    liveClosed: new Counter({
      name: 'talkboard_live_closed_total',
      help: 'Closed WebSocket connections, by reason.',
      labelNames: ['reason', ...cellLabel],
      registers,
    }),
    liveEventsSent: new Counter({
      name: 'talkboard_live_events_sent_total',
      help: 'Frames sent to WebSockets.',
      labelNames: cellLabel,
      registers,
    }),
    pushSent: new Counter({
      name: 'talkboard_push_sent_total',
      help: 'Push messages, by outcome.',
      labelNames: ['outcome', ...cellLabel],
      registers,
    }),
    widgetConnections: new Gauge({
      name: 'talkboard_widget_connections',
      help: 'Open widgets.',
      labelNames: cellLabel,
      registers,
    }),
    widgetRefused: new Counter({
      name: 'talkboard_widget_refused_total',
      help: 'Rejected widget requests and tokens, by reason.',
      labelNames: ['reason', ...cellLabel],
      registers,
    }),
    widgetMessages: new Counter({
      name: 'talkboard_widget_messages_total',
      help: 'Messages of visitors, by outcome.',
      labelNames: ['outcome', ...cellLabel],
      registers,
    }),
  };
}

function createProcessMeters(registers: Registry[]): ProcessMeters {
  return {
    searchIndexes: createSearchIndexes(registers),
    nodes: new Gauge({
      name: 'talkboard_nodes',
      help: 'Live processes that search for each other, as this one sees them; 0: it searches alone.',
      registers,
    }),
    nodeCalls: new Counter({
      name: 'talkboard_node_calls_total',
      help: 'Searches sent to the node that owns the account, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
  };
}

function createSearchIndexes(registers: Registry[]): SearchIndexes {
  const watched = new Set<{ kind: string; read(): { indexes: number; bytes: number } }>();
  const gauge = (name: string, help: string, of: 'indexes' | 'bytes') =>
    new Gauge({
      name,
      help,
      labelNames: ['kind'],
      registers,
      collect() {
        this.reset();
        for (const { kind, read } of watched) this.inc({ kind }, read()[of]);
      },
    });
  gauge('talkboard_search_indexes', 'Accounts whose search index is in memory.', 'indexes');
  gauge('talkboard_search_index_bytes', 'Memory of the search indexes.', 'bytes');
  return {
    dropped: new Counter({
      name: 'talkboard_search_indexes_dropped_total',
      help: 'Search indexes dropped: the least recently used ones beyond the memory budget, or unused ones.',
      labelNames: ['kind', 'reason'],
      registers,
    }),
    watch(kind, read) {
      const entry = { kind, read };
      watched.add(entry);
      return () => void watched.delete(entry);
    },
  };
}
