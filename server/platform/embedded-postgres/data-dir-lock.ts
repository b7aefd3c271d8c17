// One service per DATA_DIR. The lock is a kernel file lock, taken through SQLite because Node has no call for it. It
// ends with its holder however that died: no stale locks, no recycled pids, two simultaneous starts cannot both win,
// and containers that share a volume see each other's lock. A pid file alone was rejected: taking over a stale one
// cannot be made race-free with rename and link only.
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '../start/start-error.ts';

export interface DataDirLock {
  release(): Promise<void>;
}

/** Another process has the lock. */
export class DataDirInUse extends StartError {}

const SQLITE_BUSY = 5;
// SQLite upgrades from a shared to the exclusive lock; without a wait two simultaneous starts could reject each
// other.
const CLIMB_PATIENCE_MS = 300;
const HOLDER_NAMED_WITHIN_MS = 1000;

/** Referenced here too: otherwise garbage collection of the object would release the lock. */
const heldLocks = new Set<DatabaseSync>();

/** Not re-entrant: a second call for the same directory is rejected in the same process too. */
export async function acquireDataDirLock(dataDir: string): Promise<DataDirLock> {
  const lockFile = join(dataDir, 'service.lock');
  const holderFile = join(dataDir, 'service.pid');
  let database: DatabaseSync;
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    // Nothing else in this process may ever open and close this file: that would drop the lock (POSIX).
    database = new DatabaseSync(lockFile, { timeout: CLIMB_PATIENCE_MS });
  } catch (error) {
    throw new StartError(
      `The service cannot write to DATA_DIR ${dataDir} (${messageOf(error)}). ` +
        'Give the user that runs it this directory, or set DATA_DIR to another one.',
      { cause: error },
    );
  }
  try {
    database.exec('begin exclusive');
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    throw new DataDirInUse(
      `DATA_DIR ${dataDir} is in use by another running service (${await describeHolder(holderFile)}). ` +
        'Stop that one first, or start this one with another DATA_DIR.',
    );
  }
  try {
    // Another local user who can open the file could hold a shared lock on it and keep the service from starting.
    await chmod(lockFile, 0o600);
    await rm(holderFile, { force: true });
    await writeFile(holderFile, `${process.pid}\n${new Date().toISOString()}\n`, { mode: 0o600 });
  } catch (error) {
    database.close();
    throw error;
  }

  heldLocks.add(database);
  let released: Promise<void> | null = null;
  return {
    release: () => {
      // The lock file stays: removing it would let a third service lock a new file beside a waiting second one.
      released ??= rm(holderFile, { force: true }).finally(() => {
        heldLocks.delete(database);
        database.close();
      });
      return released;
    },
  };
}

/** Where a command holds a lock for as long as it uses DATA_DIR. */
export const commandDir = (dataDir: string): string => join(dataDir, 'cli');

const COMMAND_ENDS_WITHIN_MS = 60_000;
const RETRY_MS = 100;

/** As `acquireDataDirLock`, but waits for a command that uses the directory, which ends soon. */
export async function acquireAfterCommands(dataDir: string, onWait: () => void): Promise<DataDirLock> {
  const deadline = Date.now() + COMMAND_ENDS_WITHIN_MS;
  for (let hasWaited = false; ; hasWaited = true) {
    // Before the attempt too: a command that ends meanwhile can no longer be named afterwards.
    const wasCommand = await isUsedByCommand(dataDir);
    try {
      return await acquireDataDirLock(dataDir);
    } catch (error) {
      const isCommand = error instanceof DataDirInUse && (wasCommand || (await isUsedByCommand(dataDir)));
      if (!isCommand || Date.now() > deadline) throw error;
      if (!hasWaited) onWait();
    }
    await sleep(RETRY_MS);
  }
}

async function isUsedByCommand(dataDir: string): Promise<boolean> {
  const [holder, command] = await Promise.all([dataDir, commandDir(dataDir)].map(readHolder));
  return holder !== '' && holder === command;
}

async function readHolder(dir: string): Promise<string> {
  const [pid = ''] = (await readFile(join(dir, 'service.pid'), 'utf8').catch(() => '')).split('\n');
  return pid;
}

/** The winner writes its name a moment after it has the lock, so a dead or missing name is read again. */
async function describeHolder(holderFile: string): Promise<string> {
  const deadline = Date.now() + HOLDER_NAMED_WITHIN_MS;
  do {
    const [pid = '', since = ''] = (await readFile(holderFile, 'utf8').catch(() => '')).split('\n');
    if (/^\d+$/.test(pid) && isAlive(Number(pid))) return `pid ${pid}, since ${since}`;
    await sleep(25);
  } while (Date.now() < deadline);
  return 'its pid is not visible from here';
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
