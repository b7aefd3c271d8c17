/**
 * Files on their way into the store. They are written to a separate folder under DATA_DIR, so that incomplete,
 * oversized or rejected uploads are never visible.
 */
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { diskFull, unavailable } from '../http/errors.ts';

export interface Draft {
  readonly path: string;
  readonly size: number;
  read(): Readable;
  /** No effect after it was placed. */
  discard(): Promise<void>;
}

export interface Drafts {
  /** Accepts chunks at the speed of the disk. More than `maxBytes` ends it with the error of `tooMany`. */
  receive(chunks: AsyncIterable<Buffer>, maxBytes: number, tooMany: () => Error): Promise<Draft>;
  /** Removes what a killed process left. A draft that is being written changes every minute. */
  removeOlderThan(ageMs: number): Promise<void>;
}

/** Backups skip files with this suffix. */
const ending = '.partial';

export function createDrafts(folder: string): Drafts {
  return {
    async receive(chunks, maxBytes, tooMany) {
      const path = join(folder, `${randomUUID()}${ending}`);
      const draft = {
        path,
        size: 0,
        read: () => createReadStream(path),
        discard: () => rm(path, { force: true }),
      };
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        const file = await open(path, 'wx', 0o600);
        try {
          for await (const chunk of chunks) {
            draft.size += chunk.length;
            if (draft.size > maxBytes) throw tooMany();
            for (let done = 0; done < chunk.length; ) {
              done += (await file.write(chunk, done, chunk.length - done)).bytesWritten;
            }
          }
        } finally {
          await file.close();
        }
        return draft;
      } catch (error) {
        await draft.discard().catch(() => {});
        throw asStorageError(error);
      }
    },
    async removeOlderThan(ageMs) {
      const names = await readdir(folder).catch(() => []);
      for (const name of names.filter((one) => one.endsWith(ending))) {
        const path = join(folder, name);
        const changed = await stat(path).catch(() => null);
        if (changed && Date.now() - changed.mtimeMs >= ageMs) await rm(path, { force: true });
      }
    },
  };
}

/** A full or read-only disk is the operator's problem, not the caller's, and can be resolved without a restart. */
export function asStorageError(error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  if (code === 'ENOSPC' || code === 'EDQUOT') return diskFull();
  if (['EROFS', 'EACCES', 'EPERM', 'EIO', 'EMFILE', 'ENFILE'].includes(code ?? '')) {
    return unavailable('files cannot be stored right now');
  }
  return error;
}
