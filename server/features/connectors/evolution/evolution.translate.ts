/** Webhooks of the gateway as what they mean for a conversation. */
import type { ConnectorState } from '../../../../contract/connectors.ts';
import type { MessageStatus } from '../../../../contract/messaging/messages.ts';
import { sha256Hex } from '../../../platform/secrets/secrets.ts';
import type { Customer, Inbound, InboundBody, Link } from '../connectors.provider.ts';
import { isObject, numberOf, objectOf, textOf, type Values } from '../connectors.values.ts';
import { scanOf } from './evolution.connect.ts';
import { contentOf, editedText, unwrap } from './evolution.content.ts';
import { customerOf, identifierOf, isGroup } from './evolution.customer.ts';

interface Source {
  link: Link;
  data: Values;
  receivedAt: number;
}

const translators: Record<string, (source: Source) => Inbound | null> = {
  'messages.upsert': arrived,
  'messages.update': updated,
  'messages.edited': changed,
  'messages.delete': deleted,
  'connection.update': connection,
  'qrcode.updated': codeChanged,
};

export const eventOf = (body: Values): string =>
  (textOf(body.event) ?? '').toLowerCase().replaceAll('_', '.');
export const isKnownEvent = (event: string): boolean => Object.hasOwn(translators, event);

export function translateWebhook(link: Link, { text, receivedAt }: InboundBody): Inbound[] {
  const body = parse(text);
  const event = eventOf(body);
  if (!isKnownEvent(event)) return [];
  const parts = Array.isArray(body.data) ? body.data : [body.data];
  return parts.filter(isObject).flatMap((data) => translators[event]!({ link, data, receivedAt }) ?? []);
}

function parse(text: string): Values {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return {};
  }
}

/** Of the person, or of the group where the connector takes part in groups. */
function customerFor({ link }: Source, key: Values, name: string | null): Customer | null {
  if (isGroup(key.remoteJid) && link.settings.groups !== true) return null;
  return customerOf(key, isGroup(key.remoteJid) ? null : name);
}

/** Seconds, or milliseconds where the number can be nothing else. */
function timeOf(value: unknown, receivedAt: number): number {
  const time = numberOf(value);
  if (time === null || time <= 0) return receivedAt;
  return time < 1e11 ? time * 1000 : time;
}

function arrived(source: Source): Inbound | null {
  const { data, receivedAt } = source;
  const key = objectOf(data.key);
  const id = textOf(key.id);
  const isEcho = key.fromMe === true;
  // The name in an echo is that of the business.
  const name = isEcho ? null : textOf(data.pushName)?.trim() || null;
  const customer = customerFor(source, key, name);
  if (!id || !customer) return null;
  const message = unwrap(objectOf(data.message));
  const at = timeOf(data.messageTimestamp, receivedAt);
  if (isObject(message.protocolMessage)) {
    return protocol(source, message.protocolMessage, customer, at);
  }
  if (isObject(message.reactionMessage)) {
    return isEcho ? null : reaction(message.reactionMessage, id, customer, at);
  }
  const content = contentOf(data, id);
  if (!content) return null;
  const { text, media, quoted, payload } = content;
  return {
    type: 'message',
    key: id,
    customer,
    providerMsgId: id,
    at,
    order: null,
    text: isGroup(key.remoteJid) && !isEcho ? withSender(text, key, name) : text,
    media: media ? [media] : [],
    quoted,
    isEcho,
    ...(payload !== undefined && { payload }),
  };
}

/** In a group several people write in one conversation. */
function withSender(text: string, key: Values, name: string | null): string {
  const sender = name ?? (identifierOf(key.participantAlt) ?? identifierOf(key.participant))?.value;
  return sender && text ? `${sender}: ${text}` : text;
}

function reaction(content: Values, id: string, customer: Customer, at: number): Inbound | null {
  const target = textOf(objectOf(content.key).id);
  if (!target) return null;
  const emoji = textOf(content.text);
  return { type: 'reaction', key: `reaction:${id}`, customer, providerMsgId: target, emoji, at };
}

/** Edits and deletions; other messages of the protocol are of no interest. */
function protocol(source: Source, content: Values, customer: Customer | null, at: number): Inbound | null {
  const key = objectOf(content.key);
  const id = textOf(key.id);
  const whose = customer ?? customerFor(source, key, null);
  if (!id || !whose) return null;
  if (content.type === 'REVOKE' || content.type === 0) {
    return { type: 'deleted', key: `deleted:${id}`, customer: whose, providerMsgId: id, at };
  }
  const text = editedText(objectOf(content.editedMessage));
  if (text === null) return null;
  const sentAt = timeOf(content.timestampMs, at);
  // Without a time of its own a redelivered edit is recognised by its text.
  const edition = numberOf(content.timestampMs) ?? sha256Hex(text).slice(0, 16);
  return {
    type: 'edited',
    key: `edited:${id}:${edition}`,
    customer: whose,
    providerMsgId: id,
    text,
    at: sentAt,
  };
}

function changed(source: Source): Inbound | null {
  return protocol(source, source.data, null, source.receivedAt);
}

/** The key itself, or an object with the key. */
function deleted(source: Source): Inbound | null {
  const { data, receivedAt } = source;
  const key = isObject(data.key) ? data.key : data;
  const id = textOf(key.id) ?? textOf(data.keyId);
  const customer = customerFor(source, key, null);
  if (!id || !customer) return null;
  return { type: 'deleted', key: `deleted:${id}`, customer, providerMsgId: id, at: receivedAt };
}

const statuses: Record<string, MessageStatus> = {
  ERROR: 'failed',
  SERVER_ACK: 'sent',
  DELIVERY_ACK: 'delivered',
  READ: 'read',
  PLAYED: 'read',
};
/** Some versions send the number instead of the word. */
const statusWords = ['ERROR', 'PENDING', 'SERVER_ACK', 'DELIVERY_ACK', 'READ', 'PLAYED'];

/** Receipts of messages that were sent from our side; the others tell what the phone's owner has read. */
function updated({ data }: Source): Inbound | null {
  const key = objectOf(data.key);
  const id = textOf(data.keyId) ?? textOf(key.id);
  const isOurs = (data.fromMe ?? key.fromMe) === true;
  const value = data.status ?? objectOf(data.update).status;
  const word = typeof value === 'number' ? statusWords[value] : textOf(value);
  if (!id || !isOurs || !word || !Object.hasOwn(statuses, word)) return null;
  const status = statuses[word]!;
  const reason = status === 'failed' ? 'The chat app could not deliver the message.' : null;
  return { type: 'status', providerMsgId: id, status, reason, ourId: null };
}

const notLinked = 'The phone is not linked. Scan the QR code to link it again.';
const notScanned = 'The QR code was not scanned in time. Request a new one and scan it.';

const connectionStates: Record<string, { state: ConnectorState; detail: string | null }> = {
  open: { state: 'connected', detail: null },
  connecting: { state: 'connecting', detail: null },
  close: { state: 'waiting_for_scan', detail: notLinked },
  refused: { state: 'waiting_for_scan', detail: notScanned },
};

function connection({ data }: Source): Inbound | null {
  const state = textOf(data.state) ?? '';
  return Object.hasOwn(connectionStates, state) ? { type: 'state', ...connectionStates[state]! } : null;
}

function codeChanged({ data }: Source): Inbound | null {
  const scan = scanOf(objectOf(data.qrcode));
  const hasCode = scan.qr !== null || scan.pairingCode !== null;
  const detail = hasCode ? null : notScanned;
  return { type: 'state', state: 'waiting_for_scan', detail, scan };
}
