/** Writes the files of a backup beside their final place and moves them only after the database has committed. */
import {
  chmodSync,
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { Draft } from '../blobs/blob-drafts.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import { BackupError } from './backup-error.ts';
import { filesFolder, pathInside } from './data-files.ts';

export interface FileRestorer {
  begin(name: string, mode: number): void;
  write(data: Buffer): void;
  /** The last file is complete. */
  end(): void;
  putInPlace(): Promise<void>;
  dropUnfinished(): void;
}

export interface FileRestorerOptions {
  dataDir: string;
  force: boolean;
  /** Where files of features go that are not under DATA_DIR; null: they are. */
  bucket: Pick<BlobStore, 'place'> | null;
  /** Called for new files and their folders. */
  onPlaced(paths: string[]): void;
}

export function createFileRestorer({ dataDir, force, bucket, onPlaced }: FileRestorerOptions): FileRestorer {
  const waiting: { draft: string; path: string; key: string | null }[] = [];
  let open: number | null = null;

  const end = () => {
    if (open === null) return;
    fsyncSync(open);
    closeSync(open);
    open = null;
  };

  return {
    begin(name, mode) {
      end();
      const path = pathInside(dataDir, name);
      if (!path) throw new BackupError(`the backup contains a file with an invalid name: ${name}`);
      mkdirSync(dirname(path), { recursive: true });
      const draft = `${path}.restoring`;
      rmSync(draft, { force: true });
      open = openSync(draft, 'wx', 0o600);
      chmodSync(draft, mode & 0o777);
      const isInBucket = bucket !== null && name.startsWith(filesFolder);
      waiting.push({ draft, path, key: isInBucket ? name.slice(filesFolder.length) : null });
    },
    write(data) {
      if (open === null) throw new BackupError('the backup is damaged: it contains data without a file');
      writeSync(open, data);
    },
    end() {
      end();
      const changed = waiting.find(({ draft, path }) => existsSync(path) && !sameContent(draft, path));
      if (changed && !force) {
        throw new BackupError(`${changed.path} exists with different content: use --force to replace it`);
      }
    },
    async putInPlace() {
      for (const { draft, path, key } of waiting.splice(0)) {
        if (key !== null) {
          await bucket!.place(draftAt(draft), key, 'application/octet-stream');
          rmSync(draft, { force: true });
        } else {
          renameSync(draft, path);
          onPlaced([path, ...foldersBetween(dataDir, path)]);
        }
      }
    },
    dropUnfinished() {
      if (open !== null) closeSync(open);
      open = null;
      for (const { draft } of waiting) rmSync(draft, { force: true });
    },
  };
}

function draftAt(path: string): Draft {
  const discard = async () => rmSync(path, { force: true });
  return { path, size: statSync(path).size, read: () => createReadStream(path), discard };
}

function foldersBetween(dataDir: string, path: string): string[] {
  const folder = dirname(path);
  return folder === dataDir ? [] : [folder, ...foldersBetween(dataDir, folder)];
}

function sameContent(one: string, other: string): boolean {
  return statSync(one).size === statSync(other).size && readFileSync(one).equals(readFileSync(other));
}
