/** The texts that a run has staged, in batches of bounded size. */
import type { Reader } from '../../../platform/db/db.ts';
import { type StagedPage, selectStagedSizes, selectStagedTexts } from './knowledge.runs.sql.ts';

const pagesAtATime = 200;
const bytesAtATime = 4 * 1024 * 1024;

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
