/** Sends messages, reactions and marks, and moves files. */
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
import { listOf, numberOf, objectOf, textOf, type Values } from '../connectors.values.ts';
import { fileRejectionOf } from '../meta/meta.errors.ts';
import { callGraph, fetchAddress } from '../meta/meta.graph.ts';
import { recipientOf } from './whatsapp.customer.ts';
import { mediaErrors, whatsappErrors } from './whatsapp.errors.ts';
import { componentsFor } from './whatsapp.templates.ts';

const numberPath = (link: Link) => `/${encodeURIComponent(String(link.settings.phoneNumberId))}`;

const post = (link: Link, json: object) =>
  callGraph(
    link,
    {
      method: 'POST',
      path: `${numberPath(link)}/messages`,
      json: { messaging_product: 'whatsapp', ...json },
    },
    whatsappErrors,
  );

export async function sendPart(link: Link, part: OutboundPart): Promise<SentPart> {
  const answer = await post(link, {
    recipient_type: 'individual',
    ...recipientOf(part.to),
    ...(await contentFor(link, part)),
    ...(part.quoted !== null && { context: { message_id: part.quoted } }),
    biz_opaque_callback_data: part.id,
  });
  const id = textOf(objectOf(listOf(answer.messages)[0]).id);
  // It was accepted: sending it again could show it to the customer twice.
  if (!id) throw new ProviderError('lost', 'WhatsApp did not return the id of the message.');
  return { providerMsgId: id, status: 'sent' };
}

async function contentFor(link: Link, { template, file, text }: OutboundPart): Promise<Values> {
  if (template) {
    const { name, language } = template;
    const components = componentsFor(template);
    return { type: 'template', template: { name, language: { code: language }, components } };
  }
  if (!file) return { type: 'text', text: { body: text, preview_url: true } };
  const type = typeFor(file);
  const id = await upload(link, file);
  return {
    type,
    [type]: {
      id,
      ...(file.kind === 'voice' && type === 'audio' && { voice: true }),
      ...(type === 'document' && { filename: file.name }),
      ...(text && type !== 'audio' && { caption: text }),
    },
  };
}

/** What WhatsApp shows as such; everything else goes as a document. */
const shown: Record<string, readonly string[]> = {
  image: ['image/jpeg', 'image/png'],
  video: ['video/mp4', 'video/3gpp'],
  audio: ['audio/aac', 'audio/mp4', 'audio/mpeg', 'audio/amr', 'audio/ogg'],
};

function typeFor({ kind, mimeType }: OutboundFile): string {
  const type = kind === 'voice' ? 'audio' : kind;
  return shown[type]?.includes(mimeType) ? type : 'document';
}

const fileTimeoutMs = 120_000;

/** A file that is uploaded twice is shown once: a lost answer is tried again. */
async function upload(link: Link, file: OutboundFile): Promise<string> {
  const isVoice = file.kind === 'voice' && file.mimeType === 'audio/ogg';
  const type = isVoice ? 'audio/ogg; codecs=opus' : file.mimeType;
  const { name, bytes } = file;
  try {
    const { id } = await callGraph(
      link,
      {
        method: 'POST',
        path: `${numberPath(link)}/media`,
        multipart: {
          fields: { messaging_product: 'whatsapp', type },
          file: { field: 'file', name, type, bytes },
        },
        timeoutMs: fileTimeoutMs,
      },
      whatsappErrors,
    );
    const uploaded = textOf(id) ?? numberOf(id);
    if (uploaded !== null) return String(uploaded);
  } catch (error) {
    if (!(error instanceof ProviderError) || error.errorClass !== 'lost') throw error;
  }
  throw new ProviderError('retry', 'WhatsApp did not confirm that it received the file.');
}

export async function sendReaction(
  link: Link,
  to: Address,
  providerMsgId: string,
  _isOurs: boolean,
  emoji: string | null,
): Promise<void> {
  await post(link, {
    recipient_type: 'individual',
    ...recipientOf(to),
    type: 'reaction',
    reaction: { message_id: providerMsgId, emoji: emoji ?? '' },
  });
}

/** Of the customer's latest message, which is marked as read with it. */
export async function sendTyping(link: Link, _to: Address, lastReceived?: string | null): Promise<void> {
  if (!lastReceived) return;
  await post(link, { status: 'read', message_id: lastReceived, typing_indicator: { type: 'text' } });
}

export async function markRead(link: Link, _to: Address, providerMsgId: string): Promise<void> {
  await post(link, { status: 'read', message_id: providerMsgId });
}

export async function fetchFile(link: Link, media: InboundMedia, maxBytes: number): Promise<FetchedMedia> {
  const path = `/${encodeURIComponent(media.ref ?? '')}`;
  const { url, mime_type, file_size } = await callGraph(link, { method: 'GET', path }, mediaErrors);
  const address = textOf(url);
  if (address === null || !URL.canParse(address)) {
    throw new ProviderError('gone', 'WhatsApp no longer has this file.');
  }
  if ((numberOf(file_size) ?? 0) > maxBytes) {
    throw new ProviderError('final', `it is larger than ${Math.floor(maxBytes / 1024 / 1024)} MB`);
  }
  const answer = await fetchAddress(link, address, maxBytes);
  // Graph has just accepted the token: the next attempt gets another address.
  if (answer.status === 401) throw new ProviderError('retry', 'WhatsApp does not deliver the file.');
  if (answer.status !== 200) throw fileRejectionOf(answer, mediaErrors);
  return {
    bytes: answer.bytes,
    mimeType: textOf(mime_type) ?? media.mimeType,
    fileName: media.fileName,
  };
}
