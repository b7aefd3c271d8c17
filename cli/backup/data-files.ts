/**
 * The files under DATA_DIR that belong to a backup: the secret key, and files that features keep beside the database.
 */
import { readdirSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';

/** The database is backed up separately; the rest belongs to a running process. */
const notKept = /^(postgres|cli|service\.pid|service\.lock.*)$/;
const unfinished = /\.(restoring|partial|\d+)$/;

export interface DataFile {
  /** Relative to DATA_DIR, with slashes. */
  name: string;
  path: string;
  mode: number;
}

export function listDataFiles(dataDir: string): DataFile[] {
  let entries: string[];
  try {
    entries = readdirSync(dataDir).filter((name) => !notKept.test(name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  return entries
    .flatMap((entry) => filesBelow(join(dataDir, entry)))
    .filter((path) => !unfinished.test(path))
    .flatMap((path) => {
      const found = statSync(path, { throwIfNoEntry: false });
      return found?.isFile()
        ? [{ name: relative(dataDir, path).split(sep).join('/'), path, mode: found.mode & 0o777 }]
        : [];
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** A running service creates and removes files: those already removed are skipped. */
function filesBelow(path: string): string[] {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [path];
  try {
    return readdirSync(path, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? filesBelow(join(path, entry.name)) : [join(path, entry.name)],
    );
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
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
