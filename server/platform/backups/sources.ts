/** What the settings say about what is backed up, and where a backup is restored for a test. */
import type { PoolConfig } from 'pg';
import type { Config } from '../../config.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { FileSource } from './data-files.ts';
import { isBackupKey } from './manifest.ts';
import { parseBucket } from './places/place.ts';

export type BackupConfig = Pick<Config, 'backups' | 'dataDir' | 's3' | 'secretKey'>;

export function scratchOf(config: BackupConfig, connection: PoolConfig): PoolConfig {
  return config.backups.scratchUrl ? { connectionString: config.backups.scratchUrl } : connection;
}

export function filesOf(config: BackupConfig, blobs: BlobStore): FileSource {
  const kept = config.backups.to ? parseBucket(config.backups.to) : null;
  const isKept = (key: string) =>
    kept !== null && kept.bucket === config.s3.bucket && key.startsWith(kept.prefix || 'talkboard-');
  // Also those of an earlier BACKUP_TO.
  const isOther = (key: string) => isKept(key) || isBackupKey(key);
  return { dataDir: config.dataDir, blobs, hasKeyFile: !config.secretKey, isOther };
}

/** Whether backups there would lie among the files that are backed up. */
export function isAmongFiles(config: BackupConfig, place: string): boolean {
  const given = parseBucket(place);
  if (given === null || given.bucket !== config.s3.bucket) return false;
  const kept = config.backups.to ? parseBucket(config.backups.to) : null;
  return kept?.bucket !== given.bucket || !given.prefix.startsWith(kept.prefix);
}
