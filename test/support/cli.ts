/** The command line tool as people run it: a child process. */
import type { Connection } from './database.ts';
import { urlOf } from './database.ts';
import { type Finished, runNode } from './program.ts';
import type { TestService } from './service.ts';

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
