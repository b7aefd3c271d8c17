/** Deliveries of WhatsApp as what they mean for a conversation. Every entry, change, message and status is read. */
import type { MessageStatus } from '../../../../contract/messaging/messages.ts';
import type { Customer, Inbound, InboundBody, Link } from '../connectors.provider.ts';
import { isObject, listOf, numberOf, objectOf, textOf, type Values } from '../connectors.values.ts';
import { parseBody } from '../meta/meta.webhook.ts';
import { contentOf, editedText } from './whatsapp.content.ts';
import { customerOf, customerWith, identifiersOf, phoneOf, userIdOf } from './whatsapp.customer.ts';
import { reasonOf } from './whatsapp.errors.ts';
import { lineOf } from './whatsapp.lines.ts';

interface Source {
  link: Link;
  value: Values;
  receivedAt: number;
}

const fields: Record<string, (source: Source) => Inbound[]> = {
  messages: ({ value, ...rest }) => [
    ...each(value.messages, (message) => messageOf({ value, ...rest }, message)),
    ...each(value.statuses, (status) => statusOf(rest.link, status)),
  ],
  smb_message_echoes: (source) =>
    each(source.value.message_echoes, (message) => messageOf(source, message, true)),
  user_id_update: userIdUpdates,
};

const each = (list: unknown, read: (one: Values) => Inbound | null): Inbound[] =>
  listOf(list)
    .filter(isObject)
    .flatMap((one) => read(one) ?? []);

export function translateDelivery(link: Link, { text, receivedAt }: InboundBody): Inbound[] {
  const body = parseBody(text);
  return body ? translateBody(link, body, receivedAt) : [];
}

export function translateBody(link: Link, body: Values, receivedAt: number): Inbound[] {
  if (body.object !== 'whatsapp_business_account') return [];
  return listOf(body.entry)
    .map(objectOf)
    .flatMap((entry) => listOf(entry.changes).map(objectOf))
    .flatMap((change) => {
      const field = textOf(change.field) ?? '';
      const value = objectOf(change.value);
      if (!Object.hasOwn(fields, field) || !isOurs(link, field, value)) return [];
      return fields[field]!({ link, value, receivedAt });
    });
}

/** All numbers of a business account are delivered to one address. A changed user id may name none of them. */
function isOurs({ settings }: Link, field: string, value: Values): boolean {
  const { phone_number_id: id } = objectOf(value.metadata);
  if (id === undefined) return field === 'user_id_update';
  return String(id) === String(settings.phoneNumberId);
}

/** They tell seconds. */
function timeOf(value: unknown, receivedAt: number): number {
  const seconds = numberOf(value);
  return seconds === null || seconds <= 0 ? receivedAt : seconds * 1000;
}

function messageOf(source: Source, message: Values, isEcho = false): Inbound | null {
  const { value, receivedAt } = source;
  const id = textOf(message.id);
  if (!id) return null;
  const at = timeOf(message.timestamp, receivedAt);
  if (message.type === 'system') {
    const changed = identityOf(message, id, at);
    if (changed) return changed;
  }
  const customer = isEcho
    ? customerOf(value.contacts, message.to, message.to_user_id)
    : customerOf(value.contacts, message.from, message.from_user_id);
  if (!customer) return null;
  if (message.type === 'system') {
    return { type: 'notice', key: id, customer, text: lineOf('system', message), at };
  }
  const change = changeOf(message, id, customer, at, isEcho);
  if (change !== undefined) return change;
  const { text, media, quoted, payload } = contentOf(message);
  return {
    type: 'message',
    key: id,
    customer,
    providerMsgId: id,
    at,
    order: null,
    text,
    media,
    quoted,
    isEcho,
    ...(payload !== undefined && { payload }),
  };
}

/** Undefined: it is a message of its own. Null: it changes nothing that we know. */
function changeOf(
  message: Values,
  id: string,
  customer: Customer,
  at: number,
  isEcho: boolean,
): Inbound | null | undefined {
  const type = textOf(message.type) ?? '';
  const content = objectOf(message[type]);
  if (type === 'reaction') {
    const target = textOf(content.message_id);
    // Of the business's own reactions on the phone nothing is shown.
    if (!target || isEcho) return null;
    return {
      type: 'reaction',
      key: id,
      customer,
      providerMsgId: target,
      emoji: textOf(content.emoji),
      at,
    };
  }
  const original = textOf(content.original_message_id);
  if (type === 'revoke') {
    return original ? { type: 'deleted', key: id, customer, providerMsgId: original, at } : null;
  }
  if (type !== 'edit') return undefined;
  const text = editedText(objectOf(content.message));
  if (!original || text === null) return null;
  return { type: 'edited', key: id, customer, providerMsgId: original, text, at };
}

/** The last one is how earlier versions of Graph call the first. */
const changedTypes = ['user_changed_number', 'user_changed_user_id', 'customer_changed_number'];

/** Null: another message of the system. */
function identityOf(message: Values, id: string, at: number): Inbound | null {
  const system = objectOf(message.system);
  if (!changedTypes.includes(textOf(system.type) ?? '')) return null;
  const customer = customerWith(
    phoneOf(system.wa_id) ?? phoneOf(system.new_wa_id),
    userIdOf(system.user_id),
    null,
  );
  const previous = identifiersOf(
    phoneOf(message.from),
    userIdOf(system.previous_user_id) ?? userIdOf(message.from_user_id),
  );
  return identity(id, customer, previous, textOf(system.body), at);
}

/** Before August 2026: `user_id: { previous, current }`, of the value itself or of the items of one of its lists. */
function userIdUpdates({ value, receivedAt }: Source): Inbound[] {
  const candidates = [value, ...Object.values(value).flat().filter(isObject)];
  return candidates.flatMap((one) => {
    const { previous, current } = objectOf(one.user_id);
    const [before, now] = [userIdOf(previous), userIdOf(current)];
    if (before === null || now === null) return [];
    const customer = customerWith(phoneOf(one.wa_id), now, null);
    const at = timeOf(one.timestamp, receivedAt);
    return identity(`${before}:${now}`, customer, identifiersOf(null, before), null, at) ?? [];
  });
}

function identity(
  key: string,
  customer: Customer | null,
  previous: Customer['identifiers'],
  notice: string | null,
  at: number,
): Inbound | null {
  const known = customer?.identifiers ?? [];
  const others = previous.filter((one) => !known.some(({ value }) => value === one.value));
  return customer && others.length > 0
    ? { type: 'identity', key, customer, previous: others, notice, at }
    : null;
}

const statuses: Record<string, MessageStatus> = {
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
  played: 'read',
  failed: 'failed',
};

function statusOf(link: Link, status: Values): Inbound | null {
  const providerMsgId = textOf(status.id);
  const said = textOf(status.status) ?? '';
  if (!providerMsgId || !Object.hasOwn(statuses, said)) return null;
  return {
    type: 'status',
    providerMsgId,
    status: statuses[said]!,
    reason: said === 'failed' ? reasonOf(link, listOf(status.errors)) : null,
    ourId: textOf(status.biz_opaque_callback_data),
  };
}
