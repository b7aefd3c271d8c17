/** What app.ts and worker.ts use of the widget besides its routes. */
export { createVisitorGuard } from './widget-api.guard.ts';
export { createVisitorFeed } from './widget-api.live.ts';
export { pruneUploadUsage } from './widget-api.upload.ts';
export { createVisitorTokens } from './widget-api.visitor.ts';
