/** Writes the files of a backup beside their final place and moves them only after the database has committed. */
import {
  chmodSync,
  closeSync,
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
import { CommandError } from '../command.ts';
import { lendToOwner } from '../database.ts';
import { pathInside } from './data-files.ts';

export interface FileRestorer {
  begin(name: string, mode: number): void;
  write(data: Buffer): void;
  /** The last file is complete. */
  end(): void;
  putInPlace(): void;
  dropUnfinished(): void;
}

export function createFileRestorer(dataDir: string, force: boolean): FileRestorer {
  const waiting: { draft: string; path: string }[] = [];
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
      if (!path) throw new CommandError(`the backup contains a file with an invalid name: ${name}`);
      mkdirSync(dirname(path), { recursive: true });
      const draft = `${path}.restoring`;
      rmSync(draft, { force: true });
      open = openSync(draft, 'wx', 0o600);
      chmodSync(draft, mode & 0o777);
      waiting.push({ draft, path });
    },
    write(data) {
      if (open === null) throw new CommandError('the backup is damaged: it contains data without a file');
      writeSync(open, data);
    },
    end() {
      end();
      const changed = waiting.find(({ draft, path }) => existsSync(path) && !sameContent(draft, path));
      if (changed && !force) {
        throw new CommandError(`${changed.path} exists with different content: use --force to replace it`);
      }
    },
    putInPlace() {
      for (const { draft, path } of waiting.splice(0)) {
        renameSync(draft, path);
        lendToOwner(dataDir, [path, ...foldersBetween(dataDir, path)]);
      }
    },
    dropUnfinished() {
      if (open !== null) closeSync(open);
      open = null;
      for (const { draft } of waiting) rmSync(draft, { force: true });
    },
  };
}

function foldersBetween(dataDir: string, path: string): string[] {
  const folder = dirname(path);
  return folder === dataDir ? [] : [folder, ...foldersBetween(dataDir, folder)];
}

function sameContent(one: string, other: string): boolean {
  return statSync(one).size === statSync(other).size && readFileSync(one).equals(readFileSync(other));
}
