/**
 * Selects the part of a large knowledge base that is relevant to the conversation, in passages, because one entry may
 * be a whole manual.
 */
import type { AgentSettings, KnowledgeEntry } from '../ai-replies.conversation.ts';
import { estimateTokens } from '../ai-replies.window.ts';
import { searchKnowledge } from './ai-replies.knowledge.ts';

const passageLength = 1_500;

interface Passage extends KnowledgeEntry {
  /** Position of its entry. */
  entry: number;
}

/** All entries if they fit; otherwise the passages that fit, best first, returned in stored order. */
export function relevantKnowledge(
  agent: Pick<AgentSettings, 'id' | 'knowledge'>,
  question: string,
  tokens: number,
): { entries: KnowledgeEntry[]; cut: boolean } {
  const size = ({ title, text }: KnowledgeEntry) => estimateTokens(`${title}\n${text}\n\n`);
  const whole = agent.knowledge.reduce((sum, entry) => sum + size(entry), 0);
  if (whole <= tokens) return { entries: agent.knowledge, cut: false };
  const passages = agent.knowledge.flatMap(({ title, text }, entry) =>
    passagesOf(text).map((passage): Passage => ({ entry, title, text: passage })),
  );
  const hits = searchKnowledge(`${agent.id}/passages`, passages, question).map(({ index }) => index);
  // The rest in its order: the beginning of a knowledge base tends to be the general part.
  const order = new Set([...hits, ...passages.keys()]);
  const chosen: number[] = [];
  let remaining = tokens;
  for (const index of order) {
    const cost = size(passages[index]!);
    if (cost > remaining) continue;
    chosen.push(index);
    remaining -= cost;
  }
  const entries = chosen
    .sort((one, other) => one - other)
    .reduce<(KnowledgeEntry & { last: number })[]>((told, index) => {
      const { entry, title, text } = passages[index]!;
      const before = told.at(-1);
      if (!before || passages[before.last]!.entry !== entry) told.push({ title, text, last: index });
      else {
        before.text += before.last === index - 1 ? `\n${text}` : `\n[…]\n${text}`;
        before.last = index;
      }
      return told;
    }, []);
  return { entries: entries.map(({ title, text }) => ({ title, text })), cut: true };
}

/** Whole lines as long as they fit, longer ones cut at blanks. */
function passagesOf(text: string): string[] {
  const pieces = text.match(/[^\n]{1,1500}(?=\s|$)|[^\n]{1500}|\n+/gu) ?? [];
  const passages: string[] = [];
  let passage = '';
  for (const piece of pieces) {
    if (passage !== '' && passage.length + piece.length > passageLength) {
      passages.push(passage);
      passage = '';
    }
    passage += piece;
  }
  return [...passages, passage].map((one) => one.trim()).filter((one) => one !== '');
}
