/** The interface between a command and main.ts. */
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

export interface Terminal {
  env: Record<string, string | undefined>;
  /** For the result only, so that a script can read it. */
  print(text: string): void;
  /** For everything else that a person reads. */
  say(text: string): void;
}

export interface Command {
  /** What follows `talkboard <name>` in the help. */
  usage: string;
  help: string;
  /** Resolves with the exit code. */
  run(args: string[], terminal: Terminal): Promise<number>;
}

/** A usage error: exit code 2. */
export class UsageError extends Error {}

/** The call was valid but the command failed: exit code 1, shown without a stack. */
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

/** `1 file`, `2 files`. */
export const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;
