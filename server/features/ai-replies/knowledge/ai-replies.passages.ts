/**
 * Selects the part of an agent's own knowledge that is relevant to the conversation, in passages, because one entry may
 * be a whole manual.
 */
import type { StoredCitation } from '../../knowledge/knowledge.ts';
import type { AgentSettings, KnowledgeEntry } from '../ai-replies.conversation.ts';
import { estimateTokens } from '../ai-replies.window.ts';
import { searchKnowledge } from './ai-replies.knowledge.ts';

const passageLength = 1_500;

/** All of it if it fits; otherwise the passages that fit, best first, returned in stored order. */
export function relevantKnowledge(
  agent: Pick<AgentSettings, 'id' | 'knowledge'>,
  question: string,
  tokens: number,
): { passages: StoredCitation[]; cut: boolean } {
  const size = (title: string, text: string) => estimateTokens(`${title}\n${text}\n\n`);
  const passages = agent.knowledge.flatMap(passagesOf);
  const sizes = passages.map(({ title, excerpt }) => size(title, excerpt));
  if (sizes.reduce((sum, one) => sum + one, 0) <= tokens) return { passages, cut: false };
  const entries = passages.map(({ title, excerpt }) => ({ title, text: excerpt }));
  const hits = searchKnowledge(`${agent.id}/passages`, entries, question).map(({ index }) => index);
  // The rest in its order: the beginning of a knowledge base tends to be the general part.
  const order = new Set([...hits, ...passages.keys()]);
  const chosen: number[] = [];
  let remaining = tokens;
  for (const index of order) {
    const cost = sizes[index]!;
    if (cost > remaining) continue;
    chosen.push(index);
    remaining -= cost;
  }
  return { passages: chosen.sort((one, other) => one - other).map((index) => passages[index]!), cut: true };
}

/** A whole entry, or the part of it from `start` to `end`. */
export const citationOf = (
  { title, text }: KnowledgeEntry,
  start = 0,
  end = text.length,
): StoredCitation => ({
  documentId: null,
  version: null,
  title,
  url: null,
  heading: null,
  start,
  end,
  excerpt: text.slice(start, end),
});

/** Whole lines as long as they fit, longer ones cut at blanks. */
function passagesOf(entry: KnowledgeEntry): StoredCitation[] {
  if (entry.text.length <= passageLength) return [citationOf(entry)];
  const pieces = entry.text.match(/[^\n]{1,1500}(?=\s|$)|[^\n]{1500}|\n+/gu) ?? [];
  const passages: StoredCitation[] = [];
  let start = 0;
  let end = 0;
  const close = () => {
    const part = entry.text.slice(start, end);
    const from = start + part.length - part.trimStart().length;
    const to = start + part.trimEnd().length;
    if (from < to) passages.push(citationOf(entry, from, to));
    start = end;
  };
  for (const piece of pieces) {
    if (end > start && end - start + piece.length > passageLength) close();
    end += piece.length;
  }
  close();
  return passages;
}
