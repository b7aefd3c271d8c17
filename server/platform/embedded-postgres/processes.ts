// Finds the server processes of a data directory, and ends them.
import { execFile } from 'node:child_process';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Cluster } from './cluster.ts';
import { isAlive } from './data-dir-lock.ts';
import { PORT } from './settings.ts';

const POLL_MS = 20;
// Together less than the 15 s that a service manager grants; an immediate stop loses nothing, the next start replays
// the log.
const FAST_STOP_MS = 8_000;
const IMMEDIATE_STOP_MS = 4_000;

/**
 * Fast shutdown, then immediate, then SIGKILL; resolves when no server process is left. Backends count too: those of
 * a killed postmaster may still be writing.
 */
export async function endServer(cluster: Cluster): Promise<void> {
  const began = Date.now();
  const postmaster = await readPostmasterPid(cluster.dir);
  let sent = '';
  for (;;) {
    const pids = await listServerProcesses(cluster);
    if (pids.length === 0) return;
    const leader = postmaster !== null && pids.includes(postmaster) ? postmaster : null;
    const elapsed = Date.now() - began;
    const signal =
      elapsed > FAST_STOP_MS + IMMEDIATE_STOP_MS
        ? 'SIGKILL'
        : leader === null || elapsed > FAST_STOP_MS
          ? 'SIGQUIT'
          : 'SIGINT';
    // Without a postmaster the list may grow by a process that was just being forked, so new ones are signalled too.
    if (signal !== sent || leader === null) {
      for (const pid of leader !== null && signal !== 'SIGKILL' ? [leader] : pids) sendSignal(pid, signal);
      sent = signal;
    }
    await sleep(POLL_MS);
  }
}

/**
 * Called with the DATA_DIR lock held, so any process here was left by a killed service. It is replaced, not adopted:
 * only the end of a child process is noticed at once, and its programs and settings may be outdated.
 */
export async function clearLeftovers(cluster: Cluster): Promise<{ endedPids: number[] }> {
  const pids = await listServerProcesses(cluster);
  if (pids.length > 0) await endServer(cluster);
  const postmaster = await readPostmasterPid(cluster.dir);
  if (postmaster !== null && isAlive(postmaster)) {
    // The pid now belongs to another program. PostgreSQL, which knows only the pid, would refuse to start; its check
    // of the shared memory segment, found by the directory's inode, works without these files.
    await rm(join(cluster.dir, 'postmaster.pid'), { force: true });
    await rm(join(cluster.dir, `.s.PGSQL.${PORT}.lock`), { force: true });
  }
  return { endedPids: pids };
}

async function readPostmasterPid(clusterDir: string): Promise<number | null> {
  const text = await readFile(join(clusterDir, 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number(text.split('\n')[0]);
  return Number.isInteger(pid) && pid > 1 ? pid : null;
}

/** Recognised by their working directory, which PostgreSQL never leaves: a pid alone may have been recycled. */
async function listServerProcesses({ dir, identity }: Cluster): Promise<number[]> {
  if (process.platform !== 'linux') return listByPidFile(dir);
  const candidates = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(
    candidates.map(async (pid) => {
      try {
        const cwd = await stat(`/proc/${pid}/cwd`, { bigint: true });
        if (cwd.ino !== identity.ino || cwd.dev !== identity.dev) return [];
        return (await readFile(`/proc/${pid}/comm`, 'utf8')).trim() === 'postgres' ? [pid] : [];
      } catch {
        return [];
      }
    }),
  );
  return found.flat();
}

/** Without /proc only the postmaster is known; PostgreSQL itself then refuses to start beside running backends. */
async function listByPidFile(clusterDir: string): Promise<number[]> {
  const pid = await readPostmasterPid(clusterDir);
  if (pid === null) return [];
  const listed = await promisify(execFile)('ps', ['-o', 'stat=,args=', '-p', String(pid)]).catch(() => null);
  const line = listed?.stdout.trim() ?? '';
  return line.includes('postgres') && !line.startsWith('Z') ? [pid] : [];
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
