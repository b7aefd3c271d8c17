/** Uncaught errors: logs one line with the whole error, then exits. The process cannot be trusted afterwards. */
import type { Logger } from '../logger.ts';

export function exitOnFatalErrors(logger: Logger): void {
  const exit = (err: unknown, message: string) => {
    logger.fatal({ err }, message);
    process.exit(1);
  };
  process.on('uncaughtException', (error) => exit(error, 'uncaught exception, exiting'));
  process.on('unhandledRejection', (reason) => exit(reason, 'unhandled promise rejection, exiting'));
}
