import type { Metrics } from '../http/metrics.ts';

export const jobMetrics = (metrics: Metrics) => ({
  finished: metrics.counter({
    name: 'talkboard_jobs_finished_total',
    help: 'Background jobs, by outcome.',
    labels: ['kind', 'outcome'],
  }),
});
