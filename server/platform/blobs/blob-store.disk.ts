/** Files under DATA_DIR. Written, flushed, then renamed: a crash leaves the whole file or none. */
import { access, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { asStorageError, type Drafts } from './blob-drafts.ts';
import { checkKey } from './blob-key.ts';
import type { BlobStore } from './blob-store.ts';

export function createDiskStore(folder: string, drafts: Drafts): BlobStore {
  const pathOf = (key: string) => join(folder, checkKey(key));
  return {
    takesUploads: false,
    drafts,
    async place(draft, key) {
      const path = pathOf(key);
      try {
        await flush(draft.path);
        await makeFolder(dirname(path));
        await rename(draft.path, path);
        await flush(dirname(path));
      } catch (error) {
        throw asStorageError(error);
      }
    },
    async open(key, range) {
      const file = await open(pathOf(key)).catch(nullIfAbsent);
      return file?.createReadStream(range ?? {}) ?? null;
    },
    async withLocalFile(key, use) {
      const path = pathOf(key);
      const exists = await access(path).then(() => true, nullIfAbsent);
      return exists ? use(path) : null;
    },
    delete: (key) => rm(pathOf(key), { force: true }),
    presignPut: async () => null,
    list: () => null,
    close: async () => {},
  };
}

/** A new folder is durable only once its parent has been flushed too. */
async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = path; made.length >= first.length; made = dirname(made)) await flush(dirname(made));
}

async function flush(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

function nullIfAbsent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
  throw error;
}
