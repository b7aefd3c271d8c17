/**
 * The whole program as its users run it: `node server/main.ts` in a separate process with its own durable PostgreSQL,
 * so that a test can kill, freeze and restart either. Moments are drawn from a printed seed; TEST_SEED repeats a
 * run. `--full` takes the full counts (TEST_FULL); without it each fault strikes once.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { Pool } from 'undici';
import { copyCluster } from '../support/cluster.ts';
import { newFolder } from '../support/scratch.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
export const isFull = process.env.TEST_FULL === '1';
/** What is promised, as the full run measures it; the everyday run shares its machine with other tests. */
const healthyWithinMs = isFull ? 5_000 : 8_000;
const password = 'correct horse battery';

// biome-ignore lint/suspicious/noExplicitAny: a test asserts the body member by member; a type would only repeat it
type Json = any;

export interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Json;
  ms: number;
}

export interface Program {
  pid: number;
  baseUrl: string;
  /** Rejects when the connection breaks: the caller then does not know what became of the request. */
  call(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<Reply>;
  isRunning(): boolean;
  /** kill -9 of the service alone; its PostgreSQL is left behind as it would be. */
  kill(): Promise<void>;
  /** SIGTERM; the exit code. */
  stop(): Promise<number | null>;
  /** What it wrote to its standard error and its log so far. */
  output(): string;
}

export interface Workshop {
  dataDir: string;
  seed: number;
  /** From 0 up to, but not including, 1. */
  random(): number;
  /** `folder`: where another release is. */
  start(env?: Record<string, string>, folder?: string): Promise<Program>;
  /** A connection to the embedded PostgreSQL past the service, as its superuser. */
  connect(): Promise<pg.Client>;
  query<R>(text: string, values?: unknown[]): Promise<R[]>;
  postmasterPid(): number;
  /** The postmaster and all its children. */
  postgresPids(): number[];
  isAlive(pid: number): boolean;
  /** Runs `work` over and over on as many lines as asked; an error ends the load and is thrown by `stop`. */
  load(lines: number, work: (n: number) => Promise<void>): Load;
  /** Ends everything that was started here and removes the data. */
  close(): Promise<void>;
}

export function openWorkshop(): Workshop {
  const dataDir = newFolder('talkboard-faults-');
  copyCluster(dataDir);
  const seed = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
  console.log(`seed ${seed}`);
  const programs: Program[] = [];
  const clients: pg.Client[] = [];
  let questions: Promise<pg.Client> | null = null;
  const loads: Load[] = [];
  const connection = {
    host: join(dataDir, 'postgres', 'data'),
    port: 5432,
    user: 'postgres',
    database: 'talkboard',
  };
  const pidFile = join(connection.host, 'postmaster.pid');
  const postmasterPid = () => Number(readFileSync(pidFile, 'utf8').split('\n')[0]);

  /** One connection for all queries: tests poll with them. It ends with its server, and the next query opens another. */
  const openQuestions = (): Promise<pg.Client> => {
    const client = new pg.Client(connection);
    const opened = client.connect().then(() => client);
    const forget = () => {
      if (questions === opened) questions = null;
    };
    client.on('error', forget).on('end', forget);
    opened.catch(forget);
    return opened;
  };

  const workshop: Workshop = {
    dataDir,
    seed,
    random: randomFrom(seed),
    async start(env = {}, folder = root) {
      const program = await startProgram(dataDir, env, folder);
      programs.push(program);
      return program;
    },
    async connect() {
      const client = new pg.Client(connection);
      client.on('error', () => {});
      await client.connect();
      clients.push(client);
      return client;
    },
    async query<R>(text: string, values: unknown[] = []) {
      questions ??= openQuestions();
      return (await (await questions).query(text, values)).rows as R[];
    },
    postmasterPid,
    postgresPids: () => [postmasterPid(), ...childrenOf(postmasterPid())],
    isAlive,
    load(lines, work) {
      const load = startLoad(lines, work);
      loads.push(load);
      return load;
    },
    async close() {
      // A frozen one would neither answer what the load has sent nor stop.
      for (const program of programs) if (program.isRunning()) process.kill(program.pid, 'SIGCONT');
      await Promise.allSettled(loads.map((load) => load.stop()));
      const asked = await questions?.catch(() => null);
      for (const client of [...clients, ...(asked ? [asked] : [])]) await client.end().catch(() => {});
      for (const program of programs) {
        if (program.isRunning()) await program.stop().catch(() => {});
        if (program.isRunning()) await program.kill();
      }
      await endPostgres(pidFile);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
  return workshop;
}

async function startProgram(dataDir: string, env: Record<string, string>, folder: string): Promise<Program> {
  const child = spawn(process.execPath, ['server/main.ts'], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      DATA_DIR: dataDir,
      PORT: '0',
      ADMIN_PASSWORD: password,
      LOG_LEVEL: 'warn',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const exited = once(child, 'exit');
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const baseUrl = await eventually(
    'the program is ready',
    async () => {
      assert.ok(isRunning(), `the program ended while starting:\n${output}`);
      return /ready at (\S+)/.exec(output)?.[1];
    },
    180_000,
  ).catch((error) => {
    // Left alone, it would keep the whole run waiting.
    child.kill('SIGKILL');
    throw error;
  });
  const pool = new Pool(baseUrl, { connections: 64 });
  const end = async (signal: NodeJS.Signals) => {
    if (isRunning()) child.kill(signal);
    await exited;
  };
  exited.then(() => pool.destroy());
  return {
    pid: child.pid!,
    baseUrl,
    isRunning,
    output: () => output,
    call: (method, path, body, headers = {}) => call(pool, method, path, body, headers),
    kill: () => end('SIGKILL'),
    async stop() {
      await end('SIGTERM');
      return (child as ChildProcess).exitCode;
    },
  };
}

async function call(
  pool: Pool,
  method: string,
  path: string,
  body: object | undefined,
  headers: Record<string, string>,
): Promise<Reply> {
  const began = performance.now();
  const response = await pool.request({
    method: method as 'GET',
    path,
    headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
    body: body && JSON.stringify(body),
  });
  const text = await response.body.text();
  const isJson = String(response.headers['content-type'] ?? '').includes('application/json');
  return {
    status: response.statusCode,
    headers: response.headers,
    body: isJson ? JSON.parse(text) : text,
    ms: performance.now() - began,
  };
}

/** Signs in as the administrator, lifts the limits and makes a token, which outlives restarts. */
export async function createToken(program: Program): Promise<string> {
  const login = await program.call('POST', '/auth/login', { email: 'admin@example.com', password });
  assert.equal(login.status, 200, JSON.stringify(login.body));
  const auth = { authorization: `Bearer ${login.body.token}` };
  const limits = {
    crmPerMinute: 1_000_000_000,
    crmPerHour: 1_000_000_000,
    messagesPerMinute: 1_000_000_000,
    aiRepliesPerDay: 1_000_000_000,
  };
  await program.call('PATCH', `/admin/accounts/${login.body.account.id}`, { limits }, auth);
  const scopes = ['crm:read', 'crm:write', 'messages:read', 'messages:write', 'manage'];
  const made = await program.call('POST', '/api-tokens', { name: 'faults', scopes }, auth);
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return made.body.token;
}

export interface Load {
  /** Lets what runs finish, and waits for it. */
  stop(): Promise<void>;
}

function startLoad(lines: number, work: (n: number) => Promise<void>): Load {
  let running = true;
  let n = 0;
  const all = Promise.all(
    Array.from({ length: lines }, async () => {
      // A dead program refuses at once: without a pause its refusals would keep the news of its end from coming in.
      for (; running; await immediate()) await work(n++);
    }),
  );
  all.catch(() => {
    running = false;
  });
  return {
    async stop() {
      running = false;
      await all;
    },
  };
}

/** Polls until a state is reached, with a time limit. */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T | undefined | null | false>,
  withinMs = 15_000,
): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const found = await probe();
    if (found !== undefined && found !== null && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`waited ${withinMs} ms in vain: ${what}`);
    await sleep(20);
  }
}

/** How long it took until the service was healthy again. */
export async function untilReady(program: Program, withinMs = healthyWithinMs): Promise<number> {
  const began = performance.now();
  await eventually(
    'the service is healthy',
    async () => {
      assert.ok(program.isRunning(), `the program ended:\n${program.output()}`);
      return (await program.call('GET', '/health/ready')).status === 200;
    },
    withinMs,
  );
  return performance.now() - began;
}

/** mulberry32: small, and the same everywhere. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
        return Number(status.slice(status.lastIndexOf(')') + 2).split(' ')[1]) === parent;
      } catch {
        return false;
      }
    });
}

/** The server that a killed service left behind. */
async function endPostgres(pidFile: string): Promise<void> {
  let pid: number;
  try {
    pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
    process.kill(pid, 'SIGQUIT');
  } catch {
    return;
  }
  await eventually('PostgreSQL has ended', async () => !isAlive(pid));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
