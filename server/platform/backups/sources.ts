/** What the settings say about what is backed up, and where a backup is restored for a test. */
import type { PoolConfig } from 'pg';
import type { Config } from '../../config.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { FileSource } from './data-files.ts';
import { parseBucket } from './places/place.ts';

export type BackupConfig = Pick<Config, 'backups' | 'dataDir' | 's3' | 'secretKey'>;

export function scratchOf(config: BackupConfig, connection: PoolConfig): PoolConfig {
  return config.backups.scratchUrl ? { connectionString: config.backups.scratchUrl } : connection;
}

export function filesOf(config: BackupConfig, blobs: BlobStore): FileSource {
  const kept = config.backups.to ? parseBucket(config.backups.to) : null;
  const isOther = (key: string) =>
    kept !== null && kept.bucket === config.s3.bucket && key.startsWith(kept.prefix || 'talkboard-');
  return { dataDir: config.dataDir, blobs, hasKeyFile: !config.secretKey, isOther };
}
