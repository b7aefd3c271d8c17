/** What other features may use of replies: the same prompt, knowledge, tools and checks for texts that a person sends. */
export { leaksOf } from './ai-replies.commit.ts';
export { type Conversation, ModelError } from './ai-replies.conversation.ts';
export { readCardTexts, readConversation } from './ai-replies.history.ts';
export { createReadTools, readingTools } from './ai-replies.read-tools.ts';
export { generateReply } from './model/ai-replies.model.ts';
export { quotedAnswer } from './model/ai-replies.offline.ts';
