/** Work after an upload: an image's size and thumbnail, and late uploads to a bucket's address. And the end of files. */

import { createSemaphore } from '../../platform/concurrency/semaphore.ts';
import { type JobHandler, JobPostponed, JobReleased } from '../../platform/jobs/jobs.ts';
import { type FileDeps, isStillWanted, withLocalFile } from './attachments.derive.ts';
import { thumbnailType } from './attachments.download.ts';
import { thumbnailKey, uploadKey } from './attachments.keys.ts';
import { chunksOf, readPicture } from './attachments.pictures.ts';
import { removeErasedFiles } from './attachments.prune.ts';
import { savePicture } from './attachments.sql.ts';

/** One at a time: each may need hundreds of megabytes for a moment. */
const picturesAtOnce = 1;

export function pictureHandler({ db, blobs }: FileDeps): JobHandler {
  const turns = createSemaphore(picturesAtOnce);
  return async ({ accountId, payload }) => {
    const fileKey = String(payload.fileKey);
    const picture = await turns.take(() => withLocalFile(blobs, accountId, fileKey, readPicture));
    if (!picture) return;
    const { width, height, thumbnail } = picture;
    if (thumbnail) {
      const draft = await blobs.drafts.receive(
        chunksOf(thumbnail),
        thumbnail.length,
        () => new Error('unexpected'),
      );
      try {
        await blobs.place(draft, thumbnailKey(accountId, fileKey), thumbnailType);
      } finally {
        await draft.discard();
      }
    }
    const thumbnailSize = thumbnail?.length ?? null;
    await db.transaction((tx) => savePicture(tx, accountId, fileKey, { width, height, thumbnailSize }));
    if (thumbnail && !(await isStillWanted(db, accountId, fileKey)))
      await blobs.delete(thumbnailKey(accountId, fileKey));
  };
}

/** Again later if the job says so: an upload that began in time may take a while. */
export function tidyUploadHandler({ blobs, clock }: FileDeps): JobHandler {
  return async ({ accountId, payload }) => {
    // That of a removed file is a job of the instance.
    const owner = String(payload.accountId ?? accountId);
    await blobs.delete(uploadKey(owner, String(payload.fileKey)));
    const again = Number(payload.again ?? 0);
    if (again > clock.now()) throw new JobPostponed(again - clock.now());
  };
}

export function erasedFilesHandler(deps: FileDeps): JobHandler {
  return (job) =>
    removeErasedFiles(deps, job.accountId, async () => {
      if (job.isStopping()) throw new JobReleased('the service is stopping');
    });
}
