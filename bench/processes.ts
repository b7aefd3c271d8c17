/** The processes of a run. All of them are stopped, also when the run fails half-way. */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Burst, LoadJob } from './load/load.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const startWithinMs = 180_000;
const stopWithinMs = 20_000;

export interface Side {
  url: string;
  pid: number;
  stop(): Promise<void>;
  /** kill -9. */
  kill(): Promise<void>;
}

export interface LoadGenerator {
  run(job: LoadJob): Promise<Burst>;
  stop(): Promise<void>;
}

/** As `npm start` would run it, from this checkout or from another version's. */
export async function startService(
  env: Record<string, string>,
  flags: string[],
  folder = root,
): Promise<Side> {
  return startProgram({ ...env, LOG_LEVEL: 'warn' }, flags, folder, /ready at (http:\/\/127\.0\.0\.1:\d+)/);
}

/** A process of the role `worker`, which listens nowhere: its log says when it has started. */
export async function startWorkerProcess(env: Record<string, string>): Promise<Side> {
  return startProgram({ ...env, PROCESS_ROLE: 'worker', LOG_LEVEL: 'info' }, [], root, /"msg":"(started)"/);
}

async function startProgram(
  env: Record<string, string>,
  flags: string[],
  folder: string,
  readyLine: RegExp,
): Promise<Side> {
  const child = spawn(process.execPath, [...flags, 'server/main.ts'], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...env, HOST: '127.0.0.1', PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await orEnd(
    child,
    () =>
      new Promise((resolve) => {
        let printed = '';
        let isReady = false;
        // Read to the end: a full or closed pipe would stop the service.
        child.stdout.on('data', (chunk) => {
          if (isReady) return;
          printed += chunk;
          const ready = readyLine.exec(printed)?.[1];
          if (!ready) return;
          isReady = true;
          resolve(ready);
        });
      }),
  );
  return sideOf(url, child);
}

export async function startFloor(connection: object, poolSize: number, flags: string[]): Promise<Side> {
  const env = { FLOOR_CONNECTION: JSON.stringify(connection), FLOOR_POOL: String(poolSize) };
  return (await startForked('floor.ts', env, { flags })).side;
}

/** A file of bench/ that listens and then sends its parent the address, with anything else a scenario needs. */
export async function startForked<Ready extends { url: string }>(
  file: string,
  env: Record<string, string>,
  how: { flags?: string[]; cwd?: string } = {},
): Promise<{ side: Side; ready: Ready }> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), {
    execArgv: how.flags ?? [],
    cwd: how.cwd ?? root,
    env: { PATH: process.env.PATH, ...env },
    // Standard output is the report's.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const received: Ready[] = [];
  const url = await orEnd(child, async () => {
    const [message] = (await once(child, 'message')) as [Ready];
    received.push(message);
    return message.url;
  });
  return { side: sideOf(url, child), ready: received[0]! };
}

export function startLoadGenerator(): LoadGenerator {
  const child = fork(fileURLToPath(new URL('./load/load.ts', import.meta.url)), { execArgv: [] });
  return {
    run: (job) =>
      new Promise((resolve, reject) => {
        const settle = (answer: { burst: Burst } | { error: string }) => {
          child.off('message', settle).off('exit', died);
          if ('error' in answer) reject(new Error(answer.error));
          else resolve(answer.burst);
        };
        const died = () => settle({ error: 'the load generator died' });
        child.once('message', settle).once('exit', died);
        child.send(job);
      }),
    stop: () => end(child),
  };
}

const sideOf = (url: string, child: ChildProcess): Side => ({
  url,
  pid: child.pid!,
  stop: () => end(child),
  kill: () => kill(child),
});

async function orEnd(child: ChildProcess, ready: () => Promise<string | undefined>): Promise<string> {
  const late = setTimeout(() => child.kill('SIGKILL'), startWithinMs);
  const died = once(child, 'exit').then(() => undefined);
  try {
    const url = await Promise.race([ready(), died]);
    if (!url) throw new Error(`${child.spawnargs.at(-1)} did not start`);
    return url;
  } catch (error) {
    await end(child);
    throw error;
  } finally {
    clearTimeout(late);
  }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), stopWithinMs);
  await exited;
  clearTimeout(late);
}
