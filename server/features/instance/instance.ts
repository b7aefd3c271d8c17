/** What the service and the worker use of the instance's state and its backups. */
export { backupJobKind, enqueueDueBackup } from './backups.ts';
export { readQueues } from './system.ts';
