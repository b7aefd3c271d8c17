/** Where the secret key comes from: SECRET_KEY, or a file under DATA_DIR that the first start creates. */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { ensureDataDir } from '../start/data-dir.ts';
import { StartError } from '../start/start-error.ts';

const minimumLength = 32;

/** Null: SECRET_KEY is not set and the key file does not exist yet. */
export function findSecretKey(configured: string, dataDir: string): string | null {
  if (configured) return configured;
  const path = keyFile(dataDir);
  if (!existsSync(path)) return null;
  const key = readFileSync(path, 'utf8').trim();
  if (key.length < minimumLength) {
    throw new StartError(
      `${path} does not contain a valid key. Restore the file from a backup, or set SECRET_KEY.`,
    );
  }
  return key;
}

/** Two processes that start at the same time get the same key. */
export function createKeyFile(dataDir: string): string {
  ensureDataDir(dataDir);
  writeOnce(keyFile(dataDir), `${randomBytes(32).toString('base64url')}\n`);
  return findSecretKey('', dataDir)!;
}

export function keyFile(dataDir: string): string {
  return join(dataDir, 'secret-key');
}

/** Links a finished file into place, so that half a key is never read and the first writer wins. */
function writeOnce(path: string, text: string): void {
  const draft = `${path}.${process.pid}`;
  const file = openSync(draft, 'wx', 0o600);
  writeSync(file, text);
  fsyncSync(file);
  closeSync(file);
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
}
