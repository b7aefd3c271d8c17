/**
 * What a run leaves when it has ended: its texts, documents and versions that it prepared and did not publish, and the
 * passages that were in use before. Nobody finds any of it, so it goes in batches.
 */
import { limits } from '../../../../contract/limits.ts';
import type { Db, Reader, Tx } from '../../../platform/db/db.ts';
import { deleteOldVersions, selectForgotten, selectPlaces } from '../documents/knowledge.documents.sql.ts';
import { deleteLeftDocuments, forgetDocuments } from '../documents/knowledge.documents.ts';
import { lockKnowledge } from '../knowledge.state.sql.ts';
import { lockWebsite } from '../sources/knowledge.sources.sql.ts';
import { deleteSomeTexts, deleteUnused, selectUnfinished } from './knowledge.prepared.sql.ts';
import { lockOpenRuns, lockRun } from './knowledge.runs.sql.ts';

const textsAtATime = 200;
const documentsAtATime = 100;
/** Each may have dozens of versions, and changes of knowledge wait for a part. */
const removedAtATime = 50;
/** A page that is gone for so long, and that no reply cites, is deleted. */
const goneKeptMs = 90 * 86_400_000;

/** Part of each batch. Throws if the work has to end. */
type Keep = (tx: Tx) => Promise<void>;

/** The next run compares with what the last one has read. */
export async function finishPublished(
  db: Db,
  accountId: string,
  sourceId: string,
  keep: Keep,
): Promise<void> {
  for (const runId of await selectUnfinished(db, accountId, sourceId)) {
    await deleteTexts(db, accountId, runId, keep);
  }
}

/** `now`: of the run's end or later. */
export async function removeLeft(
  db: Db,
  accountId: string,
  { id: runId, sourceId }: { id: string; sourceId: string },
  now: number,
  keep: Keep,
): Promise<void> {
  await deleteTexts(db, accountId, runId, keep);
  await inBatches(db, keep, (tx) => deleteLeftDocuments(tx, accountId, runId, removedAtATime));
  const places = await selectPlaces(db, accountId, sourceId);
  for (let from = 0; from < places.length; from += documentsAtATime) {
    const some = places.slice(from, from + documentsAtATime);
    const isDone = await db.transaction(async (tx) => {
      await keep(tx);
      if (!(await isQuiet(tx, accountId, sourceId))) return false;
      await deleteUnused(
        tx,
        accountId,
        some.map(({ id }) => id),
      );
      await deleteOldVersions(tx, accountId, some, limits.knowledgeVersionsKept);
      return true;
    });
    if (!isDone) return;
  }
  const forgotten = (reader: Reader) =>
    selectForgotten(reader, accountId, sourceId, now - goneKeptMs, removedAtATime);
  while ((await forgotten(db)).length > 0) {
    const isDone = await db.transaction(async (tx) => {
      await keep(tx);
      await lockKnowledge(tx, accountId);
      if (!(await isQuiet(tx, accountId, sourceId))) return false;
      // One may have come back, or been cited.
      await forgetDocuments(tx, accountId, await forgotten(tx));
      return true;
    });
    if (!isDone) return;
  }
}

function deleteTexts(db: Db, accountId: string, runId: string, keep: Keep): Promise<void> {
  return inBatches(db, keep, async (tx) => {
    await lockRun(tx, accountId, runId);
    return deleteSomeTexts(tx, accountId, runId, textsAtATime);
  });
}

/** Another run of the source may be preparing: what is left goes when that one ends. None begins until the end of `tx`. */
async function isQuiet(tx: Tx, accountId: string, sourceId: string): Promise<boolean> {
  if (!(await lockWebsite(tx, accountId, sourceId))) return false;
  return (await lockOpenRuns(tx, accountId, sourceId)).length === 0;
}

async function inBatches(db: Db, keep: Keep, remove: (tx: Tx) => Promise<boolean>): Promise<void> {
  for (let isMore = true; isMore; ) {
    isMore = await db.transaction(async (tx) => {
      await keep(tx);
      return remove(tx);
    });
  }
}
