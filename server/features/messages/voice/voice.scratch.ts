/**
 * Temporary folders for one piece of work. Under the system's temporary folder, not under DATA_DIR: ffmpeg may run as
 * a user without access to DATA_DIR.
 */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const prefix = 'talkboard-voice-';
const oldMs = 3_600_000;

export async function withScratch<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), prefix));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What killed processes left; other processes may be using the younger ones. */
export async function removeOldScratch(): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    if (!name.startsWith(prefix)) continue;
    const folder = join(tmpdir(), name);
    const changed = await stat(folder).catch(() => null);
    if (!changed || Date.now() - changed.mtimeMs < oldMs) continue;
    await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}
