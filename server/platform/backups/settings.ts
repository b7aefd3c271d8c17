/** The settings BACKUP_*. */
import { resolve } from 'node:path';
import { isInside } from './data-files.ts';
import { checkPublicKey } from './encryption.ts';
import { parseBucket } from './places/place.ts';
import { type Keep, parseKeep } from './rotation.ts';
import { parseSchedule, type Schedule } from './schedule.ts';

export interface BackupSettings {
  /** A folder or s3://bucket/prefix; empty: there are no scheduled backups. */
  to: string;
  /** Null: only on request. */
  schedule: Schedule | null;
  keep: Keep;
  /** Empty: not encrypted. */
  publicKeys: string[];
  /** Where scratch databases are created; empty: on the server of the database. */
  scratchUrl: string;
}

export interface SettingsReader {
  /** The value, or else the default. */
  text(name: string): string;
  check<T>(name: string, read: () => T): T;
  readDatabaseUrl(value: string): string;
}

export function readBackupSettings(
  { text, check, readDatabaseUrl }: SettingsReader,
  { dataDir, hasS3Keys }: { dataDir: string; hasS3Keys: boolean },
): BackupSettings {
  const to = text('BACKUP_TO');
  return {
    to: check('BACKUP_TO', () => {
      const inBucket = to !== '' && parseBucket(to) !== null;
      if (inBucket && !hasS3Keys) throw new Error('needs S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY');
      if (to !== '' && !inBucket && isInside(dataDir, resolve(to))) {
        throw new Error('must not be inside DATA_DIR: a backup would become part of the next one');
      }
      return to;
    }),
    schedule: check('BACKUP_SCHEDULE', () => {
      const value = text('BACKUP_SCHEDULE');
      if (value !== '' && to === '') throw new Error('needs BACKUP_TO');
      return value === '' ? null : parseSchedule(value);
    }),
    keep: check('BACKUP_KEEP', () => parseKeep(text('BACKUP_KEEP'))),
    publicKeys: check('BACKUP_PUBLIC_KEY', () => parsePublicKeys(text('BACKUP_PUBLIC_KEY'))),
    scratchUrl: check('BACKUP_SCRATCH_URL', () => readDatabaseUrl(text('BACKUP_SCRATCH_URL'))),
  };
}

export function parsePublicKeys(value: string): string[] {
  const keys = value.split(',').map((part) => part.trim());
  return keys.filter((key) => key !== '').map(checkPublicKey);
}
