/** What the person who starts the service can put right: told in its own words, without a stack. */
export class StartError extends Error {}

/** Node joins the failures of several addresses into one error whose own message is empty. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) {
    return [...new Set(error.errors.map(reasonOf))].join('; ');
  }
  return error instanceof Error ? error.message || error.name : String(error);
}
