/** What other features may use of replies: the same prompt, knowledge, tools and checks for texts that are not sent at once. */
export { describeRecord } from './ai-replies.actions.ts';
export { readKey } from './ai-replies.build.ts';
export { leaksOf } from './ai-replies.commit.ts';
export { type Conversation, ModelError } from './ai-replies.conversation.ts';
export type { CardTexts } from './ai-replies.fields.ts';
export { readCardTexts, readConversation, readReplyInput } from './ai-replies.history.ts';
export { createMask } from './ai-replies.mask.ts';
export { knowledgeText } from './ai-replies.prompt.ts';
export { createReadTools, readingTools } from './ai-replies.read-tools.ts';
export { pickSentences } from './ai-replies.sentences.ts';
export { transcriptOf } from './ai-replies.transcript.ts';
export { askAgentForText, makeTrialReply, type TrialContext, type TrialInput } from './ai-replies.trial.ts';
export { resolveCitations } from './knowledge/ai-replies.citations.ts';
export { findKnowledge } from './knowledge/ai-replies.question.ts';
export { generateReply, writeText } from './model/ai-replies.model.ts';
export { findAnswer, quotedAnswer } from './model/ai-replies.offline.ts';
