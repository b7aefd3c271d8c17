/**
 * Files that no message ever named are removed after a day, and so is what a killed upload left behind. Their storage is
 * given back with them.
 */
import { unusedFileHours } from '../../../contract/limits.ts';
import type { FileDeps } from './attachments.derive.ts';
import { blobKey, thumbnailKey, uploadKey } from './attachments.keys.ts';
import { deleteFile, takeUnused } from './attachments.sql.ts';

const batch = 200;
/** A draft that somebody writes changes at least once a minute: its reader gives up on a client that stands still. */
const abandonedMs = 5 * 60_000;
/** The address of an upload is valid for 15 minutes; a slow one may go on for a while after that. */
const neverUploadedMs = 3_600_000;

export async function pruneFiles({ db, blobs, clock }: FileDeps): Promise<void> {
  await blobs.drafts.removeOlderThan(abandonedMs);
  const createdBefore = clock.now() - unusedFileHours * 3_600_000;
  // In a bucket the file may be there without our having looked at it yet.
  const announcedBefore = blobs.takesUploads ? createdBefore : clock.now() - neverUploadedMs;
  for (;;) {
    const files = await db.transaction((tx) => takeUnused(tx, { createdBefore, announcedBefore }, batch));
    for (const { accountId, fileKey } of files) {
      await blobs.delete(blobKey(accountId, fileKey));
      await blobs.delete(thumbnailKey(accountId, fileKey));
      if (blobs.takesUploads) await blobs.delete(uploadKey(accountId, fileKey));
      await db.transaction((tx) => deleteFile(tx, accountId, fileKey));
    }
    if (files.length < batch) return;
  }
}
