/** Compares the keys of every record with what they should be, and fixes those that differ. */
import type { Db } from '../../platform/db/db.ts';
import { countRecords, lookupKeys, selectLookupKeys, updateLookupKeys } from '../records/records.ts';

export interface ReindexProgress {
  done: number;
  total: number;
  mended: number;
}

const recordsAtATime = 1_000;

/** Safe while the service runs: a record changed meanwhile gets its keys from that change. */
export async function reindex(
  db: Db,
  onProgress: (progress: ReindexProgress) => void,
): Promise<ReindexProgress> {
  const progress = { done: 0, total: await countRecords(db), mended: 0 };
  onProgress(progress);
  let after: { accountId: string; id: string } | null = null;
  for (;;) {
    const rows: Awaited<ReturnType<typeof selectLookupKeys>> = await selectLookupKeys(
      db,
      after,
      recordsAtATime,
    );
    for (const row of rows) {
      const wanted = lookupKeys(row.customFields, row.unverifiedFieldIds);
      if (sameKeys(row.lookupKeys, wanted)) continue;
      const mended = await db.transaction((tx) => updateLookupKeys(tx, row.accountId, row, wanted));
      if (mended) progress.mended++;
    }
    progress.done += rows.length;
    onProgress({ ...progress, total: Math.max(progress.total, progress.done) });
    if (rows.length < recordsAtATime) return progress;
    const { accountId, id } = rows[rows.length - 1]!;
    after = { accountId, id };
  }
}

function sameKeys(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && [...a].sort().join() === [...b].sort().join();
}
