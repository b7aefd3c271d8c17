/** Turns a delivery of Meta about a page or an Instagram account into what the frame stores. */
import type { Customer, Inbound, Link, Referral } from '../connectors.provider.ts';
import { isObject, listOf, numberOf, objectOf, textOf, type Values } from '../connectors.values.ts';
import { parseBody } from '../meta/meta.webhook.ts';
import { contentOf } from './messenger.content.ts';

/** What one event is about. */
interface Event {
  customer: Customer;
  isFromPage: boolean;
  at: number;
}

/** Every event of every entry. `standby` is another app's conversation. */
export function translateDelivery(link: Link, text: string, receivedAt: number): Inbound[] {
  const pageId = String(link.settings.pageId);
  return listOf(parseBody(text)?.entry)
    .filter(isObject)
    .filter(({ id }) => idOf(id) === null || idOf(id) === pageId)
    .flatMap(({ messaging }) => listOf(messaging).filter(isObject))
    .flatMap((event) => translateEvent(event, pageId, receivedAt));
}

const idOf = (value: unknown) => textOf(typeof value === 'number' ? String(value) : value);

function translateEvent(event: Values, pageId: string, receivedAt: number): Inbound[] {
  const sender = idOf(objectOf(event.sender).id);
  const recipient = idOf(objectOf(event.recipient).id);
  // Without an id in its entry, an event between others is not ours.
  if (sender !== pageId && recipient !== pageId) return [];
  const isFromPage = sender === pageId;
  const customerId = isFromPage ? recipient : sender;
  if (customerId === null || customerId === pageId) return [];
  const customer: Customer = {
    id: customerId,
    identifiers: [{ kind: 'chatapp', value: customerId }],
    name: null,
  };
  const about = { customer, isFromPage, at: numberOf(event.timestamp) ?? receivedAt };
  if (isObject(event.message)) return messageOf(event.message, about);
  if (isFromPage) return [];
  if (isObject(event.postback)) return postbackOf(event.postback, about);
  if (isObject(event.referral)) return referralAlone(event.referral, about);
  if (isObject(event.reaction)) return reactionOf(event.reaction, about);
  if (isObject(event.message_edit)) return editOf(event.message_edit, about);
  if (isObject(event.delivery)) return deliveryOf(event.delivery, about);
  if (isObject(event.read)) return readOf(event.read, about);
  return [];
}

function messageOf(message: Values, { customer, isFromPage, at }: Event): Inbound[] {
  const mid = textOf(message.mid);
  if (mid === null) return [];
  if (message.is_deleted === true) return [{ type: 'deleted', key: mid, customer, providerMsgId: mid, at }];
  const { text, media, hasMore } = contentOf(message);
  const ourId = isFromPage ? textOf(message.metadata) : null;
  return [
    {
      type: 'message',
      key: mid,
      customer,
      providerMsgId: mid,
      at,
      order: null,
      text,
      media,
      quoted: textOf(objectOf(message.reply_to).mid),
      isEcho: isFromPage,
      ...(ourId !== null && { ourId }),
      ...(hasMore && { payload: message }),
      ...referralIn(message),
    },
  ];
}

/** A button was pressed. Older versions of Graph give it no id. */
function postbackOf(postback: Values, { customer, at }: Event): Inbound[] {
  const mid = textOf(postback.mid) ?? `${postbackPrefix}${customer.id}:${at}`;
  const text = textOf(postback.title) ?? textOf(postback.payload) ?? 'Button';
  return [
    {
      type: 'message',
      key: mid,
      customer,
      providerMsgId: mid,
      at,
      order: null,
      text,
      media: [],
      quoted: null,
      isEcho: false,
      payload: postback,
      ...referralIn(postback),
    },
  ];
}

/** Told without a message: the customer came back by a link or an advertisement. */
function referralAlone(told: Values, { customer, at }: Event): Inbound[] {
  const { referral } = referralIn({ referral: told });
  if (!referral) return [];
  const parts = [referral.source, referral.type, referral.ref].filter((part) => part !== null);
  const text = `The customer came by a link: ${parts.join(', ')}`;
  return [{ type: 'notice', key: `referral:${customer.id}:${at}`, customer, text, at, referral }];
}

function referralIn({ referral: told }: Values): { referral?: Referral } {
  if (!isObject(told)) return {};
  const adId = idOf(told.ad_id);
  const referral = {
    source: textOf(told.source),
    type: textOf(told.type),
    ref: textOf(told.ref),
    ...(adId !== null && { adId }),
  };
  return Object.values(referral).some((value) => value !== null) ? { referral } : {};
}

/** Of ids that are ours: Meta knows no such message. */
export const postbackPrefix = 'postback:';

function reactionOf(reaction: Values, { customer, at }: Event): Inbound[] {
  const mid = textOf(reaction.mid);
  const { action } = reaction;
  if (mid === null || (action !== 'react' && action !== 'unreact')) return [];
  const shown = textOf(reaction.emoji) ?? emojis[textOf(reaction.reaction) ?? ''] ?? '👍';
  const emoji = action === 'react' ? shown : null;
  return [{ type: 'reaction', key: `${mid}:${at}:${action}`, customer, providerMsgId: mid, emoji, at }];
}

/** Where Meta names the reaction only. */
const emojis: Record<string, string> = {
  smile: '😆',
  laugh: '😆',
  angry: '😡',
  sad: '😢',
  wow: '😮',
  love: '❤️',
  like: '👍',
  dislike: '👎',
};

function editOf(edit: Values, { customer, at }: Event): Inbound[] {
  const mid = textOf(edit.mid);
  const text = textOf(edit.text);
  if (mid === null || text === null) return [];
  const key = `${mid}:${numberOf(edit.num_edit) ?? at}`;
  return [{ type: 'edited', key, customer, providerMsgId: mid, text, at }];
}

function deliveryOf(delivery: Values, about: Event): Inbound[] {
  const mids = listOf(delivery.mids).flatMap((mid) => textOf(mid) ?? []);
  const statuses = mids.map((mid) => statusOf(mid, 'delivered'));
  return [...statuses, ...watermarkOf('delivered', numberOf(delivery.watermark), about)];
}

/** Instagram names the message that was read last, Messenger a time. */
function readOf(read: Values, about: Event): Inbound[] {
  const mid = textOf(read.mid);
  const at = numberOf(read.watermark) ?? (mid === null ? null : about.at);
  return [...(mid === null ? [] : [statusOf(mid, 'read')]), ...watermarkOf('read', at, about)];
}

const statusOf = (providerMsgId: string, status: 'delivered' | 'read'): Inbound => ({
  type: 'status',
  providerMsgId,
  status,
  reason: null,
  ourId: null,
});

function watermarkOf(status: 'delivered' | 'read', at: number | null, { customer }: Event): Inbound[] {
  if (at === null || at <= 0) return [];
  return [{ type: 'watermark', key: `${status}:${customer.id}:${at}`, customer, status, at }];
}
