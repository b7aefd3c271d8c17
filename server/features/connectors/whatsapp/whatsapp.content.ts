/** What one message says: its text, its file, what it quotes. */
import type { InboundMedia } from '../connectors.provider.ts';
import { isObject, objectOf, textOf, type Values } from '../connectors.values.ts';
import { lineOf } from './whatsapp.lines.ts';

export interface Content {
  text: string;
  media: InboundMedia[];
  quoted: string | null;
  payload?: unknown;
}

const mediaKinds = ['image', 'video', 'audio', 'document', 'sticker'] as const;
type MediaKind = (typeof mediaKinds)[number];
const isMedia = (type: string): type is MediaKind => (mediaKinds as readonly string[]).includes(type);

export function contentOf(message: Values): Content {
  const type = textOf(message.type) ?? 'unknown';
  const context = objectOf(message.context);
  const quoted = textOf(context.id) ?? textOf(context.message_id);
  const payload = payloadOf(type, message, context);
  return { ...saidBy(type, message), quoted, ...(payload && { payload }) };
}

/** The text or the caption that an edit leaves. */
export function editedText(message: Values): string | null {
  const type = textOf(message.type) ?? 'text';
  if (type === 'text') return textOf(objectOf(message.text).body);
  return isMedia(type) ? (textOf(objectOf(message[type]).caption) ?? '') : null;
}

function saidBy(type: string, message: Values): Pick<Content, 'text' | 'media'> {
  if (type === 'text') {
    return { text: textOf(objectOf(message.text).body) ?? 'Empty message', media: [] };
  }
  const content = objectOf(message[type]);
  const ref = isMedia(type) ? textOf(content.id) : null;
  if (!isMedia(type) || ref === null) return { text: lineOf(type, message), media: [] };
  const caption = textOf(content.caption) ?? '';
  return { text: type === 'sticker' ? lineOf(type, message) : caption, media: [mediaOf(type, content, ref)] };
}

function mediaOf(type: MediaKind, content: Values, ref: string): InboundMedia {
  return {
    ref,
    kind: type === 'audio' && content.voice === true ? 'voice' : type,
    mimeType: textOf(content.mime_type)?.split(';')[0]?.trim().toLowerCase() ?? null,
    fileName: textOf(content.filename),
    bytes: null,
  };
}

/** What the text does not say: the original of other types, and the advertisement or product that it is about. */
function payloadOf(type: string, message: Values, context: Values): Values | null {
  const payload: Values = {};
  const isPlain = type === 'text' || (isMedia(type) && type !== 'sticker');
  if (!isPlain && message[type] !== undefined) payload[type] = message[type];
  if (!isPlain && message.errors !== undefined) payload.errors = message.errors;
  if (isObject(message.referral)) payload.referral = message.referral;
  if (isObject(context.referred_product)) payload.referred_product = context.referred_product;
  return Object.keys(payload).length > 0 ? payload : null;
}
