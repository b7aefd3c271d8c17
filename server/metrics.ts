/** The explicit list of the metrics of all features: each process has them from its start, whatever its role. */
import { accessMetrics } from './features/accounts/accounts.metrics.ts';
import { liveMetrics, pushMetrics } from './features/realtime/realtime.metrics.ts';
import { searchMetrics } from './features/search/search.metrics.ts';
import { webhookMetrics } from './features/webhooks/webhooks.metrics.ts';
import { widgetMetrics } from './features/widget-api/widget-api.metrics.ts';
import type { Metrics } from './platform/http/metrics.ts';
import { jobMetrics } from './platform/jobs/job-metrics.ts';
import { nodeMetrics } from './platform/nodes/node-metrics.ts';

const all = [
  accessMetrics,
  jobMetrics,
  liveMetrics,
  nodeMetrics,
  pushMetrics,
  searchMetrics,
  webhookMetrics,
  widgetMetrics,
];

export function registerMetrics(metrics: Metrics): Metrics {
  for (const register of all) register(metrics);
  return metrics;
}
