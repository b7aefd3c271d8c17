import type { Metrics } from '../../platform/http/metrics.ts';

export const webhookMetrics = (metrics: Metrics) => ({
  attempts: metrics.histogram({
    name: 'talkboard_webhook_attempt_duration_seconds',
    help: 'Webhook delivery attempts, by outcome.',
    labels: ['outcome'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
  }),
});
