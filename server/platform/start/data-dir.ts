import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { StartError } from './start-error.ts';

/**
 * Creates DATA_DIR and checks that this user can write to it, before anything else fails there with a stack trace.
 */
export function ensureDataDir(dataDir: string): void {
  try {
    makeFolder(dataDir);
    accessSync(dataDir, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const problem = code === 'ENOTDIR' ? 'is not a folder' : `cannot be written to (${code})`;
    throw new StartError(
      `DATA_DIR ${dataDir} ${problem}. Give the user that runs the service write access, or set DATA_DIR to another folder.`,
    );
  }
}

/** Folder by folder: Node's recursive mkdir never returns if the kernel answers ENOENT, as under /proc. */
function makeFolder(path: string): void {
  if (!existsSync(path)) {
    if (dirname(path) !== path) makeFolder(dirname(path));
    try {
      mkdirSync(path);
    } catch (error) {
      // Another process that starts at the same time.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  if (!statSync(path).isDirectory()) {
    throw Object.assign(new Error(`${path} is not a folder`), { code: 'ENOTDIR' });
  }
}
