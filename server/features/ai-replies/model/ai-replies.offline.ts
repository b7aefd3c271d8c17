/**
 * The agent that needs no model, key or network. It quotes the knowledge entry or the passage that answers the
 * question, or says that it found none and offers a person; it never writes an answer of its own.
 */

import { detectLanguage, type Language } from '../../../platform/language.ts';
import type { StoredCitation } from '../../knowledge/knowledge.ts';
import type { Conversation, KnowledgeEntry, ReplyResult } from '../ai-replies.conversation.ts';
import {
  type BestPassage,
  bestEntry,
  bestPassage,
  withoutRank,
} from '../knowledge/ai-replies.best-passage.ts';
import {
  agrees,
  asksForPerson,
  edgesOf,
  isGreeting,
  isThanks,
  offersPerson,
  phrases,
  questionIn,
} from './ai-replies.offline.phrases.ts';

export function offlineReply(conversation: Conversation): ReplyResult {
  const { agent, messages, passages } = conversation;
  const text = edgesOf(messages.findLast(({ role }) => role === 'user')?.content ?? '');
  const say = phrases[customerLanguage(conversation)];
  const before = messages.slice(0, -1).findLast(({ role }) => role !== 'system');
  const accepts = before?.role === 'assistant' && offersPerson(before.content) && agrees(text);
  if (accepts || asksForPerson(text)) return reply(handoverText(conversation), true);
  if (isGreeting(text)) return reply(`${say.greeting} ${say.offer}`);
  if (isThanks(text)) return reply(say.welcome);
  const hasKnowledge = agent.knowledge.length + passages.length > 0;
  if (!hasKnowledge) return reply(`${say.noKnowledge} ${say.offer}`);
  const retrieved = passages.map(withoutRank);
  const answer = findAnswer(conversation, questionIn(text));
  if (!answer) return { ...reply(`${say.nothingFound} ${say.offer}`), retrieved };
  const { citation, coverage } = answer;
  // The agent may answer from an internal document, but customers are not told its name.
  const quoted = citation.isInternal
    ? citation.excerpt
    : `${say.found(citation.title)}\n\n${citation.excerpt}`;
  return {
    ...reply(coverage === 1 ? quoted : `${quoted}\n\n${say.offer}`),
    retrieved: citation.documentId === null ? [citation, ...retrieved] : retrieved,
    citations: [citation],
  };
}

/**
 * For a person who writes the reply: the text alone, of the agent's knowledge or of `entries`, whichever has more of the
 * question.
 */
export function quotedAnswer(
  conversation: Conversation,
  entries: KnowledgeEntry[],
): { text: string; citations: StoredCitation[] } | null {
  const asked = conversation.messages.findLast(({ role }) => role === 'user')?.content ?? '';
  const question = questionIn(edgesOf(asked));
  const known = findAnswer(conversation, question);
  const other = bestEntry({ id: `${conversation.agent.id}/entries`, knowledge: entries }, question);
  if (other && other.coverage > (known?.coverage ?? 0))
    return { text: other.citation.excerpt, citations: [] };
  return known && { text: known.citation.excerpt, citations: [known.citation] };
}

/** Without a model: a limit allows no other reply. */
export const handoverReply = (conversation: Conversation): ReplyResult =>
  reply(handoverText(conversation), true);

/** The configured message, or a sentence in the customer's language. */
export function handoverText(conversation: Conversation): string {
  return conversation.agent.handoverMessage?.trim() || phrases[customerLanguage(conversation)].handover;
}

/** That of the newest message that shows one. */
function customerLanguage({ messages }: Conversation): Language {
  const written = messages.filter(({ role }) => role === 'user').map(({ content }) => content);
  return detectLanguage(written.slice(-10).reverse()) ?? 'en';
}

/** The agent's own knowledge and its sources; null if neither clearly answers. */
export function findAnswer(
  { agent, passages }: Pick<Conversation, 'agent' | 'passages'>,
  question: string,
): BestPassage | null {
  const own = bestEntry(agent, question);
  const found = bestPassage(passages, question);
  return found && found.coverage > (own?.coverage ?? 0) ? found : own;
}

function reply(text: string, handover = false): ReplyResult {
  const usage = { inputTokens: null, outputTokens: null };
  return { text, handover, usage, steps: 0, toolCalls: [], cost: null, retrieved: [], citations: [] };
}
