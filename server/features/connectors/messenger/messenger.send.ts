/** Sends messages, reactions and what else a customer sees of a page. */
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
import { textOf, type Values } from '../connectors.values.ts';
import { fileRejectionOf } from '../meta/meta.errors.ts';
import { callGraph } from '../meta/meta.graph.ts';
import { errors } from './messenger.errors.ts';
import { postbackPrefix } from './messenger.translate.ts';

const fileTimeoutMs = 60_000;

export const isInstagram = ({ settings }: Pick<Link, 'settings'>) => settings.platform === 'instagram';

export const pagePath = ({ settings }: Link) => `/${encodeURIComponent(String(settings.pageId))}`;

export async function sendPart(link: Link, part: OutboundPart): Promise<SentPart> {
  const { file } = part;
  const path = `${pagePath(link)}/messages`;
  const envelope = {
    recipient: { id: part.to.customerId },
    ...messagingType(part),
    ...(part.quoted !== null &&
      !part.quoted.startsWith(postbackPrefix) && { reply_to: { mid: part.quoted } }),
  };
  const message = {
    ...(file ? { attachment: attachmentOf(file) } : { text: part.text }),
    // Comes back in the echo. Instagram documents none.
    ...(!isInstagram(link) && { metadata: part.id }),
  };
  const isUpload = file !== null && file.url === null;
  const body = { ...envelope, message };
  const answer = await callGraph(
    link,
    {
      method: 'POST',
      path,
      ...(isUpload
        ? { multipart: { fields: fieldsOf(body), file: uploadOf(file) }, timeoutMs: fileTimeoutMs }
        : { json: body }),
    },
    errors,
  );
  const providerMsgId = textOf(answer.message_id);
  // It was accepted: sending it again could show it to the customer twice.
  if (providerMsgId === null) throw new ProviderError('lost', 'Meta did not return the id of the message.');
  return { providerMsgId, status: 'sent' };
}

/** After 24 hours only what a person wrote may be sent, for up to seven days. */
const messagingType = ({ isByPerson, isAfterWindow }: OutboundPart) =>
  isByPerson && isAfterWindow
    ? { messaging_type: 'MESSAGE_TAG', tag: 'HUMAN_AGENT' }
    : { messaging_type: 'RESPONSE' };

const attachmentTypes = {
  image: 'image',
  video: 'video',
  audio: 'audio',
  voice: 'audio',
  document: 'file',
} as const;

const attachmentOf = ({ kind, url }: OutboundFile) => ({
  type: attachmentTypes[kind],
  payload: url === null ? {} : { url },
});

/** In a form, objects are JSON. */
const fieldsOf = (body: Values): Record<string, string> =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );

const uploadOf = ({ name, mimeType, bytes }: OutboundFile) => ({
  field: 'filedata',
  name,
  type: mimeType,
  bytes,
});

async function act(link: Link, to: Address, action: Values): Promise<void> {
  const json = { recipient: { id: to.customerId }, ...action };
  await callGraph(link, { method: 'POST', path: `${pagePath(link)}/messages`, json }, errors);
}

export const showTyping = (link: Link, to: Address) => act(link, to, { sender_action: 'typing_on' });

export const markSeen = (link: Link, to: Address) => act(link, to, { sender_action: 'mark_seen' });

const hearts = ['❤', '❤️'];

/** Instagram takes its heart by name. */
export async function setReaction(
  link: Link,
  to: Address,
  message_id: string,
  emoji: string | null,
): Promise<void> {
  if (message_id.startsWith(postbackPrefix)) {
    throw new ProviderError('final', 'A button that was pressed cannot have a reaction.');
  }
  const reaction = emoji !== null && isInstagram(link) && hearts.includes(emoji) ? 'love' : emoji;
  await act(
    link,
    to,
    reaction === null
      ? { sender_action: 'unreact', payload: { message_id } }
      : { sender_action: 'react', payload: { message_id, reaction } },
  );
}

/** The address itself is the permission: the token stays here. */
export async function fetchFile(link: Link, media: InboundMedia, maxBytes: number): Promise<FetchedMedia> {
  if (media.ref === null || !URL.canParse(media.ref)) {
    throw new ProviderError('gone', 'Meta no longer has the file.');
  }
  const answer = await link.call({ method: 'GET', url: media.ref, maxBytes, timeoutMs: fileTimeoutMs });
  if (answer.status !== 200) throw fileRejectionOf(answer, errors);
  const mimeType = answer.headers['content-type'] ?? media.mimeType;
  return { bytes: answer.bytes, mimeType, fileName: media.fileName };
}
