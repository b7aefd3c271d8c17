/** The real program as a child process, for what only a process can show: its output, its exit, its signals. */
import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { newFolder } from './scratch.ts';
import type { Json } from './service.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Finished {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface Program {
  process: ChildProcess;
  /** What it has written so far. */
  output(): string;
  /** The address that it printed. */
  base: string;
  finished: Promise<Finished>;
  /** Sends SIGTERM by default, and waits for the exit. */
  stop(signal?: NodeJS.Signals): Promise<Finished>;
}

/** The program gets nothing of the tests' environment except what every program needs. */
export function programEnv(env: Record<string, string>): Record<string, string> {
  const { PATH = '', HOME = '', TMPDIR, NODE_COMPILE_CACHE } = process.env;
  return { PATH, HOME, ...(TMPDIR && { TMPDIR }), ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }), ...env };
}

export function runNode(args: string[], env: Record<string, string>, options: { cwd?: string } = {}) {
  const child = spawn(process.execPath, args, {
    cwd: options.cwd ?? root,
    env: programEnv(env),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const written = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    written.stderr += text;
  });
  const finished = new Promise<Finished>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, ...written }));
  });
  return { child, written, finished };
}

/** Resolves when the service reports that it has started. */
async function startProgram(env: Record<string, string>): Promise<Program> {
  const { child, written, finished } = runNode(['server/main.ts'], { PORT: '0', ...env });
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', () => written.stdout.includes('"msg":"started"') && resolve());
    void finished.then(({ code, stdout, stderr }) =>
      reject(new Error(`the program ended with ${code}:\n${stdout}${stderr}`)),
    );
  });
  return {
    process: child,
    output: () => written.stdout,
    base: /ready at (\S+)/.exec(written.stdout)?.[1] ?? '',
    finished,
    stop(signal = 'SIGTERM') {
      child.kill(signal);
      return finished;
    },
  };
}

/** For a start that is expected to fail. */
export function runProgram(env: Record<string, string>): Promise<Finished> {
  return runNode(['server/main.ts'], { PORT: '0', ...env }).finished;
}

export interface Stage {
  newDataDir(): string;
  start(env: Record<string, string>): Promise<Program>;
  /** Stops everything that still runs and removes the folders. */
  close(): Promise<void>;
}

export function createStage(): Stage {
  const folders: string[] = [];
  const programs: Program[] = [];
  return {
    newDataDir() {
      const folder = newFolder('talkboard-program-');
      folders.push(folder);
      return folder;
    },
    async start(env) {
      const program = await startProgram(env);
      programs.push(program);
      return program;
    },
    async close() {
      await Promise.all(programs.map((program) => program.stop()));
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    },
  };
}

export const adminPassword = 'correct horse battery';

export interface Client {
  token: string;
  call(method: string, path: string, body?: object): Promise<{ status: number; body: Json }>;
}

/** Signs in as the first administrator, lifts the limits of the account, and continues with a new token. */
export async function connectTo(base: string, password = adminPassword): Promise<Client> {
  const callAs =
    (token: string | null): Client['call'] =>
    async (method, path, body) => {
      const response = await fetch(base + path, {
        method,
        headers: {
          ...(token && { authorization: `Bearer ${token}` }),
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: await response.json() };
    };
  const login = await callAs(null)('POST', '/auth/login', { email: 'admin@example.com', password });
  if (login.status !== 200) throw new Error(`signing in answered ${login.status}`);
  const asAdmin = callAs(login.body.token);
  const limits = { crmPerMinute: 1_000_000, crmPerHour: 10_000_000 };
  await asAdmin('PATCH', `/admin/accounts/${login.body.account.id}`, { limits });
  const { token } = (await asAdmin('POST', '/api-tokens', { name: 'test' })).body;
  return { token, call: callAs(token) };
}
