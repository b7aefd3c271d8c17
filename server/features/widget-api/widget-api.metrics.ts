import type { Metrics } from '../../platform/http/metrics.ts';

export const widgetMetrics = (metrics: Metrics) => ({
  connections: metrics.gauge({ name: 'talkboard_widget_connections', help: 'Open widgets.' }),
  refused: metrics.counter({
    name: 'talkboard_widget_refused_total',
    help: 'Rejected widget requests and tokens, by reason.',
    labels: ['reason'],
  }),
  messages: metrics.counter({
    name: 'talkboard_widget_messages_total',
    help: 'Messages of visitors, by outcome.',
    labels: ['outcome'],
  }),
});
