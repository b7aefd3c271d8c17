/** What the worker uses of erasures and retention. The routes and handlers are listed in app.ts and worker.ts. */
export { erasureJobKind, messageDeletionJobKind } from './erasures/erasures.ts';
export { enqueueDueRetention, retentionJobKind } from './retention/retention.ts';
