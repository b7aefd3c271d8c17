/** The command line tool: in the process of the test, or as people run it, in a process of its own. */
import { runCommand } from '../../cli/main.ts';
import type { Connection } from './database.ts';
import { urlOf } from './database.ts';
import { type Finished, programEnv, runNode } from './program.ts';
import type { TestService } from './service.ts';

/** For what only a process shows: its input, its folder, its signals, its end. Loading takes most of its time. */
export async function runCli(
  args: string[],
  env: Record<string, string>,
  { stdin = '', cwd }: { stdin?: string; cwd?: string } = {},
): Promise<Finished> {
  const script = new URL('../../cli/talkboard.mjs', import.meta.url).pathname;
  const { child, finished } = runNode([script, ...args], env, { cwd });
  child.stdin.end(stdin);
  return finished;
}

/**
 * In this process. Needs DATABASE_URL, unless the command starts no database: one that it starts itself is stopped when
 * its process ends.
 */
export async function runInProcess(
  args: string[],
  env: Record<string, string>,
  { startsDatabase = true } = {},
): Promise<Finished> {
  if (startsDatabase && !env.DATABASE_URL)
    throw new Error('without DATABASE_URL a command needs a process of its own');
  const written = { stdout: '', stderr: '' };
  const code = await runCommand(args, {
    env: programEnv(env),
    print(text) {
      written.stdout += `${text}\n`;
    },
    say(text) {
      written.stderr += `${text}\n`;
    },
  });
  return { code, signal: null, ...written };
}

/** Settings for a command that works on a test's own database. */
export function settingsFor(connection: Connection, dataDir: string): Record<string, string> {
  return { DATABASE_URL: urlOf(connection), DATA_DIR: dataDir };
}

/** The same for the database of a service, with the key that its secrets are sealed with. */
export function settingsOf({ connection, context }: TestService): Record<string, string> {
  const { dataDir, secretKey, cells } = context.config;
  const CELLS = cells.map(({ name, url }) => `${name}=${url}`).join(',');
  return { ...settingsFor(connection, dataDir), SECRET_KEY: secretKey, ...(CELLS && { CELLS }) };
}
