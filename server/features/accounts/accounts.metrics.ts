import type { Metrics } from '../../platform/http/metrics.ts';

export const accessMetrics = (metrics: Metrics) => ({
  rateLimited: metrics.counter({
    name: 'talkboard_rate_limited_total',
    help: 'Requests rejected by a rate limit.',
    labels: ['bucket'],
  }),
});
