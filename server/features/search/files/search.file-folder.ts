/**
 * The folder with the files of indexes: FOLDER/ACCOUNT/ID.index. Several processes may use it. A file has its final name
 * only when it is complete, and a name is never used twice, so no process can replace or remove what another one writes.
 */
import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm, rmdir, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

export interface IndexFile {
  id: string;
  accountId: string;
  path: string;
  bytes: number;
  usedAt: number;
}

const finished = /^([0-9a-f-]{36})\.index$/;
/** The machine, the process and the id. */
const unfinished = /^(.+)\.(\d+)\.([0-9a-f-]{36})\.partial$/;
/** Of another machine, whose processes cannot be asked. */
const abandonedMs = 15 * 60_000;
const host = hostname().replace(/[^a-zA-Z0-9-]/g, '-') || 'host';

export class FileFolder {
  readonly #folder: string;
  readonly #onFailure: (error: unknown, accountId: string) => void;
  /** Names that this process writes now. */
  readonly #open = new Set<string>();

  /** `onFailure`: the files of one account cannot be read; those of the others can. */
  constructor(folder: string, onFailure: (error: unknown, accountId: string) => void = () => undefined) {
    this.#folder = folder;
    this.#onFailure = onFailure;
  }

  /** Most recently used first. */
  async filesOf(accountId: string): Promise<IndexFile[]> {
    const files: IndexFile[] = [];
    for (const name of await namesIn(join(this.#folder, accountId))) {
      const id = finished.exec(name)?.[1];
      const path = join(this.#folder, accountId, name);
      const found = id ? await stat(path).catch(() => null) : null;
      if (id && found?.isFile()) {
        files.push({ id, accountId, path, bytes: found.size, usedAt: found.mtimeMs });
      }
    }
    return files.sort((a, b) => b.usedAt - a.usedAt);
  }

  /** Those of an account that cannot be read are left out. */
  async all(): Promise<IndexFile[]> {
    const files: IndexFile[] = [];
    await this.#eachAccount(async (accountId) => {
      files.push(...(await this.filesOf(accountId)));
    });
    return files;
  }

  /** Writes a new file: all of it, or none. Only its owner can read it. */
  async write(
    accountId: string,
    id: string,
    fill: (file: FileHandle) => Promise<void>,
    isStillGood: () => Promise<boolean>,
  ): Promise<boolean> {
    const folder = join(this.#folder, accountId);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const name = `${host}.${process.pid}.${randomUUID()}.partial`;
    this.#open.add(name);
    try {
      const file = await open(join(folder, name), 'wx', 0o600);
      try {
        await fill(file);
        await file.sync();
      } finally {
        await file.close();
      }
      if (!(await isStillGood())) return false;
      await rename(join(folder, name), join(folder, `${id}.index`));
      await syncFolder(folder);
      return true;
    } finally {
      await rm(join(folder, name), { force: true });
      this.#open.delete(name);
    }
  }

  async remove({ path, accountId }: Pick<IndexFile, 'path' | 'accountId'>): Promise<void> {
    await rm(path, { force: true });
    // Only if it is empty.
    await rmdir(join(this.#folder, accountId)).catch(() => undefined);
  }

  /** The time of the last use decides which file is removed first. */
  async touch({ path }: IndexFile): Promise<void> {
    const now = new Date();
    await utimes(path, now, now).catch(() => undefined);
  }

  /** What killed processes have left. */
  async removeAbandoned(): Promise<void> {
    await this.#eachAccount(async (accountId) => {
      for (const name of await namesIn(join(this.#folder, accountId))) {
        const [, machine, pid] = unfinished.exec(name) ?? [];
        if (machine === undefined || this.#open.has(name)) continue;
        const path = join(this.#folder, accountId, name);
        const isOver =
          machine === host
            ? Number(pid) === process.pid || !isRunning(Number(pid))
            : await isOlderThan(path, abandonedMs);
        if (isOver) await this.remove({ path, accountId });
      }
    });
  }

  async #eachAccount(step: (accountId: string) => Promise<void>): Promise<void> {
    for (const accountId of await namesIn(this.#folder)) {
      await step(accountId).catch((error) => this.#onFailure(error, accountId));
    }
  }
}

/** Folders of cells that no longer have files: no process would remove their content. */
export async function removeOtherFolders(root: string, cells: readonly string[]): Promise<void> {
  for (const name of await namesIn(root)) {
    if (!cells.includes(name)) await rm(join(root, name), { recursive: true, force: true });
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
}

/** The new name itself must survive a loss of power. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function isOlderThan(path: string, ms: number): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found !== null && Date.now() - found.mtimeMs > ms;
}
