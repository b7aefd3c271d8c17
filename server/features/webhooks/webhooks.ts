/** What app.ts and worker.ts use of webhooks. Nobody else may: webhooks live on events. */
export { startDeliverer } from './webhooks.deliver.ts';
export { forecastEvents } from './webhooks.dry-run.ts';
export { disableFailing } from './webhooks.health.ts';
export { pruneWebhooks } from './webhooks.prune.ts';
