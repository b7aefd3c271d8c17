/** A summary without a model: the sentences of a conversation that have most to do with what the customer wrote. */

import { meaningfulWords } from '../../platform/language.ts';
import type { Conversation } from './ai-replies.conversation.ts';
import { edgesOf } from './model/ai-replies.offline.phrases.ts';

const maxSentences = 5;
const longest = 300;

/** In their order; none: nobody wrote a sentence. */
export function pickSentences({ messages }: Pick<Conversation, 'messages'>): string[] {
  const said = messages.filter(({ role }) => role !== 'system');
  const weights = new Map<string, number>();
  for (const { content } of said.filter(({ role }) => role === 'user')) {
    for (const word of new Set(meaningfulWords(edgesOf(content)))) {
      weights.set(word, (weights.get(word) ?? 0) + 1);
    }
  }
  const sentences = said.flatMap(({ content }) => sentencesOf(edgesOf(content)));
  const ranked = sentences
    .map((text, place) => ({ text, place, score: scoreOf(text, weights) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score || one.place - other.place);
  const chosen = new Map(ranked.map((one) => [one.text, one]));
  return [...chosen.values()]
    .slice(0, maxSentences)
    .sort((one, other) => one.place - other.place)
    .map(({ text }) => text);
}

/** Long sentences have more words, but not more to say. */
function scoreOf(text: string, weights: ReadonlyMap<string, number>): number {
  const words = new Set(meaningfulWords(text));
  const total = [...words].reduce((sum, word) => sum + (weights.get(word) ?? 0), 0);
  return total / Math.sqrt(words.size || 1);
}

const sentencesOf = (text: string): string[] =>
  text
    .split(/(?<=[.!?？。！])\s+|\n+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '')
    .map((sentence) =>
      sentence.length > longest ? `${sentence.slice(0, longest).toWellFormed()}…` : sentence,
    );
