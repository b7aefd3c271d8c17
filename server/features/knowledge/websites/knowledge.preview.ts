/** What the search would have if a run in review was published. */
import type { Reader } from '../../../platform/db/db.ts';
import { conflict } from '../../../platform/http/errors.ts';
import type { PassageDocument } from '../../../search-engine/passages/passage-index.ts';
import { createYielder } from '../../../search-engine/query/yielder.ts';
import { findAccount } from '../../accounts/accounts.ts';
import { selectDocumentsOfSource } from '../documents/knowledge.documents.sql.ts';
import { searchedPassages } from '../documents/knowledge.documents.ts';
import type { AsIf } from '../search/knowledge.search.ts';
import { findSource } from '../sources/knowledge.sources.sql.ts';
import { selectGone, selectReadPages, selectStagedTexts } from './knowledge.runs.sql.ts';
import { requireRun } from './knowledge.runs.ts';

const pagesAtATime = 200;

export async function previewRun(db: Reader, accountId: string, runId: string): Promise<AsIf> {
  const run = await requireRun(db, accountId, runId);
  if (run.state !== 'review') throw conflict('only a run in review can be evaluated');
  const source = await findSource(db, accountId, run.sourceId);
  const stored = await selectDocumentsOfSource(db, accountId, run.sourceId);
  const byUrl = new Map(stored.map((document) => [document.url, document]));
  const fallback = source?.language ?? (await findAccount(db, accountId))!.language;
  const read = await selectReadPages(db, accountId, runId);
  const documents: PassageDocument[] = [];
  const pause = createYielder();
  for (let from = 0; from < read.length; from += pagesAtATime) {
    const urls = new Map(read.slice(from, from + pagesAtATime).map(({ number, url }) => [number, url]));
    for (const page of await selectStagedTexts(db, accountId, runId, [...urls.keys()])) {
      const url = urls.get(page.number)!;
      const before = byUrl.get(url);
      // What a person took out of use stays so.
      if (before?.state === 'draft') continue;
      documents.push({
        id: before?.id ?? url,
        version: (before?.version ?? 0) + 1,
        sourceId: run.sourceId,
        audience: before?.audience ?? 'public',
        language: before?.language ?? page.language ?? fallback,
        title: page.title,
        passages: searchedPassages(page.text),
      });
      const waiting = pause();
      if (waiting) await waiting;
    }
  }
  return { documents, gone: await selectGone(db, accountId, runId) };
}
