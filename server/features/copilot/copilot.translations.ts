/** Messages in another language. A translation is kept until the message changes, so it costs once. */

import { limits } from '../../../contract/limits.ts';
import type { MessageAttachment } from '../../../contract/messaging/messages.ts';
import { badRequest, notFound } from '../../platform/http/errors.ts';
import { isId } from '../../platform/ids.ts';
import { readKey } from '../ai-replies/ai-replies.ts';
import { findMessage, isAudio, type StoredMessage } from '../messages/messages.ts';
import { translate } from './copilot.rewrite.ts';
import type { CopilotContext, CopilotPlace, CopilotRun, CopilotText } from './copilot.run.ts';
import { insertTranslation, selectTranslations } from './copilot.texts.sql.ts';

/** At the same time. */
const maxCalls = 4;

export interface Translating {
  language: string;
  messages: StoredMessage[];
  kept: Map<string, string>;
}

/** The messages, and those of their translations that are kept. */
export async function findTranslations(
  { db }: CopilotContext,
  { actor: { accountId }, session: { sessionId } }: CopilotPlace,
  messageIds: readonly string[],
  tag: string,
): Promise<Translating> {
  const language = tag.toLowerCase();
  if (!messageIds.every(isId)) throw notFound('message');
  const found = await db.readPipelined((reader) =>
    Promise.all(messageIds.map((id) => findMessage(reader, accountId, sessionId, id))),
  );
  const messages = found.map((message) => {
    if (!message) throw notFound('message');
    if (message.isNote && !message.isNoteVisibleToAi) {
      throw badRequest(`messageIds has a note that is not visible to the AI: ${message.id}`);
    }
    return message;
  });
  const rows = await selectTranslations(db, accountId, messageIds, language);
  const empty = messages.filter((one) => textOf(one) === '').map(({ id }) => [id, ''] as const);
  return {
    language,
    messages,
    kept: new Map([...rows.map(({ messageId, text }) => [messageId, text] as const), ...empty]),
  };
}

/** Null: some are not kept. */
export function keptTranslations({ messages, kept }: Translating): CopilotText | null {
  return messages.every(({ id }) => kept.has(id)) ? answerOf(messages, kept) : null;
}

/** Each is kept as soon as it is made: what is cut off costs nothing again. */
export async function translateMessages(
  context: CopilotContext,
  { actor: { accountId }, session: { sessionId }, agent }: CopilotPlace,
  { language, messages, kept }: Translating,
  { signal, onTranslated }: CopilotRun,
): Promise<CopilotText> {
  for (const [messageId, text] of kept) onTranslated(messageId, text);
  const settings = { ...agent, apiKey: readKey(context.secrets, agent) };
  const made = new Map(kept);
  const waiting = messages.filter(({ id }) => !kept.has(id));
  const work = async () => {
    for (let message = waiting.shift(); message; message = waiting.shift()) {
      const text = await translate(context, settings, { text: textOf(message), language }, { signal });
      await context.db.transaction((tx) =>
        insertTranslation(tx, accountId, {
          sessionId,
          messageId: message.id,
          updatedAt: message.updatedAt,
          language,
          text,
        }),
      );
      made.set(message.id, text);
      onTranslated(message.id, text);
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: maxCalls }, work));
  const failed = ended.find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
  return answerOf(messages, made);
}

function answerOf(messages: readonly StoredMessage[], texts: ReadonlyMap<string, string>): CopilotText {
  const translations = messages.map(({ id }) => ({ messageId: id, text: texts.get(id)! }));
  return {
    text: translations.map(({ text }) => text).join('\n\n'),
    citations: [],
    basedOnMessageId: null,
    translations,
  };
}

/** With what was said in voice messages. */
function textOf({ content, attachments }: StoredMessage): string {
  const spoken = (attachments as MessageAttachment[])
    .filter(isAudio)
    .map(({ transcript }) => (transcript && 'text' in transcript ? transcript.text : ''));
  return [content.trim(), ...spoken]
    .filter((part) => part !== '')
    .join('\n')
    .slice(0, limits.copilot.textLength)
    .toWellFormed();
}
