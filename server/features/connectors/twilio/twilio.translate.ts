/** Turns a request of Twilio into what the frame stores: a text message, or the status of one that we sent. */
import type { MessageStatus } from '../../../../contract/messaging/messages.ts';
import type { Customer, Inbound, InboundMedia } from '../connectors.provider.ts';
import { reasonOf } from './twilio.errors.ts';

/** What `verify` stores: the form, and our id from the query of a status callback. */
export interface StoredRequest {
  part: string | null;
  form: Record<string, string>;
}

/** Queued, accepted and sending say nothing that a person needs. */
export const statuses: Record<string, MessageStatus> = {
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
  undelivered: 'failed',
  failed: 'failed',
  canceled: 'failed',
};

export function translateRequest(text: string, receivedAt: number): Inbound[] {
  const stored = parse(text);
  if (!stored) return [];
  const { form } = stored;
  const sid = field(form, 'MessageSid') ?? field(form, 'SmsMessageSid') ?? field(form, 'SmsSid');
  if (sid === null) return [];
  const status = field(form, 'MessageStatus');
  if (status !== null && status !== 'received' && status !== 'receiving') {
    return statusOf(sid, status, stored);
  }
  return messageOf(sid, form, receivedAt);
}

function parse(text: string): StoredRequest | null {
  try {
    const stored = JSON.parse(text) as Partial<StoredRequest> | null;
    if (typeof stored?.form !== 'object' || stored.form === null) return null;
    return { part: typeof stored.part === 'string' ? stored.part : null, form: stored.form };
  } catch {
    return null;
  }
}

/** Null where it is absent or empty. PostgreSQL stores neither NUL nor half a surrogate pair. */
function field(form: Record<string, string>, name: string): string | null {
  const value = form[name];
  return typeof value === 'string' && value !== '' ? value.replaceAll('\0', '').toWellFormed() : null;
}

function statusOf(sid: string, said: string, { part, form }: StoredRequest): Inbound[] {
  const status = statuses[said];
  if (status === undefined) return [];
  const code = Number(field(form, 'ErrorCode') ?? Number.NaN);
  const reason = status === 'failed' ? reasonOf(Number.isFinite(code) ? code : null) : null;
  return [{ type: 'status', providerMsgId: sid, status, reason, ourId: part }];
}

function messageOf(sid: string, form: Record<string, string>, receivedAt: number): Inbound[] {
  const from = field(form, 'From')?.trim();
  if (!from) return [];
  const customer = customerOf(from);
  const media = mediaOf(form);
  const body = field(form, 'Body');
  const message: Inbound = {
    type: 'message',
    key: `message:${sid}`,
    customer,
    providerMsgId: sid,
    at: receivedAt,
    order: null,
    text: body ?? (media.length === 0 ? 'Empty message' : ''),
    media,
    quoted: null,
    isEcho: false,
  };
  // Only with Twilio's advanced opt-out; otherwise the next send is rejected.
  const optOut = field(form, 'OptOutType')?.toUpperCase();
  if (optOut !== 'STOP' && optOut !== 'START') return [message];
  const isReachable = optOut === 'START';
  return [message, { type: 'reachable', key: `reachable:${sid}`, customer, isReachable, at: receivedAt }];
}

/** A short code or a name is not a phone number. */
function customerOf(from: string): Customer {
  const kind = /^\+\d{7,15}$/.test(from) ? 'phone' : 'external';
  return { id: from, identifiers: [{ kind, value: from }], name: null };
}

const mostMedia = 10;

function mediaOf(form: Record<string, string>): InboundMedia[] {
  const count = Math.min(Number(field(form, 'NumMedia') ?? 0) || 0, mostMedia);
  return Array.from({ length: count }, (_, index) => {
    const ref = field(form, `MediaUrl${index}`);
    const mimeType = field(form, `MediaContentType${index}`);
    return ref === null ? null : { ref, kind: kindOf(mimeType), mimeType, fileName: null, bytes: null };
  }).filter((media) => media !== null);
}

function kindOf(mimeType: string | null): InboundMedia['kind'] {
  const family = mimeType?.split('/')[0]?.toLowerCase();
  return family === 'image' || family === 'video' || family === 'audio' ? family : 'document';
}
