/** Which one text answers a question by itself, for the agent without a model. None if that is not clear. */

import { meaningfulWords } from '../../../platform/language.ts';
import type { RetrievedPassage, StoredCitation } from '../../knowledge/knowledge.ts';
import type { AgentSettings } from '../ai-replies.conversation.ts';
import { searchKnowledge } from './ai-replies.knowledge.ts';
import { citationOf } from './ai-replies.passages.ts';

export interface BestPassage {
  citation: StoredCitation;
  /** The share of the question's terms that it has. */
  coverage: number;
}

/** With less, the text is about something else that shares a word with the question. */
const coverageNeeded = 0.5;
/**
 * Below this the second entry may as well be the right one. Over the twenty entries and 33 questions of the test,
 * right answers lead by at least 1.36 and wrong ones by at most 1.21.
 */
const leadNeeded = 1.3;
/** Among passages, over the same texts as articles: right ones from 1.2 on, wrong ones up to 1.05. */
const passageLeadNeeded = 1.15;

interface Candidate {
  score: number;
  terms: ReadonlySet<string>;
  coverage: number;
}

/** Of the agent's own knowledge. */
export function bestEntry(
  { id, knowledge }: Pick<AgentSettings, 'id' | 'knowledge'>,
  question: string,
): BestPassage | null {
  const [best, ...found] = searchKnowledge(id, knowledge, question);
  if (!best) return null;
  const entry = knowledge[best.index]!;
  // The same text stored twice is no contradiction.
  const others = found.filter(({ index }) => knowledge[index]!.text !== entry.text);
  return isClear(best, others, others, leadNeeded)
    ? { citation: citationOf(entry), coverage: best.coverage }
    : null;
}

/** Of the passages that were found in the agent's sources. */
export function bestPassage(passages: readonly RetrievedPassage[], question: string): BestPassage | null {
  const asked = new Set(meaningfulWords(question));
  const candidates = passages.map((passage) => {
    const terms = new Set(passage.matched.filter((word) => asked.has(word)));
    return { passage, score: passage.score, terms, coverage: terms.size / asked.size };
  });
  const [best, ...found] = candidates;
  if (!best || asked.size === 0) return null;
  const others = found.filter(({ passage }) => passage.excerpt !== best.passage.excerpt);
  // Other parts of the same document lead to it too: they matter only if a part of the question is open.
  const rivals = others.filter(
    ({ passage }) => best.coverage < 1 || passage.documentId !== best.passage.documentId,
  );
  return isClear(best, rivals, others, passageLeadNeeded)
    ? { citation: withoutRank(best.passage), coverage: best.coverage }
    : null;
}

function isClear(
  best: Candidate,
  rivals: readonly Candidate[],
  others: readonly Candidate[],
  lead: number,
): boolean {
  if (best.coverage < coverageNeeded) return false;
  if (rivals[0] && best.score < lead * rivals[0].score) return false;
  // "Do you ship to Spain?": one entry has ship, another Spain, and neither answers.
  return !others.some(
    ({ coverage, terms }) => coverage >= best.coverage && [...terms].some((term) => !best.terms.has(term)),
  );
}

/** As stored: without what only ranks it. */
export function withoutRank({
  audience,
  language: _language,
  score: _score,
  matched: _matched,
  ...citation
}: RetrievedPassage): StoredCitation {
  return audience === 'internal' ? { ...citation, isInternal: true } : citation;
}
