/** A backup that cannot be made or read, in words for the operator. */
export class BackupError extends Error {}

/** One file cannot be read, though its place can. */
export class UnreadableFile extends BackupError {}
