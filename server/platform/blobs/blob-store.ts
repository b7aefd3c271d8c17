/** File storage: on disk under DATA_DIR, or in an S3 bucket. The stores do not know who owns a file. */
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { createDrafts, type Draft, type Drafts } from './blob-drafts.ts';
import { createDiskStore } from './blob-store.disk.ts';
import { createS3Store } from './blob-store.s3.ts';
import type { S3Settings } from './s3-client.ts';

/** Both ends included, as in a Range header. */
export interface ByteRange {
  start: number;
  end: number;
}

export interface BlobStore {
  /** Clients upload to the store directly, and the service checks the files afterwards. */
  readonly takesUploads: boolean;
  readonly drafts: Drafts;
  /** Stores all of it under the key, or nothing; durable when it returns. Replaces an existing file. */
  place(draft: Draft, key: string, contentType: string): Promise<void>;
  /** Null: there is none. */
  open(key: string, range?: ByteRange): Promise<Readable | null>;
  /**
   * As a file that other programs can read; it may be removed afterwards and must not be changed. Null: there is
   * none.
   */
  withLocalFile<T>(key: string, use: (path: string) => Promise<T>): Promise<T | null>;
  /** A missing file is not an error. */
  delete(key: string): Promise<void>;
  /** An address of the store that accepts exactly this file; null if the store takes no direct uploads. */
  presignPut(
    key: string,
    file: { contentType: string; size: number },
    seconds: number,
  ): Promise<string | null>;
  /** Every file in a bucket, for backups; null: the files are under DATA_DIR. */
  list(): AsyncGenerator<{ key: string; bytes: number }> | null;
  close(): Promise<void>;
}

export function createBlobStore({ dataDir, s3 }: { dataDir: string; s3: S3Settings }): BlobStore {
  const folder = join(dataDir, 'files');
  const drafts = createDrafts(join(folder, 'incoming'));
  return s3.bucket ? createS3Store(s3, drafts) : createDiskStore(folder, drafts);
}

/** Writes, reads and deletes a byte; throws what is wrong. */
export async function probeBlobStore(store: BlobStore): Promise<void> {
  const key = 'probe';
  const draft = await store.drafts.receive(oneByte(), 1, () => new Error('a byte is one byte'));
  try {
    await store.place(draft, key, 'text/plain');
    if (!(await store.withLocalFile(key, async () => true)))
      throw new Error('the file that was written is missing');
    await store.delete(key);
  } finally {
    await draft.discard();
  }
}

async function* oneByte(): AsyncGenerator<Buffer> {
  yield Buffer.from('x');
}
