// The data directory: created once by initdb, then recognised.
import { spawn } from 'node:child_process';
import { chown, mkdir, mkdtemp, open, readdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StartError } from '../start/start-error.ts';
import { type Binaries, locateBinaries } from './binaries.ts';
import { chooseRunUser, type RunUser } from './run-user.ts';
import { ADMIN_ROLE, SETTINGS_FILE, writeOwnedFile } from './settings.ts';

export interface Cluster {
  dir: string;
  /** Identifies the processes of the directory, even after it was moved or deleted. */
  identity: { dev: bigint; ino: bigint };
  logFile: string;
  user: RunUser;
  binaries: Binaries;
}

const UNFINISHED_PREFIX = 'unfinished-';

export async function prepareCluster(dataDir: string, settings: Record<string, string>): Promise<Cluster> {
  const home = join(await realpath(dataDir), 'postgres');
  const dir = join(home, 'data');
  await mkdir(home, { recursive: true, mode: 0o700 });
  const user = await chooseRunUser(dir);
  const binaries = await locateBinaries(user);
  const version = await findVersion(dir);
  if (version === null) {
    await createCluster(dir, user, binaries, settings.fsync === 'off');
  } else if (version !== binaries.major) {
    throw new StartError(
      `The database in ${dir} was made by PostgreSQL ${version || '(unknown)'}, but this release of the service ` +
        `brings PostgreSQL ${binaries.major}, which cannot read it. Start the release that made it, or dump the ` +
        `database with PostgreSQL ${version || 'of that version'} and load it into a new DATA_DIR.`,
    );
  }
  const { dev, ino } = await stat(dir, { bigint: true });
  return { dir, identity: { dev, ino }, logFile: join(home, 'postgres.log'), user, binaries };
}

/** Null if there is no cluster yet, empty if there is something else. */
async function findVersion(dir: string): Promise<string | null> {
  try {
    return (await readFile(join(dir, 'PG_VERSION'), 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const entries = await readdir(dir).catch(() => null);
  return entries === null ? null : '';
}

/** Created under another name and then renamed: a start that is killed leaves no partial cluster. */
async function createCluster(
  dir: string,
  user: RunUser,
  binaries: Binaries,
  unsynced: boolean,
): Promise<void> {
  const home = dirname(dir);
  for (const name of await readdir(home)) {
    // An initdb that outlived its killed service may still be writing here; it fails without its directory.
    if (name.startsWith(UNFINISHED_PREFIX)) {
      await rm(join(home, name), { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    }
  }
  const unfinished = await mkdtemp(join(home, UNFINISHED_PREFIX));
  try {
    if (user.switched) await chown(unfinished, user.uid, user.gid);
    await runInitdb(unfinished, user, binaries.initdb, unsynced);
    const defaults = await readFile(join(unfinished, 'postgresql.conf'), 'utf8');
    const whole = `${defaults}\ninclude_if_exists '${SETTINGS_FILE}'`;
    await writeOwnedFile(join(unfinished, 'postgresql.conf'), whole, user);
    await rename(unfinished, dir);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
  const parent = await open(home, 'r');
  await parent.sync().finally(() => parent.close());
}

async function runInitdb(dir: string, user: RunUser, initdb: string, unsynced: boolean): Promise<void> {
  const options = ['--username', ADMIN_ROLE, '--encoding=UTF8', '--locale=C', '--auth=peer'];
  if (unsynced) options.push('--no-sync');
  const child = spawn(initdb, [...directoryArguments({ dir, user }), ...options], {
    ...spawnOptions({ dir, user }),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text;
  });
  const code = await new Promise<number | string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (exitCode, signal) => resolve(exitCode ?? signal ?? 'unknown'));
  });
  if (code !== 0) throw new Error(`PostgreSQL could not create its database (initdb: ${code}). ${complaint}`);
}

/**
 * Node changes into the directory before it gives up root, and /proc/self/cwd leads straight to it: so the server's
 * user needs no access to the directories above, and DATA_DIR can stay closed (0700), even below /root.
 */
export function directoryArguments({ dir, user }: Pick<Cluster, 'dir' | 'user'>): string[] {
  return ['-D', user.switched && process.platform === 'linux' ? '/proc/self/cwd' : dir];
}

/** The service's environment is not passed on: PG… variables would change the server, secrets would leak. */
export function spawnOptions({ dir, user }: Pick<Cluster, 'dir' | 'user'>) {
  return {
    cwd: dir,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
    ...(user.switched ? { uid: user.uid, gid: user.gid } : {}),
  };
}
