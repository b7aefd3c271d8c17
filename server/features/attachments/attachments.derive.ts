/** What background work needs of a file: read it as a local file, and store what was derived from it. */
import type { ConvertedFile, Transcript } from '../../../contract/messaging/attachments.ts';
import type { BlobStore } from '../../platform/blobs/blob-store.ts';
import type { Clock } from '../../platform/db/clock.ts';
import type { Db, Reader, Tx } from '../../platform/db/db.ts';
import { newId } from '../../platform/ids.ts';
import { requireStorage } from '../../platform/limits/storage-quota.ts';
import { blobKey } from './attachments.keys.ts';
import * as rows from './attachments.sql.ts';

export interface FileDeps {
  db: Db;
  clock: Clock;
  blobs: BlobStore;
}

/** Null: not uploaded, or removed. */
export async function findStoredFile(
  db: Reader,
  accountId: string,
  fileKey: string,
): Promise<rows.StoredFile | null> {
  const file = await rows.findFile(db, accountId, fileKey);
  return file?.state === 'stored' ? file : null;
}

/**
 * Background work has just stored something derived from a file, which may have been removed since it began: then nothing would find
 * what was stored. A removal marks the file's row first and deletes what is in the store afterwards.
 */
export async function isStillWanted(db: Reader, accountId: string, fileKey: string): Promise<boolean> {
  const file = await rows.findFile(db, accountId, fileKey);
  return file !== null && file.state !== 'removing';
}

/** The path is read-only, and valid only until `use` has ended. Null: the file does not exist. */
export function withLocalFile<T>(
  blobs: BlobStore,
  accountId: string,
  fileKey: string,
  use: (path: string) => Promise<T>,
): Promise<T | null> {
  return blobs.withLocalFile(blobKey(accountId, fileKey), use);
}

/**
 * Stores the conversion of a file under its own key, and links it to the file: a second conversion gets the result of
 * the first. The caller patches the message's attachment (`patchMessageAttachment`), in the transaction that ends the
 * job.
 */
export async function storeConverted(
  { db, clock, blobs }: FileDeps,
  accountId: string,
  fileKey: string,
  made: { chunks: AsyncIterable<Buffer>; maxBytes: number; fileName: string; contentType: string },
): Promise<ConvertedFile> {
  const { fileName, contentType } = made;
  const draft = await blobs.drafts.receive(
    made.chunks,
    made.maxBytes,
    () => new Error(`the converted file has more than ${made.maxBytes} bytes`),
  );
  try {
    const now = clock.now();
    const converted = { fileKey: newId(now), contentType, size: draft.size };
    const row = { ...converted, fileName, derivedFrom: fileKey, now };
    await db.transaction((tx) => rows.insertFile(tx, accountId, row));
    await blobs.place(draft, blobKey(accountId, converted.fileKey), contentType);
    const linked = await db.transaction((tx) => rows.linkConverted(tx, accountId, fileKey, converted, now));
    if (linked) return converted;
    if (!(await isStillWanted(db, accountId, converted.fileKey)))
      await blobs.delete(blobKey(accountId, converted.fileKey));
    const earlier = (await rows.findFile(db, accountId, fileKey))?.converted;
    // Ours is never used, and is removed like any other unused file.
    if (!earlier) throw new Error('the converted file no longer exists');
    return earlier;
  } finally {
    await draft.discard();
  }
}

/**
 * Stores what a message came as, such as the whole of an e-mail. No message names it as its attachment: it is removed as
 * unused unless `keepOriginal` follows in the transaction that stores the message.
 */
export async function storeOriginal(
  { db, clock, blobs }: FileDeps,
  accountId: string,
  { bytes, fileName, contentType }: { bytes: Buffer; fileName: string; contentType: string },
): Promise<string> {
  const size = bytes.length;
  const chunks = (async function* () {
    yield bytes;
  })();
  const draft = await blobs.drafts.receive(chunks, size, () => new Error('the file has grown'));
  try {
    const now = clock.now();
    const fileKey = newId(now);
    await db.transaction(async (tx) => {
      await requireStorage(tx, accountId, size);
      await rows.insertFile(tx, accountId, {
        fileKey,
        fileName,
        contentType,
        size,
        uploadedBy: 'system',
        now,
      });
    });
    await blobs.place(draft, blobKey(accountId, fileKey), contentType);
    const isStored = await db.transaction((tx) => rows.markStored(tx, accountId, fileKey));
    if (!isStored) {
      await blobs.delete(blobKey(accountId, fileKey));
      throw new Error('the file was removed while it was stored');
    }
    return fileKey;
  } finally {
    await draft.discard();
  }
}

/** False: it was removed meanwhile. */
export function keepOriginal(tx: Tx, accountId: string, fileKey: string, now: number): Promise<boolean> {
  return rows.markUsed(tx, accountId, fileKey, now);
}

/** Null: the file does not exist. */
export function openStoredFile(
  blobs: BlobStore,
  accountId: string,
  fileKey: string,
): ReturnType<BlobStore['open']> {
  return blobs.open(blobKey(accountId, fileKey));
}

/** For the other messages with the same file. */
export function keepTranscript(
  tx: Tx,
  accountId: string,
  fileKey: string,
  transcript: Transcript,
): Promise<void> {
  return rows.saveTranscript(tx, accountId, fileKey, transcript);
}
