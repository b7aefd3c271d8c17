/** What one message says: its text, its file, what it quotes. */
import type { InboundMedia } from '../connectors.provider.ts';
import { isObject, numberOf, objectOf, textOf, type Values } from '../connectors.values.ts';
import { lineOf } from './evolution.lines.ts';

export interface Content {
  text: string;
  media: InboundMedia | null;
  quoted: string | null;
  payload?: unknown;
}

/** Messages inside messages: disappearing ones, ones to be viewed once, documents with a caption. */
const wrappers = [
  'ephemeralMessage',
  'viewOnceMessage',
  'viewOnceMessageV2',
  'viewOnceMessageV2Extension',
  'documentWithCaptionMessage',
  'editedMessage',
];
const maxDepth = 5;

export function unwrap(message: Values): Values {
  let inner = message;
  for (let depth = 0; depth < maxDepth; depth += 1) {
    const outer = inner;
    const name = wrappers.find((one) => isObject(outer[one]));
    const next = name && objectOf(outer[name]).message;
    if (!isObject(next)) break;
    inner = next;
  }
  return inner;
}

const mediaKinds: Record<string, (content: Values) => InboundMedia['kind']> = {
  imageMessage: () => 'image',
  videoMessage: () => 'video',
  ptvMessage: () => 'video',
  audioMessage: (content) => (content.ptt === true ? 'voice' : 'audio'),
  documentMessage: () => 'document',
};

/** They go along with a message and say nothing by themselves. */
const silentKinds = [
  'messageContextInfo',
  'senderKeyDistributionMessage',
  'base64',
  'mediaUrl',
  'speechToText',
];
/** Bytes and keys, which are not read. */
const leftOut = ['contextInfo', 'jpegThumbnail', 'mediaKey', 'messageSecret', 'base64'];

/** Null: there is nothing to show. `id` is what a file without its bytes is asked for with. */
export function contentOf(data: Values, id: string): Content | null {
  const outer = objectOf(data.message);
  const message = unwrap(outer);
  const kind = kindOf(message, textOf(data.messageType));
  if (!kind) return null;
  const content = objectOf(message[kind]);
  const quoted =
    textOf(objectOf(content.contextInfo).stanzaId) ?? textOf(objectOf(data.contextInfo).stanzaId);
  const text = plainText(message, kind);
  if (text !== null) return text ? { text, media: null, quoted } : null;
  if (Object.hasOwn(mediaKinds, kind)) {
    const base64 = textOf(outer.base64) ?? textOf(message.base64) ?? textOf(data.base64);
    return { text: textOf(content.caption) ?? '', media: mediaOf(kind, content, base64, id), quoted };
  }
  return { text: lineOf(kind, content), media: null, quoted, payload: payloadOf(kind, content) };
}

/** `messageType` is a hint only: it may name a wrapper, or be absent. */
function kindOf(message: Values, hint: string | null): string | null {
  if (hint && Object.hasOwn(message, hint) && isSaid(hint, message[hint])) return hint;
  return Object.keys(message).find((key) => isSaid(key, message[key])) ?? null;
}

const isSaid = (kind: string, value: unknown) =>
  !silentKinds.includes(kind) && (isObject(value) || (kind === 'conversation' && textOf(value) !== null));

function plainText(message: Values, kind: string): string | null {
  if (kind === 'conversation') return textOf(message.conversation);
  return kind === 'extendedTextMessage' ? (textOf(objectOf(message[kind]).text) ?? '') : null;
}

/** The text or the caption that an edit leaves. */
export function editedText(message: Values): string | null {
  const inner = unwrap(message);
  const kind = kindOf(inner, null);
  return kind && (plainText(inner, kind) ?? textOf(objectOf(inner[kind]).caption));
}

function mediaOf(kind: string, content: Values, base64: string | null, id: string): InboundMedia {
  const mimeType = textOf(content.mimetype)?.split(';')[0]?.trim().toLowerCase() ?? null;
  return {
    ref: base64 === null ? id : null,
    ...(base64 !== null && { base64: base64.replace(/^data:[^,]{0,200},/, '') }),
    kind: mediaKinds[kind]!(content),
    mimeType,
    fileName: textOf(content.fileName) ?? (kind === 'documentMessage' ? textOf(content.title) : null),
    bytes: numberOf(content.fileLength),
  };
}

function payloadOf(kind: string, content: Values): unknown {
  const shown = Object.entries(content).filter(([name]) => !leftOut.includes(name));
  return { [kind]: Object.fromEntries(shown) };
}
