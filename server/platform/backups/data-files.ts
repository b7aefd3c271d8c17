/**
 * The files that belong to a backup: the secret key, and files that features keep beside the database, under DATA_DIR or
 * in a bucket. They are listed while they are read, because there may be millions of them.
 */
import { type Dirent, statSync } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import type { Readable } from 'node:stream';
import type { BlobStore } from '../blobs/blob-store.ts';

/** The database is backed up separately, and search indexes are built from it; the rest belongs to a running process. */
const notKept = /^(postgres|cli|search-indexes|service\.pid|service\.lock.*)$/;
const unfinished = /\.(restoring|partial|\d+)$/;
const pieceBytes = 256 * 1024;
/** Of what is in a bucket. */
export const filesFolder = 'files/';

export interface DataFile {
  /** Relative to DATA_DIR, with slashes. */
  name: string;
  mode: number;
  /** Null: the service has removed it since it was listed, as it does with unused files. */
  open(): Promise<Readable | null>;
}

export interface FileSource {
  dataDir: string;
  /** Null: only what is under DATA_DIR. */
  blobs: Pick<BlobStore, 'list' | 'open'> | null;
  /** Also the secret key. With SECRET_KEY set, a key file is an old one: it may be the reason why it was replaced. */
  hasKeyFile: boolean;
  /** The beginning of keys in the bucket that are no files of ours. */
  isOther(key: string): boolean;
}

export async function* listDataFiles({
  dataDir,
  blobs,
  hasKeyFile,
  isOther,
}: FileSource): AsyncGenerator<DataFile> {
  for await (const file of filesBelow(dataDir, '')) {
    if (hasKeyFile || file.name !== 'secret-key') yield file;
  }
  for await (const { key } of blobs?.list() ?? []) {
    if (!isOther(key)) yield { name: `${filesFolder}${key}`, mode: 0o600, open: () => blobs!.open(key) };
  }
}

/** A running service creates and removes files: those already removed are skipped. */
async function* filesBelow(dataDir: string, folder: string): AsyncGenerator<DataFile> {
  const entries = await readdir(join(dataDir, folder), { withFileTypes: true }).catch((error) => {
    if (error.code === 'ENOENT') return [] as Dirent[];
    throw error;
  });
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const name = `${folder}${entry.name}`;
    const path = join(dataDir, name);
    if ((folder === '' && notKept.test(name)) || unfinished.test(name)) continue;
    if (entry.isDirectory()) yield* filesBelow(dataDir, `${name}/`);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isFile()) yield { name, mode: found.mode & 0o777, open: () => openUnlessGone(path) };
  }
}

/** An open file can be read to its end even if the service removes it meanwhile. */
async function openUnlessGone(path: string): Promise<Readable | null> {
  try {
    return (await open(path, 'r')).createReadStream({ highWaterMark: pieceBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** A backup is untrusted: a name in it must not lead out of the folder or to another file. */
export function pathInside(dataDir: string, name: string): string | null {
  const parts = name.split('/');
  const isPlain = parts.every((part) => part !== '' && part !== '.' && part !== '..' && !/[\\\0]/.test(part));
  return isPlain && !notKept.test(parts[0]!) ? join(dataDir, ...parts) : null;
}

export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || !(way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way));
}
