/** A backup that cannot be made or read, in words for the operator. */
export class BackupError extends Error {}
