/** What is sent for a message, one call each: its text in parts, or as the caption of its first file, and its files. */
import type { MessageAttachment } from '../../../../contract/messaging/messages.ts';
import { isAudio, type StoredMessage } from '../../messages/messages.ts';
import type { OutboundPart, ProviderLimits } from '../connectors.provider.ts';
import type { PlannedPart } from './connectors.outbound.sql.ts';
import { formatText } from './format/connectors.split.ts';

export function planParts(
  message: Pick<StoredMessage, 'content' | 'attachments' | 'data'>,
  limits: ProviderLimits,
): PlannedPart[] {
  if (templateOf(message)) return [newPart(message.content, null)];
  const files = message.attachments as MessageAttachment[];
  if (limits.inOneCall) {
    return message.content.trim() === '' && files.length === 0 ? [] : [newPart(message.content, null)];
  }
  const caption = captionOf(message.content, files, limits);
  const texts =
    caption === null ? formatText(message.content, limits.format, limits.text, limits.countsBytes) : [];
  return [
    ...texts.map((text) => newPart(text, null)),
    ...files.map((_, index) => newPart(index === 0 ? (caption ?? '') : '', index)),
  ];
}

/** Of a message that an operator sent as one. */
export function templateOf({ data }: Pick<StoredMessage, 'data'>): OutboundPart['template'] {
  return (data?.template ?? undefined) as OutboundPart['template'];
}

/** Null: the text is sent before the files, or there is none. A voice message has no caption. */
function captionOf(
  content: string,
  [first]: readonly MessageAttachment[],
  { caption, format, hasVoice }: ProviderLimits,
): string | null {
  if (!first || caption === 0 || (hasVoice && isAudio(first))) return null;
  const texts = formatText(content, format, caption);
  return texts.length === 1 ? texts[0]! : null;
}

function newPart(text: string, file: number | null): PlannedPart {
  return { text, file, state: 'waiting', startedAt: null, providerMsgId: null };
}

/** Of a part, in callback data. */
export const partIdOf = (outboundId: string, index: number) => `${outboundId}.${index}`;

export function readPartId(id: string): { outboundId: string; index: number } | null {
  const found = /^([0-9a-f-]{36})\.(\d{1,4})$/.exec(id);
  return found && { outboundId: found[1]!, index: Number(found[2]) };
}
