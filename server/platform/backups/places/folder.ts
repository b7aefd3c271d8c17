/** Written beside its name, flushed, then linked: a crash leaves the whole file or none. */
import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { link, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { BackupError, UnreadableFile } from '../backup-error.ts';
import { type BackupPlace, measure, type Written } from './place.ts';

const unfinished = '.partial';

export function createFolderPlace(folder: string): BackupPlace {
  return {
    text: folder,
    async exists() {
      const found = await stat(folder).catch((error) => {
        if (error.code === 'ENOENT') return null;
        throw unreadable(folder, error);
      });
      return found !== null;
    },
    async list() {
      const names = await readdir(folder).catch(async (error) => {
        if (error.code === 'ENOENT') return [];
        const found = await stat(folder).catch(() => null);
        throw found?.isFile() ? notAFolder(folder) : unreadable(folder, error);
      });
      const files = await Promise.all(
        names
          .filter((name) => !name.endsWith(unfinished))
          .map(async (name) => ({ name, found: await stat(join(folder, name)).catch(() => null) })),
      );
      return files.flatMap(({ name, found }) => (found?.isFile() ? [{ name, bytes: found.size }] : []));
    },
    async write(name, content, onDraft = async () => {}) {
      const target = join(folder, name);
      await mkdir(dirname(target), { recursive: true }).catch((error) => {
        // Only what is no folder can be in the way.
        if (error.code === 'EEXIST') throw notAFolder(dirname(target));
        throw new BackupError(`${dirname(target)} cannot be written (${error.code})`);
      });
      const draft = `${name}.${randomUUID()}${unfinished}`;
      await onDraft(draft);
      const path = join(folder, draft);
      let written: Written | null = null;
      try {
        await pipeline(
          measure(content, (result) => {
            written = result;
          }),
          createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }),
        );
        // Unlike a rename it does not overwrite a name that appeared meanwhile.
        await link(path, target).catch((error) => {
          throw error.code === 'EEXIST' ? new BackupError(`${target} already exists`) : error;
        });
        await flush(folder);
      } finally {
        await rm(path, { force: true });
      }
      return written!;
    },
    async discard(name, draft) {
      if (draft.startsWith(`${name}.`) && draft.endsWith(unfinished)) {
        await rm(join(folder, draft), { force: true });
      }
    },
    async read(name) {
      const path = join(folder, name);
      const unlessMissing = (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null;
        throw new UnreadableFile(unreadable(path, error).message);
      };
      const found = await stat(path).catch(unlessMissing);
      if (found && !found.isFile()) throw new UnreadableFile(`${path} is not a file`);
      const file = found && (await open(path).catch(unlessMissing));
      return file?.createReadStream({ highWaterMark: 256 * 1024 }) ?? null;
    },
    remove: (name) => rm(join(folder, name), { force: true }),
    close: async () => {},
  };
}

const notAFolder = (path: string) => new BackupError(`${path} is a file, not a folder`);

function unreadable(path: string, { code }: NodeJS.ErrnoException): BackupError {
  return new BackupError(`${path} cannot be read (${code})`);
}

async function flush(folder: string): Promise<void> {
  const file = await open(folder, 'r');
  await file.sync().finally(() => file.close());
}
