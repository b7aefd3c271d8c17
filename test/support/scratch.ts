/**
 * New folders for what a test writes, above all databases. In memory where the system has room for it: copying the
 * hundreds of files of a database takes a tenth of the processor time there.
 */
import { accessSync, constants, mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const inMemory = '/dev/shm';
/** Several times what a whole run has there at once. */
const roomBytes = 6 * 2 ** 30;

export function newFolder(prefix: string): string {
  return mkdtempSync(join(hasRoom() ? inMemory : tmpdir(), prefix));
}

/** A container may have the folder with 64 MB, or with more than the memory it is allowed. */
function hasRoom(): boolean {
  try {
    accessSync(inMemory, constants.W_OK);
    const { bavail, bsize } = statfsSync(inMemory);
    return Math.min(bavail * bsize, process.availableMemory()) >= roomBytes;
  } catch {
    return false;
  }
}
