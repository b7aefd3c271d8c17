/** Structured logs on standard output. Secrets are never written. */
import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';
import type { LogLevel } from '../config.ts';

export type Logger = PinoLogger;

const secretNames = [
  'authorization',
  'cookie',
  'set-cookie',
  'password',
  'currentPassword',
  'newPassword',
  'adminPassword',
  'token',
  'secret',
  'apiKey',
  'webhookSecret',
  'secretKey',
];

export function createLogger(level: LogLevel, destination?: DestinationStream): Logger {
  const paths = secretNames.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]);
  const options = {
    level,
    base: null,
    redact: { paths, censor: '[secret]' },
    serializers: { err: describeError },
  };
  return destination ? pino(options, destination) : pino(options);
}

/** A database error carries the values of the statement; only what locates the fault is logged. */
function describeError(error: unknown) {
  if (!(error instanceof Error)) return { message: String(error) };
  const { code, constraint, table } = error as Error & { code?: string; constraint?: string; table?: string };
  return { type: error.name, message: error.message, code, constraint, table, stack: error.stack };
}
