/** Problems that the person who starts the service can fix: shown as a message, without a stack. */
export class StartError extends Error {}

/** Node joins the failures of several addresses into one error with an empty message. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) {
    return [...new Set(error.errors.map(reasonOf))].join('; ');
  }
  return error instanceof Error ? error.message || error.name : String(error);
}
