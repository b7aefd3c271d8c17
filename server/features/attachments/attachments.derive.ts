/** What background work needs of a file: to read it as a local one, and to keep what it made of it. */
import type { ConvertedFile, Transcript } from '../../../contract/attachments.ts';
import type { BlobStore } from '../../platform/blobs/blob-store.ts';
import type { Clock } from '../../platform/db/clock.ts';
import type { Db, Reader, Tx } from '../../platform/db/db.ts';
import { newId } from '../../platform/ids.ts';
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

/** The path is for reading only, and only until `use` has ended. Null: the file is not there. */
export function withLocalFile<T>(
  blobs: BlobStore,
  accountId: string,
  fileKey: string,
  use: (path: string) => Promise<T>,
): Promise<T | null> {
  return blobs.withLocalFile(blobKey(accountId, fileKey), use);
}

/**
 * Keeps what a file was converted to, under a key of its own, and remembers it with the file: whoever asks a second
 * time, or came second, gets the first one's. The message's own attachment is patched by the caller
 * (`patchMessageAttachment`), in the transaction that ends the job.
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
    const earlier = (await rows.findFile(db, accountId, fileKey))?.converted;
    // Ours is never used, and so is removed like any other that nobody uses.
    if (!earlier) throw new Error('the converted file no longer exists');
    return earlier;
  } finally {
    await draft.discard();
  }
}

/** For the other messages that name the same file. */
export function keepTranscript(
  tx: Tx,
  accountId: string,
  fileKey: string,
  transcript: Transcript,
): Promise<void> {
  return rows.saveTranscript(tx, accountId, fileKey, transcript);
}
