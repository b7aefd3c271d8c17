import type { Metrics } from '../../platform/http/metrics.ts';

export const liveMetrics = (metrics: Metrics) => ({
  connections: metrics.gauge({ name: 'talkboard_live_connections', help: 'Open WebSocket connections.' }),
  refused: metrics.counter({
    name: 'talkboard_live_refused_total',
    help: 'Rejected WebSocket connections.',
    labels: ['reason'],
  }),
  closed: metrics.counter({
    name: 'talkboard_live_closed_total',
    help: 'Closed WebSocket connections, by reason.',
    labels: ['reason'],
  }),
  eventsSent: metrics.counter({
    name: 'talkboard_live_events_sent_total',
    help: 'Frames sent to WebSockets.',
  }),
});

export const pushMetrics = (metrics: Metrics) => ({
  sent: metrics.counter({
    name: 'talkboard_push_sent_total',
    help: 'Push messages, by outcome.',
    labels: ['outcome'],
  }),
});
