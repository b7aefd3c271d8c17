// The best documents for a question, each by its best passage.

import type { Yielder } from '../query/yielder.ts';
import type { PassageIndex } from './passage-index.ts';
import { type FoundPassage, type PassageFilter, searchPassages } from './passage-query.ts';

const MAX_DOCUMENTS = 50;
/** One long document may have more good passages than there are documents to find: first as few, then as many. */
const PASSAGES_ASKED = [200, 1_600];

/** The best passage of each document, the best first. `isTyping`: the last word may be the beginning of one. */
export async function searchDocuments(
  index: PassageIndex,
  question: string,
  filter: PassageFilter,
  pause: Yielder,
  isTyping = false,
): Promise<FoundPassage[]> {
  const best = new Map<string, FoundPassage>();
  for (const asked of PASSAGES_ASKED) {
    const found = await searchPassages(index, question, filter, asked, pause, isTyping);
    for (const one of found) if (!best.has(one.documentId)) best.set(one.documentId, one);
    if (best.size >= MAX_DOCUMENTS || found.length < asked) break;
  }
  return [...best.values()].slice(0, MAX_DOCUMENTS);
}
