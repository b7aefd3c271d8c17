/** Marks gaps whose answer is in the knowledge by now, by the rule of the agent without a model. */
import { setTimeout as after } from 'node:timers/promises';
import type { KnowledgeGap } from '../../../../contract/knowledge-gaps.ts';
import type { Reader } from '../../../platform/db/db.ts';
import { detectLanguage, meaningfulWords } from '../../../platform/language.ts';
import { type KnowledgeSearch, selectChangedAt } from '../../knowledge/knowledge.ts';
import { bestPassage } from './ai-replies.best-passage.ts';

const passagesAsked = 8;
/** A list does not wait for an index that is being read. */
const patienceMs = 1_000;

interface Deps {
  db: Reader;
  knowledgeSearch: KnowledgeSearch;
}

export async function markAnswered(
  deps: Deps,
  accountId: string,
  gaps: readonly KnowledgeGap[],
): Promise<KnowledgeGap[]> {
  const stop = new AbortController();
  const late = after(patienceMs, null, { signal: stop.signal }).catch(() => null);
  const answers = await Promise.race([answersOf(deps, accountId, gaps), late]);
  stop.abort();
  return gaps.map((gap) => ({ ...gap, answeredBy: answers?.get(gap.id) ?? null }));
}

async function answersOf(
  { db, knowledgeSearch }: Deps,
  accountId: string,
  gaps: readonly KnowledgeGap[],
): Promise<Map<string, { documentId: string; title: string }>> {
  const answers = new Map<string, { documentId: string; title: string }>();
  for (const { id, question, state } of gaps) {
    const q = meaningfulWords(question).join(' ');
    if (state !== 'open' || q === '') continue;
    const language = detectLanguage([question]);
    const wanted = { q, mayUseInternal: false, language, limit: passagesAsked, byWords: true };
    const found = bestPassage(await knowledgeSearch.retrieve(accountId, wanted), question);
    const { documentId, title } = found?.citation ?? {};
    if (documentId && title !== undefined) answers.set(id, { documentId, title });
  }
  const documentIds = [...answers.values()].map(({ documentId }) => documentId);
  const changedAt = await selectChangedAt(db, accountId, documentIds);
  for (const { id, lastAt } of gaps) {
    const answer = answers.get(id);
    // The agent has read what was there when it was asked, and it was not enough.
    if (answer && (changedAt.get(answer.documentId) ?? 0) <= lastAt) answers.delete(id);
  }
  return answers;
}
