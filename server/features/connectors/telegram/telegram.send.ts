/** Sends texts, files, reactions and the typing mark. */
import type { Address, Link, OutboundFile, OutboundPart, SentPart } from '../connectors.provider.ts';
import { ProviderError } from '../connectors.provider.ts';
import { callApi, TelegramRejection } from './telegram.api.ts';
import { asNumber, asObject } from './telegram.read.ts';

type Params = Record<string, unknown>;
interface Call {
  method: string;
  params: Params;
  file: { field: string; name: string; type: string; bytes: Buffer } | undefined;
}

const uploadTimeoutMs = 120_000;

function chatOf(to: Address): number {
  const known = [
    to.customerId,
    ...to.identifiers.filter(({ kind }) => kind === 'chatbot').map(({ value }) => value),
  ];
  const id = known.map(Number).find((one) => Number.isSafeInteger(one) && one !== 0);
  if (id === undefined) throw new ProviderError('final', 'The customer has no Telegram chat.');
  return id;
}

/** The number after the chat in a provider id. */
function messageNumber(providerMsgId: string): number | null {
  const found = /:(\d+)$/.exec(providerMsgId);
  return found ? Number(found[1]) : null;
}

export async function sendPart(link: Link, part: OutboundPart): Promise<SentPart> {
  const chat = chatOf(part.to);
  const quoted = part.quoted === null ? null : messageNumber(part.quoted);
  const common: Params = {
    chat_id: chat,
    ...(quoted === null ? {} : { reply_parameters: { message_id: quoted } }),
  };
  const call = part.file ? fileCall(part.file, part.text, common) : textCall(part.text, common);
  const sent = asObject(await deliver(link, call));
  const number = asNumber(sent?.message_id);
  // It was carried out, but nothing can be linked to it.
  if (number === null) throw new ProviderError('lost', 'The response of Telegram was not readable.');
  const sentTo = asNumber(asObject(sent?.chat)?.id) ?? chat;
  return { providerMsgId: `${sentTo}:${number}`, status: 'sent' };
}

function textCall(text: string, common: Params): Call {
  return { method: 'sendMessage', params: { ...common, text, parse_mode: 'HTML' }, file: undefined };
}

/** Pictures and videos of other types are shown as documents. */
const shownTypes: Record<string, readonly string[]> = {
  image: ['image/jpeg', 'image/png', 'image/webp'],
  video: ['video/mp4', 'video/quicktime'],
};
const methods = {
  image: ['sendPhoto', 'photo'],
  video: ['sendVideo', 'video'],
  audio: ['sendAudio', 'audio'],
  voice: ['sendVoice', 'voice'],
  document: ['sendDocument', 'document'],
} as const;

function fileCall(file: OutboundFile, caption: string, common: Params): Call {
  const type = file.mimeType.split(';')[0]!.trim().toLowerCase();
  const isShown = shownTypes[file.kind]?.includes(type) ?? true;
  const [method, field] = methods[isShown ? file.kind : 'document'];
  return {
    method,
    params: { ...common, ...(caption === '' ? {} : { caption, parse_mode: 'HTML' }) },
    file: { field, name: file.name, type, bytes: file.bytes },
  };
}

const run = (link: Link, { method, params, file }: Call) =>
  callApi(link, method, params, file ? { file, timeoutMs: uploadTimeoutMs } : {});

/** A rejected call had no effect, so another form of it can follow at once. Each form is tried once. */
async function deliver(link: Link, call: Call, formsLeft = 4): Promise<unknown> {
  try {
    return await run(link, call);
  } catch (error) {
    const other = error instanceof TelegramRejection && formsLeft > 0 ? otherForm(call, error) : null;
    if (!other) throw error;
    return deliver(link, other, formsLeft - 1);
  }
}

function otherForm(call: Call, rejection: TelegramRejection): Call | null {
  const { params, file } = call;
  const { description, migrateToChatId } = rejection;
  if (migrateToChatId !== null) return { ...call, params: { ...params, chat_id: migrateToChatId } };
  if (rejection.errorClass !== 'final') return null;
  if ('reply_parameters' in params && /repl(y|ied)/i.test(description)) {
    // The customer deleted the quoted message.
    const { reply_parameters: _, ...rest } = params;
    return { ...call, params: rest };
  }
  if ('parse_mode' in params && /can't parse/i.test(description)) {
    const { parse_mode: _, ...rest } = params;
    const field = 'text' in rest ? 'text' : 'caption';
    return { ...call, params: { ...rest, [field]: withoutTags(String(rest[field])) } };
  }
  const isRefusedForm = /PHOTO_|IMAGE_PROCESS|VOICE_MESSAGES_FORBIDDEN|VIDEO_/.test(description);
  if (file && call.method !== 'sendDocument' && isRefusedForm) {
    return { ...call, method: 'sendDocument', file: { ...file, field: 'document' } };
  }
  return null;
}

const withoutTags = (html: string) =>
  html
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');

export async function setReaction(
  link: Link,
  to: Address,
  providerMsgId: string,
  emoji: string | null,
): Promise<void> {
  const message_id = messageNumber(providerMsgId);
  if (message_id === null) throw new ProviderError('final', 'Telegram does not know this message.');
  // Telegram writes its reactions without the variation selector: ❤, not ❤️.
  const reaction = emoji === null ? [] : [{ type: 'emoji', emoji: emoji.replaceAll('\uFE0F', '') }];
  await callApi(link, 'setMessageReaction', { chat_id: chatOf(to), message_id, reaction });
}

export async function showTyping(link: Link, to: Address): Promise<void> {
  await callApi(link, 'sendChatAction', { chat_id: chatOf(to), action: 'typing' });
}
