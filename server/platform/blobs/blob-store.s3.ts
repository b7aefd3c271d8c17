/**
 * A bucket of any S3-compatible store. Clients may upload to the bucket directly.
 */
import { unavailable } from '../http/errors.ts';
import type { Drafts } from './blob-drafts.ts';
import { checkKey } from './blob-key.ts';
import type { BlobStore } from './blob-store.ts';
import { createS3Client, type S3Call, type S3Settings } from './s3-client.ts';

/** The largest possible file; a draft of our own bucket is never larger. */
const largestFile = 64 * 1024 * 1024;

export function createS3Store(settings: S3Settings, drafts: Drafts): BlobStore {
  const client = createS3Client(settings);
  const ask = (key: string, call: S3Call) => client.ask(checkKey(key), call);

  const store: BlobStore = {
    takesUploads: true,
    drafts,
    async place(draft, key, contentType) {
      const headers = { 'content-type': contentType, 'content-length': String(draft.size) };
      const answer = await ask(key, { method: 'PUT', headers, body: draft.read() });
      await answer?.body.dump();
      if (!answer) throw unavailable('the bucket does not exist');
    },
    async open(key, range) {
      const unsigned = range && { range: `bytes=${range.start}-${range.end}` };
      return (await ask(key, { method: 'GET', unsigned }))?.body ?? null;
    },
    async withLocalFile(key, use) {
      const body = await store.open(key);
      if (!body) return null;
      const draft = await drafts.receive(
        body,
        largestFile,
        () => new Error('the file exceeds the maximum size'),
      );
      try {
        return await use(draft.path);
      } finally {
        await draft.discard();
      }
    },
    async delete(key) {
      await (await ask(key, { method: 'DELETE' }))?.body.dump();
    },
    presignPut: (key, { contentType, size }, seconds) => {
      const headers = { 'content-type': contentType, 'content-length': String(size) };
      return client.presign(checkKey(key), { method: 'PUT', headers }, seconds);
    },
    close: () => client.close(),
    list: () => client.list(''),
  };
  return store;
}
