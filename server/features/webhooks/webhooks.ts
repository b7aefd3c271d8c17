/** What app.ts and worker.ts use of webhooks. No other feature may import it: webhooks consume events. */
export { createLocalReceiver, pruneInboxes } from './inbox/webhook-inbox.ts';
export { startDeliverer } from './webhooks.deliver.ts';
export { forecastEvents } from './webhooks.dry-run.ts';
export { disableFailing } from './webhooks.health.ts';
export { webhookMetrics } from './webhooks.metrics.ts';
export { pruneWebhooks } from './webhooks.prune.ts';
