/**
 * With `answerOnlyFromKnowledge` a reply that cites nothing is not sent: the customer reads that a person takes over. Three
 * kinds of replies need no citation. Each is told by a plain rule:
 *
 * - The customer has only greeted, thanked or apologized since the last reply, or said "ok" to one that asked nothing.
 * - Every sentence of the reply asks something, apart from greetings, thanks and apologies. Apologies alone are no reply.
 * - A tool of the account, or one that reads or writes the record, was used: the answer comes from there.
 */
import type { Conversation, ReplyResult } from '../ai-replies.conversation.ts';
import {
  isAcknowledgement,
  isApology,
  isGreeting,
  isThanks,
  isWelcome,
} from '../model/ai-replies.offline.phrases.ts';
import { handoverText } from '../model/ai-replies.offline.ts';

/** The others of the service; what the account's own tools return is an answer. */
const silentTools = new Set<string>(['transfer', 'hand_over']);

export function fromKnowledgeOnly(conversation: Conversation, reply: ReplyResult): ReplyResult {
  if (!conversation.agent.answerOnlyFromKnowledge || reply.citations.length > 0) return reply;
  if (reply.text.trim() === '' || needsNoKnowledge(conversation, reply)) return reply;
  return {
    ...reply,
    text: handoverText(conversation),
    handover: true,
    handoverReason: reply.handover ? 'requested' : 'no_knowledge',
  };
}

export function needsNoKnowledge({ messages }: Conversation, { text, toolCalls }: ReplyResult): boolean {
  if (toolCalls.some(({ name, error }) => error === null && !silentTools.has(name))) return true;
  const answeredAt = messages.findLastIndex(
    ({ role, isByRule }) => role === 'assistant' || (role === 'operator' && !isByRule),
  );
  const unanswered = messages.slice(answeredAt + 1).filter(({ role }) => role === 'user');
  const hasAsked = asks(messages[answeredAt]?.content ?? '');
  const isSmallTalk = ({ content }: { content: string }) =>
    isCourtesy(content) || (!hasAsked && isAcknowledgement(content));
  if (unanswered.length > 0 && unanswered.every(isSmallTalk)) return true;
  const sentences = sentencesOf(text);
  return sentences.every((one) => asks(one) || isCourtesy(one)) && sentences.some((one) => !isApology(one));
}

const asks = (text: string): boolean => /[?？؟][^\p{L}\p{N}]*$/u.test(text);

const isCourtesy = (text: string): boolean =>
  isGreeting(text) || isThanks(text) || isApology(text) || isWelcome(text);

function sentencesOf(text: string): string[] {
  return text
    .split(/(?<=[.!?？؟。！])\s+|\n+/)
    .map((sentence) =>
      sentence.replace(/(?<![\p{Emoji_Presentation}\s])[\p{Emoji_Presentation}\s]+$/u, '').trim(),
    )
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}
