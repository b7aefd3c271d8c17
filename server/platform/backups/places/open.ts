/** The place of BACKUP_TO, or of a command. */
import { resolve } from 'node:path';
import type { Config } from '../../../config.ts';
import { createBucketPlace } from './bucket.ts';
import { createFolderPlace } from './folder.ts';
import { type BackupPlace, parseBucket } from './place.ts';

export function openPlace(config: Pick<Config, 's3'>, place: string): BackupPlace {
  const inBucket = parseBucket(place);
  if (!inBucket) return createFolderPlace(resolve(place));
  return createBucketPlace({ ...config.s3, bucket: inBucket.bucket }, inBucket.prefix);
}
