/** A Redis for one run, on a socket file in a temporary folder. It must be installed: npm has none. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface RedisServer {
  socket: string;
  stop(): Promise<void>;
}

const programs = ['redis-server', 'valkey-server'];
const startWithinMs = 20_000;

/** Null if neither Redis nor Valkey is installed. */
export async function startRedis(): Promise<RedisServer | null> {
  for (const program of programs) {
    const server = await tryToStart(program);
    if (server) return server;
  }
  return null;
}

async function tryToStart(program: string): Promise<RedisServer | null> {
  const dir = mkdtempSync(join(tmpdir(), 'talkboard-redis-'));
  const remove = () => rmSync(dir, { recursive: true, force: true });
  const socket = join(dir, 'redis.sock');
  const settings = ['--port', '0', '--unixsocket', socket, '--dir', dir, '--save', '', '--appendonly', 'yes'];
  const child = spawn(program, [...settings, '--maxmemory-policy', 'noeviction'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const late = setTimeout(() => child.kill('SIGKILL'), startWithinMs);
  const isReady = await new Promise<boolean>((resolve) => {
    let printed = '';
    child.stdout.on('data', (chunk) => {
      printed += chunk;
      if (printed.includes('eady to accept connections')) resolve(true);
    });
    // Not installed, or it could not start.
    child.once('error', () => resolve(false)).once('exit', () => resolve(false));
  });
  clearTimeout(late);
  if (!isReady) {
    remove();
    return null;
  }
  return {
    socket,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        const exited = once(child, 'exit');
        child.kill('SIGTERM');
        await exited;
      }
      remove();
    },
  };
}
