/**
 * Loads the input of a reply from the database: the chat up to the answered message, and the notes. The customer's
 * name and id are omitted if they are the value of a hidden field.
 */
import type { MessageAttachment } from '../../../contract/messaging/messages.ts';
import { cancelledLine } from '../../../contract/messaging/scheduled.ts';
import type { Db, Reader } from '../../platform/db/db.ts';
import type { AgentDefinition } from '../channels/channels.ts';
import type { Definitions, DefinitionsCache } from '../kanbans/kanbans.ts';
import { isAudio, selectMessages, selectNotesForAi } from '../messages/messages.ts';
import { findSession } from '../sessions/sessions.ts';
import { type BuildContext, buildConversation, type ReplyInput } from './ai-replies.build.ts';
import type { Conversation, ConversationMessage } from './ai-replies.conversation.ts';
import { withoutReason } from './ai-replies.failure.ts';
import { type CardTexts, hasHiddenFields, textsOfCards, unlessHidden } from './ai-replies.fields.ts';
import { selectCards } from './ai-replies.sql.ts';

/** More than any model's window; the prompt is cut to the window later. The offline agent uses only a few. */
const historyMessages = { model: 1_000, offline: 50 };

interface HistoryPlace {
  accountId: string;
  sessionId: string;
  agent: AgentDefinition;
  /** Of the answered message; null: the newest. */
  position: number | null;
}

interface HistoryContext {
  db: Db;
  definitions: DefinitionsCache;
}

export async function readConversation(
  context: BuildContext & HistoryContext,
  place: HistoryPlace,
): Promise<Conversation> {
  return buildConversation(context, place.accountId, place.agent, await readReplyInput(context, place));
}

export async function readReplyInput(
  { db, definitions }: HistoryContext,
  { accountId, sessionId, agent, position }: HistoryPlace,
): Promise<ReplyInput> {
  const most = agent.provider === 'offline' ? historyMessages.offline : historyMessages.model;
  const current = await definitions.known(accountId);
  const [session, newestFirst, notes, cards] = await db.readPipelined((reader) =>
    Promise.all([
      findSession(reader, accountId, sessionId),
      selectMessages(reader, accountId, sessionId, 'desc', position === null ? null : position + 1, most),
      // A note may be newer than the answered message; the operator's current knowledge counts.
      selectNotesForAi(reader, accountId, sessionId, historyMessages.model),
      hasHiddenFields(current) ? selectCards(reader, accountId, sessionId) : [],
    ]),
  );
  const messages = newestFirst.reverse().filter((one) => !one.isNote && !one.held && !isCancelled(one));
  const texts = textsOfCards(current, cards);
  const said = messages.map(
    ({ id, role, isEcho, author, content, timestamp, attachments }): ConversationMessage => ({
      id,
      // A colleague wrote an echo on the connected phone. As the customer's text it would be answered and searched
      // for.
      role: isEcho ? 'operator' : role,
      content: withFiles(
        role === 'system' ? withoutReason(content) : content,
        attachments as MessageAttachment[],
      ),
      timestamp,
      ...(author && { isByRule: true }),
    }),
  );
  return {
    messages: said,
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

/** Of the cards of a conversation, for the check of what is hidden from agents. */
export async function readCardTexts(
  db: Reader,
  definitions: Definitions,
  accountId: string,
  sessionId: string,
): Promise<CardTexts> {
  return textsOfCards(
    definitions,
    hasHiddenFields(definitions) ? await selectCards(db, accountId, sessionId) : [],
  );
}

/** What was not sent after all is the team's own: a reply must not repeat it. */
const isCancelled = ({ role, content }: { role: string; content: string }) =>
  role === 'system' && content.startsWith(cancelledLine);

/** A transcript counts as text; a voice message without one is named as such. */
function withFiles(content: string, attachments: MessageAttachment[]): string {
  const files = attachments.map((file) => {
    if (!isAudio(file)) return `[file: ${file.fileName}]`;
    const { transcript } = file;
    return transcript && 'text' in transcript ? transcript.text : '[voice message without a transcript]';
  });
  return [content, ...files].filter((part) => part !== '').join('\n');
}
