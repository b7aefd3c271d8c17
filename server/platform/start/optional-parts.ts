/**
 * The packages that `npm start` leaves out, because they are large and a start does not need them: those of voice
 * messages and of tracing. They are fetched when the service is ready. Whoever needs them waits for `partsArrived`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { JobReleased } from '../jobs/job.ts';
import type { Logger } from '../logger.ts';

/** Written by the script, with what it has installed. */
const setFile = fileURLToPath(new URL('../../../node_modules/.installed-set', import.meta.url));
const script = fileURLToPath(new URL('../../../scripts/setup.mjs', import.meta.url));

const isWindows = process.platform === 'win32';
const killAfterMs = 2_000;

/** For people: how to install them by hand. */
export const partsCommand = 'node scripts/setup.mjs --parts';

export interface OptionalParts {
  /** In the background. */
  add(): void;
  stop(): Promise<void>;
}

let arrival: Promise<void> = Promise.resolve();

/** Resolves at once if all are there, or if nobody fetches them. Rejects with JobReleased if the service stops meanwhile. */
export function partsArrived(): Promise<void> {
  return arrival;
}

function areMissing(): boolean {
  return existsSync(setFile) && existsSync(script) && readFileSync(setFile, 'utf8').trim() === 'start';
}

export function expectParts(
  logger: Pick<Logger, 'info' | 'warn'>,
  {
    isFetched,
    isMissing = areMissing,
    args = [script, '--parts', '--one-group'],
  }: { isFetched: boolean; isMissing?: () => boolean; args?: string[] },
): OptionalParts {
  if (!isFetched || !isMissing()) return { add() {}, stop: async () => {} };
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // Nobody may be waiting.
  promise.catch(() => {});
  arrival = promise;
  let child: ChildProcess | null = null;
  let isStopping = false;
  const run = async () => {
    logger.info({}, 'fetching the packages of voice messages and tracing in the background');
    child = start(args);
    const problem = await outcomeOf(child);
    if (isStopping) return;
    if (problem === null) logger.info({}, 'the packages of voice messages and tracing are installed');
    else {
      logger.warn(
        { reason: problem },
        'the packages of voice messages could not be installed: they are not converted or transcribed until the next start, or `node scripts/setup.mjs --parts`, succeeds',
      );
    }
  };
  return {
    add() {
      if (!isStopping) void run().finally(resolve);
    },
    async stop() {
      isStopping = true;
      // A job that waits is repeated by the next start, and this was no failed try.
      reject(new JobReleased('the service is stopping'));
      if (child) await end(child);
    },
  };
}

function start(args: string[]): ChildProcess {
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    // A group of its own, with npm in it: a stop ends all of it.
    detached: !isWindows,
  });
  try {
    // Requests go first.
    if (child.pid) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has ended already.
  }
  return child;
}

/** What it has begun is in a folder of its own, which the next setup removes. */
async function end(child: ChildProcess): Promise<void> {
  const closed = new Promise((resolve) => child.once('close', resolve));
  if (child.exitCode !== null || child.signalCode !== null || !signal(child, 'SIGTERM')) return;
  const late = setTimeout(() => signal(child, 'SIGKILL'), killAfterMs);
  await closed;
  clearTimeout(late);
}

/** False: there is nobody left. */
function signal(child: ChildProcess, name: NodeJS.Signals): boolean {
  if (isWindows || child.pid === undefined) return child.kill(name);
  try {
    return process.kill(-child.pid, name);
  } catch {
    return false;
  }
}

/** Null: it succeeded. */
function outcomeOf(child: ChildProcess): Promise<string | null> {
  return new Promise((resolve) => {
    let errors = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      errors = `${errors}${text}`.slice(-2_000);
    });
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code) => resolve(code === 0 ? null : errors.trim() || `it ended with ${code}`));
  });
}
