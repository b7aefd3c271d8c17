/** What a command is to main.ts, and what main.ts gives to a command. */
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

export interface Terminal {
  env: Record<string, string | undefined>;
  /** For the result alone, so that a script can take it as it is. */
  print(text: string): void;
  /** For everything that is said to a person. */
  say(text: string): void;
}

export interface Command {
  /** What stands behind `talkboard <name>` in the help. */
  usage: string;
  help: string;
  /** Resolves with the exit code. */
  run(args: string[], terminal: Terminal): Promise<number>;
}

/** A usage error: exit code 2. */
export class UsageError extends Error {}

/** The command was called rightly and cannot be done: exit code 1, told without a stack. */
export class CommandError extends Error {}

export function readOptions<const O extends ParseArgsOptionsConfig>(args: string[], options: O) {
  try {
    return parseArgs({ args, options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

export function requireOption(value: string | undefined, name: string): string {
  if (!value) throw new UsageError(`--${name} is required`);
  return value;
}
