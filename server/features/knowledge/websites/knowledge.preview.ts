/** What the search would have if a run in review was published. */
import type { Reader } from '../../../platform/db/db.ts';
import { conflict } from '../../../platform/http/errors.ts';
import type { PassageDocument } from '../../../search-engine/passages/passage-index.ts';
import { findAccount } from '../../accounts/accounts.ts';
import { selectDocumentsOfSource } from '../documents/knowledge.documents.sql.ts';
import { searchedPassages } from '../documents/knowledge.documents.ts';
import type { AsIf } from '../search/knowledge.search.ts';
import { findSource } from '../sources/knowledge.sources.sql.ts';
import { selectGone, selectReadPages } from './knowledge.runs.sql.ts';
import { requireRun } from './knowledge.runs.ts';
import { selectStaged, stagedTexts } from './knowledge.staged.ts';

export async function previewRun(db: Reader, accountId: string, runId: string): Promise<AsIf> {
  const run = await requireRun(db, accountId, runId);
  if (run.state !== 'review') throw conflict('only a run in review can be evaluated');
  const source = await findSource(db, accountId, run.sourceId);
  const stored = await selectDocumentsOfSource(db, accountId, run.sourceId);
  const byUrl = new Map(stored.map((document) => [document.url, document]));
  const fallback = source?.language ?? (await findAccount(db, accountId))!.language;
  const staged = await selectStaged(db, accountId, runId, await selectReadPages(db, accountId, runId));

  // All passages of a run may be hundreds of megabytes: the search takes them one by one.
  async function* documents(): AsyncGenerator<PassageDocument> {
    for await (const pages of stagedTexts(db, accountId, runId, staged)) {
      for (const page of pages) {
        const before = byUrl.get(page.url);
        // What a person took out of use stays so.
        if (before?.state === 'draft') continue;
        yield {
          id: before?.id ?? page.url,
          version: (before?.version ?? 0) + 1,
          sourceId: run.sourceId,
          audience: before?.audience ?? 'public',
          language: before?.language ?? page.language ?? fallback,
          title: page.title,
          passages: searchedPassages(page.text),
        };
      }
    }
  }
  return { documents: documents(), gone: await selectGone(db, accountId, runId) };
}
