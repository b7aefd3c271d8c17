/** Where files stand: on the disk under DATA_DIR, or in a bucket that speaks S3. Neither knows whose they are. */
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Config } from '../../config.ts';
import { createDrafts, type Draft, type Drafts } from './blob-drafts.ts';
import { createDiskStore } from './blob-store.disk.ts';
import { createS3Store } from './blob-store.s3.ts';

/** Both ends included, as in a Range header. */
export interface ByteRange {
  start: number;
  end: number;
}

export interface BlobStore {
  /** Clients put their files into the store themselves, and we look at them afterwards. */
  readonly takesUploads: boolean;
  readonly drafts: Drafts;
  /** All of it under the key, or nothing; durable when it returns. Replaces what was there. */
  place(draft: Draft, key: string, contentType: string): Promise<void>;
  /** Null: there is none. */
  open(key: string, range?: ByteRange): Promise<Readable | null>;
  /** As a file that other programs can read; gone or not to be touched afterwards. Null: there is none. */
  withLocalFile<T>(key: string, use: (path: string) => Promise<T>): Promise<T | null>;
  /** Nothing there is no error. */
  delete(key: string): Promise<void>;
  /** An address at the store itself that takes exactly this; null unless it takes uploads. */
  presignPut(
    key: string,
    file: { contentType: string; size: number },
    seconds: number,
  ): Promise<string | null>;
  close(): Promise<void>;
}

export function createBlobStore({ dataDir, s3 }: Config): BlobStore {
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
    if (!(await store.withLocalFile(key, async () => true))) throw new Error('what was written is not there');
    await store.delete(key);
  } finally {
    await draft.discard();
  }
}

async function* oneByte(): AsyncGenerator<Buffer> {
  yield Buffer.from('x');
}
