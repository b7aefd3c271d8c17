/**
 * Puts into use what a run has prepared, in one short transaction (D-660). Agents see all of it at once, or nothing. A job
 * removes what was in use before.
 */
import type { Tx } from '../../../platform/db/db.ts';
import { checkQuota } from '../documents/knowledge.documents.ts';
import { wakeEmbedding } from '../embeddings/knowledge.embeddings.ts';
import { countKnowledge, type KnowledgeState } from '../knowledge.state.sql.ts';
import type { Website } from '../sources/knowledge.sources.sql.ts';
import { type PreparedRun, PreparedTooEarly } from './knowledge.prepare.ts';
import { showDocuments, switchDocuments, takeOutOfUse } from './knowledge.prepared.sql.ts';
import type { RunAtWork } from './knowledge.runs.sql.ts';
import { endRun } from './knowledge.runs.ts';

/** The caller has locked the account's knowledge and the run. */
export async function publishRun(
  tx: Tx,
  accountId: string,
  state: KnowledgeState,
  { id: runId, startedBy: by }: Pick<RunAtWork, 'id' | 'startedBy'>,
  website: Website,
  { language, added, changed, gone, bytes }: PreparedRun,
  now: number,
): Promise<void> {
  checkQuota(state, added.length, bytes);
  const { change } = state;
  const shown = await showDocuments(tx, accountId, added, { runId, sourceId: website.id, change, now });
  const switched = await switchDocuments(tx, accountId, changed, { by, change, now });
  if (shown < added.length || switched < changed.length || language !== website.language) {
    throw new PreparedTooEarly();
  }
  await takeOutOfUse(tx, accountId, gone, { by, change, now });
  await wakeEmbedding(tx, accountId);
  await countKnowledge(tx, accountId, { documents: added.length, bytes, isRemoval: false });
  await endRun(tx, accountId, runId, 'published', null, now);
}
