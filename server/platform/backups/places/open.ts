/** The place of BACKUP_TO, or of a command. */

import { resolve } from 'node:path';
import type { Config } from '../../../config.ts';
import type { Reader } from '../../db/db.ts';
import { hasGoodRun } from '../runs.sql.ts';
import { createBucketPlace } from './bucket.ts';
import { createFolderPlace } from './folder.ts';
import { type BackupPlace, parseBucket } from './place.ts';

export function openPlace(config: Pick<Config, 's3'>, place: string): BackupPlace {
  const inBucket = parseBucket(place);
  if (!inBucket) return createFolderPlace(resolve(place));
  return createBucketPlace({ ...config.s3, bucket: inBucket.bucket }, inBucket.prefix);
}

/** A folder that had backups and is gone: its disk is not mounted. A new one would be on another disk. */
export const lostFolder = (to: string) => `the folder ${to} is missing: is its disk mounted?`;

export async function isLost(db: Reader, place: BackupPlace, to: string): Promise<boolean> {
  return !(await place.exists()) && (await hasGoodRun(db, to));
}
