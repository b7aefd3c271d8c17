import { isTemporary } from '../http/errors.ts';

/** Problems that the person who starts the service can fix: shown as a message, without a stack. */
export class StartError extends Error {}

/**
 * Modules are loaded while the database is opened, which blocks this thread for seconds on a slow machine. A timeout
 * meanwhile says nothing about the database: only the second one counts.
 */
export async function againAfterTimeout<T>(run: () => Promise<T>): Promise<T> {
  return run().catch((error: Error) => {
    if (!isTemporary(error) && !/\btimeout\b/.test(error.message)) throw error;
    return run();
  });
}

/** Node joins the failures of several addresses into one error with an empty message. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) {
    return [...new Set(error.errors.map(reasonOf))].join('; ');
  }
  return error instanceof Error ? error.message || error.name : String(error);
}
