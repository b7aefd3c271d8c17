/** What other features may use of replies: the same prompt, knowledge, tools and checks for texts that are not sent at once. */
export { leaksOf } from './ai-replies.commit.ts';
export { type Conversation, ModelError } from './ai-replies.conversation.ts';
export { readCardTexts, readConversation } from './ai-replies.history.ts';
export { detectLanguage } from './ai-replies.language.ts';
export { createReadTools, readingTools } from './ai-replies.read-tools.ts';
export { askAgentForText, makeTrialReply, type TrialContext, type TrialInput } from './ai-replies.trial.ts';
export { generateReply } from './model/ai-replies.model.ts';
export { quotedAnswer } from './model/ai-replies.offline.ts';
