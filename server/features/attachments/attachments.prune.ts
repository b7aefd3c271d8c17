/** Removes files that no message ever used after a day, and what a killed upload left. Their storage is freed. */
import { unusedFileHours, uploadUrlMinutes } from '../../../contract/limits.ts';
import type { Tx } from '../../platform/db/db.ts';
import { timeOfId } from '../../platform/ids.ts';
import { jobKind } from '../../platform/jobs/job-kinds.ts';
import { endlessAttempts, enqueue, instanceAccountId } from '../../platform/jobs/jobs.ts';
import { markErased } from './attachments.access.sql.ts';
import type { FileDeps } from './attachments.derive.ts';
import { blobKey, thumbnailKey, uploadKey } from './attachments.keys.ts';
import { deleteFile, selectErased, takeUnused } from './attachments.sql.ts';

export const tidyUploadJobKind = jobKind('attachment-tidy-upload');
export const erasedFilesJobKind = jobKind('attachment-erased');

const batch = 200;
/** An active draft changes at least once a minute: its reader gives up on a stalled client. */
const abandonedMs = 5 * 60_000;
/** The address of an upload is valid for 15 minutes; a slow upload may continue for a while after that. */
const neverUploadedMs = 3_600_000;

export async function pruneFiles({ db, blobs, clock }: FileDeps): Promise<void> {
  await blobs.drafts.removeOlderThan(abandonedMs);
  const createdBefore = clock.now() - unusedFileHours * 3_600_000;
  // In a bucket the file may exist before we have checked it.
  const announcedBefore = blobs.takesUploads ? createdBefore : clock.now() - neverUploadedMs;
  for (;;) {
    const files = await db.transaction((tx) => takeUnused(tx, { createdBefore, announcedBefore }, batch));
    for (const { accountId, fileKey } of files) await removeFile({ db, blobs, clock }, accountId, fileKey);
    if (files.length < batch) return;
  }
}

/** What used these files is gone: a job removes them. */
export async function eraseFiles(tx: Tx, accountId: string, fileKeys: readonly string[]): Promise<void> {
  const erased = await markErased(tx, accountId, fileKeys);
  if (erased > 0) await enqueue(tx, { accountId, kind: erasedFilesJobKind });
}

/** Removes what `markErased` has marked; `keepOn` runs before each batch. */
export async function removeErasedFiles(
  deps: FileDeps,
  accountId: string,
  keepOn: () => Promise<void>,
): Promise<void> {
  for (;;) {
    await keepOn();
    const keys = await selectErased(deps.db, accountId, batch);
    for (const fileKey of keys) await removeFile(deps, accountId, fileKey);
    if (keys.length < batch) return;
  }
}

/** The row last: an interrupted removal is repeated. */
async function removeFile({ db, blobs, clock }: FileDeps, accountId: string, fileKey: string): Promise<void> {
  await blobs.delete(blobKey(accountId, fileKey));
  await blobs.delete(thumbnailKey(accountId, fileKey));
  if (blobs.takesUploads) await blobs.delete(uploadKey(accountId, fileKey));
  // The address at the bucket cannot be taken back.
  const expiresAt = timeOfId(fileKey) + uploadUrlMinutes * 60_000;
  const again = expiresAt + neverUploadedMs;
  const mayComeLate = blobs.takesUploads && again > clock.now();
  await db.transaction(async (tx) => {
    await deleteFile(tx, accountId, fileKey);
    if (!mayComeLate) return;
    await enqueue(tx, {
      // The jobs of an account are removed with it.
      accountId: instanceAccountId,
      kind: tidyUploadJobKind,
      payload: { accountId, fileKey, again },
      dedupeKey: fileKey,
      delayMs: Math.max(0, expiresAt - clock.now()),
      maxAttempts: endlessAttempts,
    });
  });
}
