/** Sends messages and reactions, and fetches files. */
import {
  type Address,
  type FetchedMedia,
  type InboundMedia,
  type Link,
  type OutboundFile,
  type OutboundPart,
  ProviderError,
  type SentPart,
} from '../connectors.provider.ts';
import { objectOf, textOf } from '../connectors.values.ts';
import { callGateway, callInstance, errorOf, fileTimeoutMs, instanceOf } from './evolution.calls.ts';
import { addressFor, numberFor } from './evolution.customer.ts';

export async function sendPart(link: Link, part: OutboundPart): Promise<SentPart> {
  const quoted = part.quoted === null ? {} : { quoted: { key: { id: part.quoted } } };
  const common = { number: numberFor(part.to), ...quoted };
  const answer = await callInstance(link, {
    method: 'POST',
    ...(part.file
      ? {
          ...fileCall(part.file, part.text, common),
          timeoutMs: fileTimeoutMs,
          // Some versions repeat the file in the answer.
          maxBytes: encodedLength(part.file.bytes.length),
        }
      : { path: '/message/sendText', json: { ...common, text: part.text } }),
  });
  const id = textOf(objectOf(objectOf(answer.json).key).id);
  // It was accepted: sending it again could show it to the customer twice.
  if (!id) throw new ProviderError('lost', 'The gateway did not return the id of the message.');
  return { providerMsgId: id, status: 'sent' };
}

function fileCall(file: OutboundFile, caption: string, common: object): { path: string; json: object } {
  const bytes = file.bytes.length > 0 || file.url === null ? file.bytes.toString('base64') : file.url;
  if (file.kind === 'voice') {
    return { path: '/message/sendWhatsAppAudio', json: { ...common, audio: bytes } };
  }
  return {
    path: '/message/sendMedia',
    json: {
      ...common,
      mediatype: file.kind,
      mimetype: file.mimeType,
      media: bytes,
      fileName: file.name,
      ...(caption && { caption }),
    },
  };
}

export async function sendReaction(
  link: Link,
  to: Address,
  providerMsgId: string,
  isOurs: boolean,
  emoji: string | null,
): Promise<void> {
  const key = { id: providerMsgId, remoteJid: addressFor(to), fromMe: isOurs };
  const json = { key, reaction: emoji ?? '' };
  await callInstance(link, { method: 'POST', path: '/message/sendReaction', json });
}

/** The gateway shows it for this time, and answers afterwards. */
const typingMs = 3_000;

export async function sendTyping(link: Link, to: Address): Promise<void> {
  const json = { number: numberFor(to), presence: 'composing', delay: typingMs };
  await callInstance(link, { method: 'POST', path: '/chat/sendPresence', json });
}

export async function markRead(link: Link, to: Address, providerMsgId: string): Promise<void> {
  const json = { readMessages: [{ id: providerMsgId, remoteJid: addressFor(to), fromMe: false }] };
  await callInstance(link, { method: 'POST', path: '/chat/markMessageAsRead', json });
}

const noFile = () => new ProviderError('gone', 'The gateway no longer has this file.');

/** With the rest of the answer. */
const encodedLength = (bytes: number) => Math.ceil(bytes / 3) * 4 + 256 * 1024;

/** Only for files whose bytes were not in the webhook. */
export async function fetchFile(link: Link, media: InboundMedia, maxBytes: number): Promise<FetchedMedia> {
  const { base64, mimeType, fileName } =
    media.base64 === undefined ? await askForFile(link, media.ref ?? '', maxBytes) : ofMessage(media);
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length === 0) throw noFile();
  if (bytes.length > maxBytes) throw new ProviderError('final', 'it is too large');
  return { bytes, mimeType: mimeType ?? media.mimeType, fileName: fileName ?? media.fileName };
}

interface EncodedFile {
  base64: string;
  mimeType: string | null;
  fileName: string | null;
}

const ofMessage = (media: InboundMedia): EncodedFile => ({
  base64: media.base64 ?? '',
  mimeType: media.mimeType,
  fileName: media.fileName,
});

/** The gateway rejects ids of messages that it has forgotten. */
const goneStatuses = [400, 404, 410];

async function askForFile(link: Link, id: string, maxBytes: number): Promise<EncodedFile> {
  const answer = await callGateway(link, {
    method: 'POST',
    path: `/chat/getBase64FromMediaMessage/${encodeURIComponent(instanceOf(link))}`,
    json: { message: { key: { id } } },
    timeoutMs: fileTimeoutMs,
    maxBytes: encodedLength(maxBytes),
  });
  if (goneStatuses.includes(answer.status)) throw noFile();
  if (answer.status >= 300) throw errorOf(link, answer);
  const body = objectOf(answer.json);
  const base64 = textOf(body.base64)?.replace(/^data:[^,]{0,200},/, '') ?? '';
  const mimeType = textOf(body.mimetype)?.split(';')[0]?.trim().toLowerCase() ?? null;
  return { base64, mimeType, fileName: textOf(body.fileName) };
}
