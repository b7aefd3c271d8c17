import type { Reader } from '../../../platform/db/db.ts';

/**
 * How many replies of the last 90 days cited each of these documents. Replies have no citations yet, so no document has
 * any.
 */
export async function countCitations(
  _db: Reader,
  _accountId: string,
  _documentIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  return new Map();
}
