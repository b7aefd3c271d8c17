// The path under which clients in this process reach the server's socket.
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PORT } from './settings.ts';

export interface SocketDir {
  path: string;
  close(): Promise<void>;
}

/** The kernel's field for a socket's path, less its closing zero byte. */
const MAX_SOCKET_PATH_BYTES = process.platform === 'linux' ? 107 : 103;

export async function openSocketDir(clusterDir: string): Promise<SocketDir> {
  const longest = join(clusterDir, `.s.PGSQL.${PORT}`);
  if (Buffer.byteLength(longest) <= MAX_SOCKET_PATH_BYTES) return { path: clusterDir, close: async () => {} };
  return process.platform === 'linux' ? openByDescriptor(clusterDir) : linkFromTemporaryDir(clusterDir);
}

/**
 * An open directory is reachable by a short name in /proc, which cannot be created beforehand and no cleaner of
 * temporary files removes; it ends with the process. The pid, not `self`, so that child processes can use it too.
 */
function openByDescriptor(clusterDir: string): SocketDir {
  const descriptor = openSync(clusterDir, 'r');
  return { path: `/proc/${process.pid}/fd/${descriptor}`, close: async () => closeSync(descriptor) };
}

async function linkFromTemporaryDir(clusterDir: string): Promise<SocketDir> {
  const directory = await mkdtemp(join(tmpdir(), 'talkboard-'));
  const path = join(directory, 'pg');
  await symlink(clusterDir, path);
  return { path, close: () => rm(directory, { recursive: true, force: true }) };
}
