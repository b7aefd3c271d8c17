/** Prometheus metrics. Labels are route patterns, never addresses: their number is bounded. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Db } from '../db/db.ts';
import { listSteps } from '../jobs/housekeeping.ts';

export interface Metrics {
  registry: Registry;
  httpDuration: Histogram<'method' | 'route' | 'status'>;
  rateLimited: Counter<'bucket'>;
  jobsFinished: Counter<'kind' | 'outcome'>;
  webhookAttempts: Histogram<'outcome'>;
  liveConnections: Gauge;
  liveRefused: Counter<'reason'>;
  liveClosed: Counter<'reason'>;
  liveEventsSent: Counter;
  pushSent: Counter<'outcome'>;
  widgetConnections: Gauge;
  widgetRefused: Counter<'reason'>;
  widgetMessages: Counter<'outcome'>;
  searchIndexes: SearchIndexes;
  nodes: Gauge;
  nodeCalls: Counter<'outcome'>;
}

/** The search indexes in memory, of all cells of the process. */
export interface SearchIndexes {
  dropped: Counter<'kind' | 'reason'>;
  /** Counts an owner of indexes until the returned function is called. */
  watch(kind: string, read: () => { indexes: number; bytes: number }): () => void;
}

const stepsWithinMs = 1_000;

export function createMetrics(db: Db): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  new Gauge({
    name: 'talkboard_db_connections',
    help: 'Connections to the database by state.',
    labelNames: ['state'],
    registers,
    collect() {
      const { total, idle, waiting } = db.stats();
      this.set({ state: 'busy' }, total - idle);
      this.set({ state: 'idle' }, idle);
      this.set({ state: 'waiting' }, waiting);
    },
  });
  new Gauge({
    name: 'talkboard_housekeeping_last_success_seconds',
    help: 'When each step of housekeeping last succeeded, in seconds since 1970; 0: not yet.',
    labelNames: ['step'],
    registers,
    async collect() {
      // Without the database the last values stay; a scrape must not fail for it.
      const steps = await listSteps(db, stepsWithinMs).catch(() => []);
      for (const { step, lastSuccessAt } of steps) this.set({ step }, (lastSuccessAt ?? 0) / 1000);
    },
  });
  return {
    registry,
    httpDuration: new Histogram({
      name: 'talkboard_http_request_duration_seconds',
      help: 'Time from the request to the end of the response.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers,
    }),
    rateLimited: new Counter({
      name: 'talkboard_rate_limited_total',
      help: 'Requests rejected by a rate limit.',
      labelNames: ['bucket'],
      registers,
    }),
    jobsFinished: new Counter({
      name: 'talkboard_jobs_finished_total',
      help: 'Background jobs, by outcome.',
      labelNames: ['kind', 'outcome'],
      registers,
    }),
    webhookAttempts: new Histogram({
      name: 'talkboard_webhook_attempt_duration_seconds',
      help: 'Webhook delivery attempts, by outcome.',
      labelNames: ['outcome'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
      registers,
    }),
    liveConnections: new Gauge({
      name: 'talkboard_live_connections',
      help: 'Open WebSocket connections.',
      registers,
    }),
    liveRefused: new Counter({
      name: 'talkboard_live_refused_total',
      help: 'Rejected WebSocket connections.',
      labelNames: ['reason'],
      registers,
    }),
    liveClosed: new Counter({
      name: 'talkboard_live_closed_total',
      help: 'Closed WebSocket connections, by reason.',
      labelNames: ['reason'],
      registers,
    }),
    liveEventsSent: new Counter({
      name: 'talkboard_live_events_sent_total',
      help: 'Frames sent to WebSockets.',
      registers,
    }),
    pushSent: new Counter({
      name: 'talkboard_push_sent_total',
      help: 'Push messages, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    widgetConnections: new Gauge({
      name: 'talkboard_widget_connections',
      help: 'Open widgets.',
      registers,
    }),
    widgetRefused: new Counter({
      name: 'talkboard_widget_refused_total',
      help: 'Rejected widget requests and tokens, by reason.',
      labelNames: ['reason'],
      registers,
    }),
    widgetMessages: new Counter({
      name: 'talkboard_widget_messages_total',
      help: 'Messages of visitors, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
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
