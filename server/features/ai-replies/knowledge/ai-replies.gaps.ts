/** Which questions of customers an agent did not answer. */

import { detectLanguage, meaningfulWords } from '../../../platform/language.ts';
import type { Unanswered } from '../../knowledge/knowledge.ts';
import type { Conversation, ReplyResult } from '../ai-replies.conversation.ts';
import { asksForPerson, isAcknowledgement, questionIn } from '../model/ai-replies.offline.phrases.ts';
import { needsNoKnowledge } from './ai-replies.only-knowledge.ts';
import type { RetrievingAgent } from './ai-replies.retrieval.ts';

/** Who asks for a person has often asked something just before. */
const messagesLookedAt = 3;

export type UnansweredQuestion = Pick<Unanswered, 'messageId' | 'question'>;

/**
 * The agent asked for a person, or it has sources and its reply cites nothing, although it is no courtesy, no question back
 * and no answer from a record. Null: it answered, or nothing was asked.
 */
export function unansweredQuestion(
  { knowledgeSourceIds }: RetrievingAgent,
  conversation: Conversation,
  reply: ReplyResult,
): UnansweredQuestion | null {
  const { messages } = conversation;
  const isUnanswered =
    reply.handover ||
    (knowledgeSourceIds.length > 0 && reply.citations.length === 0 && !needsNoKnowledge(conversation, reply));
  if (!isUnanswered) return null;
  const asked = messages.filter(({ role }) => role === 'user').slice(-messagesLookedAt);
  const question = asked.findLast(
    ({ content }) =>
      !asksForPerson(content) && !isAcknowledgement(content) && meaningfulWords(content).length > 0,
  );
  return question ? { messageId: question.id, question: questionIn(question.content) } : null;
}

/** By which questions are compared. */
export const questionWords = (question: string): { words: string[]; language: string } => ({
  words: meaningfulWords(question),
  language: detectLanguage([question]) ?? 'en',
});
