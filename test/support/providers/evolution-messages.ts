/** Messages as the gateway's webhooks have them. */
export interface MessageOptions {
  id?: string;
  /** The address of the customer: `<digits>@s.whatsapp.net`, `<digits>@lid` or `<digits>@g.us`. */
  from?: string;
  /** The other address of the same customer. */
  alt?: string;
  fromMe?: boolean;
  name?: string | null;
  /** In seconds. */
  at?: number;
  /** The id of the message that it answers. */
  quotes?: string;
  /** Who wrote it, in a group. */
  participant?: string;
}

export const customerAddress = '5511988887777@s.whatsapp.net';
let count = 0;
export const newMessageId = () => `3EB0${(++count).toString(16).toUpperCase().padStart(16, '0')}`;

/** The `data` of messages.upsert; `content` is the message by its kind. */
export function upsert(content: Record<string, unknown>, options: MessageOptions = {}) {
  const { alt, quotes, participant } = options;
  const kind = Object.keys(content).find((name) => name !== 'base64' && name !== 'messageContextInfo');
  return {
    key: {
      remoteJid: options.from ?? customerAddress,
      ...(alt && { remoteJidAlt: alt, addressingMode: 'lid' }),
      ...(participant && { participant }),
      fromMe: options.fromMe ?? false,
      id: options.id ?? newMessageId(),
    },
    pushName: options.fromMe ? 'Você' : options.name === undefined ? 'Ada' : options.name,
    status: 'DELIVERY_ACK',
    message: content,
    ...(quotes && { contextInfo: { stanzaId: quotes, quotedMessage: { conversation: 'before' } } }),
    messageType: kind,
    messageTimestamp: options.at ?? Math.floor(Date.now() / 1000),
    instanceId: '0f6c4d0e-0000-4000-8000-000000000001',
    source: 'android',
  };
}

export interface FileOptions {
  mimetype: string;
  caption?: string;
  fileName?: string;
  /** Without: the bytes are not in the webhook. */
  isInline?: boolean;
}

export type FileKind = 'imageMessage' | 'videoMessage' | 'audioMessage' | 'voice' | 'documentMessage';

/** The content of a file's message. */
export function fileContent(kind: FileKind, bytes: Buffer, options: FileOptions): Record<string, unknown> {
  const { mimetype, caption, fileName, isInline = true } = options;
  const content = {
    url: 'https://mmg.whatsapp.net/d/f/file.enc',
    mimetype,
    ...(caption && { caption }),
    ...(fileName && { fileName }),
    fileLength: { low: bytes.length, high: 0, unsigned: true },
    mediaKey: { 0: 1, 1: 2 },
    ...(kind === 'voice' && { ptt: true }),
  };
  const name = kind === 'voice' ? 'audioMessage' : kind;
  return { [name]: content, ...(isInline && { base64: bytes.toString('base64') }) };
}

export const reactionContent = (id: string, text: string, from = customerAddress) => ({
  reactionMessage: {
    key: { remoteJid: from, fromMe: true, id },
    text,
    senderTimestampMs: '1773027345000',
  },
});
