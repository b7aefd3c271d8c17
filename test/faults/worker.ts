/** The worker as a process of its own, on the PostgreSQL of a workshop. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { eventually, isFull, type Workshop } from './support.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** The full run loads the machine it starts on. */
const startWithinMs = isFull ? 300_000 : 60_000;

export interface Worker {
  pid: number;
  kill(): Promise<void>;
  stop(): Promise<void>;
  output(): string;
}

export async function startWorker(workshop: Workshop, env: Record<string, string>): Promise<Worker> {
  const socket = encodeURIComponent(`${workshop.dataDir}/postgres/data`);
  const child = spawn(process.execPath, ['server/main.ts'], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      DATA_DIR: `${workshop.dataDir}/worker`,
      DATABASE_URL: `postgres://postgres@localhost/talkboard?host=${socket}`,
      PROCESS_ROLE: 'worker',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  const exited = once(child, 'exit');
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await exited;
  };
  const started = async () => {
    assert.equal(child.exitCode, null, text);
    return text.includes('"msg":"started"');
  };
  try {
    await eventually('the worker has started', started, startWithinMs);
  } catch (error) {
    await end('SIGKILL');
    throw error;
  }
  return {
    pid: child.pid!,
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    output: () => text,
  };
}
