/** Work after an upload: an image's size and thumbnail, and late uploads to a bucket's address. */

import { createSemaphore } from '../../platform/concurrency/semaphore.ts';
import type { JobHandler } from '../../platform/jobs/jobs.ts';
import { type FileDeps, withLocalFile } from './attachments.derive.ts';
import { thumbnailType } from './attachments.download.ts';
import { thumbnailKey, uploadKey } from './attachments.keys.ts';
import { chunksOf, readPicture } from './attachments.pictures.ts';
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
  };
}

export function tidyUploadHandler({ blobs }: FileDeps): JobHandler {
  return ({ accountId, payload }) => blobs.delete(uploadKey(accountId, String(payload.fileKey)));
}
