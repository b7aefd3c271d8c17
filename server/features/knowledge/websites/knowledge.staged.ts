/** The texts that a run has staged, in batches of bounded size. */
import type { Db, Reader } from '../../../platform/db/db.ts';
import { createYielder } from '../../../search-engine/query/yielder.ts';
import { passagesOf } from '../documents/knowledge.documents.ts';
import {
  type CutText,
  type StagedPage,
  savePassages,
  selectStagedSizes,
  selectStagedTexts,
  selectUncut,
} from './knowledge.runs.sql.ts';

export const pagesAtATime = 200;
const bytesAtATime = 4 * 1024 * 1024;
/** Others of the process wait no longer than this while passages are cut. */
const sliceMs = 5;

type Staged = Pick<StagedPage, 'number' | 'url' | 'bytes'>;

/** Those of the pages that have a text of their own. */
export async function selectStaged(
  db: Reader,
  accountId: string,
  runId: string,
  read: readonly Pick<StagedPage, 'number' | 'url'>[],
): Promise<Staged[]> {
  const rows = await selectStagedSizes(db, accountId, runId);
  const sizes = new Map(rows.map(({ number, bytes }) => [number, bytes]));
  return read.flatMap((page) => {
    const bytes = sizes.get(page.number);
    return bytes === undefined ? [] : [{ ...page, bytes }];
  });
}

export async function* stagedTexts(
  db: Reader,
  accountId: string,
  runId: string,
  staged: readonly Staged[],
): AsyncGenerator<StagedPage[]> {
  for (const batch of batchesOf(staged)) {
    const urls = new Map(batch.map(({ number, url }) => [number, url]));
    const texts = await selectStagedTexts(db, accountId, runId, [...urls.keys()]);
    yield texts.map((text) => ({ ...text, url: urls.get(text.number)! }));
  }
}

/** Before the run publishes: everybody who changes the account's knowledge waits while it does. */
export async function cutStaged(db: Db, accountId: string, runId: string): Promise<void> {
  const pause = createYielder(sliceMs);
  for (const batch of batchesOf(await selectUncut(db, accountId, runId))) {
    const numbers = batch.map(({ number }) => number);
    const cut: CutText[] = [];
    for (const { number, text } of await selectStagedTexts(db, accountId, runId, numbers)) {
      cut.push({ number, characters: text.length, passages: passagesOf(text) });
      const waiting = pause();
      if (waiting) await waiting;
    }
    await db.transaction((tx) => savePassages(tx, accountId, runId, cut));
  }
}

function batchesOf<T extends Pick<Staged, 'bytes'>>(staged: readonly T[]): T[][] {
  const batches: T[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const page of staged) {
    if (bytes + page.bytes > bytesAtATime || batches.at(-1)!.length === pagesAtATime) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)!.push(page);
    bytes += page.bytes;
  }
  return batches;
}
