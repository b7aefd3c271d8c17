/**
 * What a reply is made from, as the database has it: the chat up to the message that is answered, and the notes. The
 * customer's name and id are left out when they are the value of a field that agents must not see.
 */
import type { MessageAttachment } from '../../../contract/messages.ts';
import type { Db } from '../../platform/db/db.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { type AgentDefinition, openKey } from '../channels/channels.ts';
import type { DefinitionsCache } from '../kanbans/kanbans.ts';
import { isAudio, selectMessages, selectNotesForAi } from '../messages/messages.ts';
import { findSession } from '../sessions/sessions.ts';
import { type Conversation, ModelError } from './ai-replies.conversation.ts';
import { withoutReason } from './ai-replies.failure.ts';
import { hasHiddenFields, textsOfCards, unlessHidden } from './ai-replies.fields.ts';
import { selectCards } from './ai-replies.sql.ts';

/** More than any model's window holds; the prompt is cut to the window from there. The offline agent looks at a few. */
const historyMessages = { model: 1_000, offline: 50 };

interface HistoryPlace {
  accountId: string;
  sessionId: string;
  agent: AgentDefinition;
  /** Of the message that is answered. */
  position: number;
}

export async function readConversation(
  { db, secrets, definitions }: { db: Db; secrets: Secrets; definitions: DefinitionsCache },
  { accountId, sessionId, agent, position }: HistoryPlace,
): Promise<Conversation> {
  const most = agent.provider === 'offline' ? historyMessages.offline : historyMessages.model;
  const current = await definitions.known(accountId);
  const [session, newestFirst, notes, cards] = await db.readPipelined((reader) =>
    Promise.all([
      findSession(reader, accountId, sessionId),
      selectMessages(reader, accountId, sessionId, 'desc', position + 1, most),
      // A note may be written after the message that is answered; what the operator knows by now counts.
      selectNotesForAi(reader, accountId, sessionId, historyMessages.model),
      hasHiddenFields(current) ? selectCards(reader, accountId, sessionId) : [],
    ]),
  );
  const messages = newestFirst.reverse().filter((message) => !message.isNote && !message.held);
  const texts = textsOfCards(current, cards);
  return {
    agent: { ...agent, apiKey: readKey(secrets, agent) },
    messages: messages.map(({ id, role, isEcho, content, timestamp, attachments }) => ({
      id,
      // A colleague wrote an echo on the connected phone. As the customer's words it would be answered and searched for.
      role: isEcho ? 'operator' : role,
      content: withFiles(
        role === 'system' ? withoutReason(content) : content,
        attachments as MessageAttachment[],
      ),
      timestamp,
    })),
    // A note may consist of files alone.
    notes: notes
      .filter(({ content }) => content.trim() !== '')
      .map(({ content, operator }) => ({ content, operatorName: operator?.name ?? '' })),
    customer: {
      externalUserId: unlessHidden(session?.externalUserId ?? null, texts),
      sessionName: unlessHidden(session?.sessionName ?? null, texts),
    },
  };
}

/** A key that was sealed under another SECRET_KEY is a matter of settings: no other try would open it. */
export function readKey(secrets: Secrets, agent: AgentDefinition): string | null {
  try {
    return openKey(secrets, agent);
  } catch {
    throw new ModelError("the agent's key cannot be read: set it again", { retryable: false });
  }
}

/** What was spoken counts as what was written; a voice message that nobody could transcribe is named as one. */
function withFiles(content: string, attachments: MessageAttachment[]): string {
  const files = attachments.map((file) => {
    if (!isAudio(file)) return `[file: ${file.fileName}]`;
    const { transcript } = file;
    return transcript && 'text' in transcript ? transcript.text : '[voice message without a transcript]';
  });
  return [content, ...files].filter((part) => part !== '').join('\n');
}
