/** Turns one update of the Bot API into what the frame stores. */
import type { Customer, Inbound, InboundMedia, InboundMessage } from '../connectors.provider.ts';
import { describeContent } from './telegram.lines.ts';
import { asNumber, asObject, asObjects, asText, type Json } from './telegram.read.ts';

export function translateUpdate(text: string, receivedAt: number): Inbound[] {
  const update = parse(text);
  const id = asNumber(update?.update_id);
  if (!update || id === null) return [];
  const message = asObject(update.message);
  if (message) return present(newMessage(message, receivedAt));
  const edited = asObject(update.edited_message);
  if (edited) return present(editedMessage(edited, id, receivedAt));
  const reaction = asObject(update.message_reaction);
  if (reaction) return present(changedReaction(reaction, id, receivedAt));
  const member = asObject(update.my_chat_member);
  if (member) return present(changedMembership(member, id, receivedAt));
  return [];
}

const present = (one: Inbound | null): Inbound[] => (one ? [one] : []);

function parse(text: string): Json | null {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Null for groups and channels: only private chats are conversations with one customer. */
function privateChat(chat: Json | null): string | null {
  const id = asNumber(chat?.id);
  if (id === null) return null;
  const isPrivate = chat?.type === undefined ? id > 0 : chat.type === 'private';
  return isPrivate ? String(id) : null;
}

/** In a private chat the chat has the customer's name too, for updates that omit the sender. */
function customerOf(chat: Json | null, sender: Json | null): Customer | null {
  const id = privateChat(chat);
  if (id === null) return null;
  const name = nameOf(sender) ?? nameOf(chat);
  return { id, identifiers: [{ kind: 'chatbot', value: id }], name };
}

function nameOf(person: Json | null): string | null {
  const parts = [asText(person?.first_name), asText(person?.last_name)].filter((part) => part !== null);
  if (parts.length > 0) return parts.join(' ');
  return asText(person?.username);
}

const timeOf = (seconds: unknown, receivedAt: number) => {
  const time = asNumber(seconds);
  return time === null ? receivedAt : time * 1000;
};

/** Messages are numbered per chat. */
const providerId = (customer: Customer, message: unknown): string | null => {
  const number = asNumber(asObject(message)?.message_id);
  return number === null ? null : `${customer.id}:${number}`;
};

function newMessage(message: Json, receivedAt: number): InboundMessage | null {
  const customer = customerOf(asObject(message.chat), asObject(message.from));
  const providerMsgId = customer && providerId(customer, message);
  if (!providerMsgId) return null;
  const content = readContent(message);
  if (!content) return null;
  const group = asText(message.media_group_id);
  return {
    type: 'message',
    key: `message:${providerMsgId}`,
    customer,
    providerMsgId,
    at: timeOf(message.date, receivedAt),
    order: asNumber(message.message_id),
    quoted: providerId(customer, message.reply_to_message),
    isEcho: false,
    ...content,
    ...(group === null ? {} : { group }),
  };
}

function editedMessage(message: Json, updateId: number, receivedAt: number): Inbound | null {
  const customer = customerOf(asObject(message.chat), asObject(message.from));
  const providerMsgId = customer && providerId(customer, message);
  const content = readContent(message);
  if (!providerMsgId || !content) return null;
  // The text of a group is the caption of one of its files; the others have none.
  if (content.text === '' && message.media_group_id !== undefined) return null;
  const at = timeOf(message.edit_date, receivedAt);
  return { type: 'edited', key: `update:${updateId}`, customer, providerMsgId, text: content.text, at };
}

type Content = Pick<InboundMessage, 'text' | 'media' | 'payload'>;

function readContent(message: Json): Content | null {
  const media = readMedia(message);
  const text = asText(message.text) ?? asText(message.caption);
  if (media) return { text: text ?? '', media: [media] };
  if (text !== null) return { text, media: [] };
  const described = describeContent(message);
  return described && { text: described.line, media: [], payload: described.payload };
}

/** An animation also has a `document`, which is the same file. */
const mediaKinds = [
  ['voice', 'voice'],
  ['audio', 'audio'],
  ['video', 'video'],
  ['video_note', 'video'],
  ['animation', 'video'],
  ['document', 'document'],
] as const;

/** Not every kind tells its type; these are what Telegram makes. */
const usualTypes: Record<string, string> = { voice: 'audio/ogg', video_note: 'video/mp4' };

function readMedia(message: Json): InboundMedia | null {
  const photo = asObjects(message.photo).at(-1);
  const photoId = asText(photo?.file_id);
  if (photo && photoId !== null) {
    const bytes = asNumber(photo.file_size);
    return { ref: photoId, kind: 'image', mimeType: 'image/jpeg', fileName: null, bytes };
  }
  for (const [field, kind] of mediaKinds) {
    const file = asObject(message[field]);
    const ref = asText(file?.file_id);
    if (!file || ref === null) continue;
    return {
      ref,
      kind,
      mimeType: asText(file.mime_type) ?? usualTypes[field] ?? null,
      fileName: asText(file.file_name),
      bytes: asNumber(file.file_size),
    };
  }
  return null;
}

function changedReaction(reaction: Json, updateId: number, receivedAt: number): Inbound | null {
  const customer = customerOf(asObject(reaction.chat), asObject(reaction.user));
  const providerMsgId = customer && providerId(customer, reaction);
  if (!providerMsgId) return null;
  const emoji = readEmoji(asObjects(reaction.new_reaction));
  const at = timeOf(reaction.date, receivedAt);
  return { type: 'reaction', key: `update:${updateId}`, customer, providerMsgId, emoji, at };
}

/** Emoji that a customer designed have no character: a star replaces them, as for a paid one. */
function readEmoji(reactions: readonly Json[]): string | null {
  if (reactions.length === 0) return null;
  return reactions.map(({ emoji }) => asText(emoji)).find((emoji) => emoji !== null) ?? '⭐';
}

function changedMembership(change: Json, updateId: number, receivedAt: number): Inbound | null {
  const customer = customerOf(asObject(change.chat), asObject(change.from));
  const status = asText(asObject(change.new_chat_member)?.status);
  if (!customer || status === null) return null;
  const isReachable = status !== 'kicked' && status !== 'left';
  const at = timeOf(change.date, receivedAt);
  return { type: 'reachable', key: `update:${updateId}`, customer, isReachable, at };
}
