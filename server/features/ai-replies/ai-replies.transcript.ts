/** A conversation as one text, for tasks that are about it instead of continuing it. */
import type { Conversation, ConversationMessage } from './ai-replies.conversation.ts';
import { fitNewest } from './ai-replies.window.ts';

const writers: Readonly<Record<ConversationMessage['role'], string>> = {
  user: 'customer',
  assistant: 'assistant',
  operator: 'colleague',
  system: 'service',
};

/** The newest that fits. JSON keeps a text that looks like another line on its own. */
export function transcriptOf({ messages, notes }: Conversation, tokens: number): string {
  const lines = messages
    .filter(({ content }) => content.trim() !== '')
    .map(({ role, content }) => `${writers[role]}: ${JSON.stringify(content)}`);
  const noted = notes.map(
    ({ content, operatorName }) => `note of ${JSON.stringify(operatorName)}: ${JSON.stringify(content)}`,
  );
  return [...fitting(lines, tokens), ...fitting(noted, Math.ceil(tokens / 4))].join('\n');
}

function fitting(lines: string[], tokens: number): string[] {
  if (lines.length === 0) return [];
  const { kept, leftOut } = fitNewest(lines, tokens);
  return leftOut > 0 ? [`(${leftOut} earlier ones left out)`, ...kept] : kept;
}
