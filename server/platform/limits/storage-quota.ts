/**
 * Whether a file may be stored: the account's quota (`storageBytes`) and the free space of DATA_DIR. Triggers on the
 * tables of files count the usage (migration 0022_quotas).
 */
import { statfs } from 'node:fs/promises';
import type { Config } from '../../config.ts';
import type { Tx } from '../db/db.ts';
import { sql } from '../db/sql.ts';
import { diskFull, storageQuota } from '../http/errors.ts';

const bytesPerMegabyte = 1024 * 1024;

export type DiskFloor = Pick<Config, 'dataDir' | 'minFreeDiskMb'>;

/**
 * Call it in the transaction that inserts the file's row, before the insert. The account's counter stays locked until
 * that transaction ends, so concurrent uploads cannot exceed the quota together.
 */
export async function requireStorage(tx: Tx, accountId: string, bytes: number): Promise<void> {
  const [row] = await tx.query<{ fits: boolean }>(
    sql`select has_storage_room(${accountId}, ${bytes}) as fits`,
  );
  if (!row!.fits) throw storageQuota('the account has no storage left for this file');
}

/** Uploads stop before the disk is full: the database needs the rest to keep working. */
export async function requireFreeDisk({ dataDir, minFreeDiskMb }: DiskFloor): Promise<void> {
  if (minFreeDiskMb === 0) return;
  const { bavail, bsize } = await statfs(dataDir);
  if (bavail * bsize < minFreeDiskMb * bytesPerMegabyte) throw diskFull();
}
