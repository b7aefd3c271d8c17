/** What a mail to a customer needs of its thread: whom it answers, under which subject, and what it quotes. */
import { isMailAddress, type MailAddress, type MessageMail } from '../../../../contract/messaging/mail.ts';
import type { MessageAttachment } from '../../../../contract/messaging/messages.ts';
import type { Clock } from '../../../platform/db/clock.ts';
import type { Db } from '../../../platform/db/db.ts';
import { findMessage, patchMessageData, type StoredMessage } from '../../messages/messages.ts';
import {
  type Address,
  type Link,
  type MailHeaders,
  type OutboundMail,
  ProviderError,
} from '../connectors.provider.ts';
import { hashOfId } from '../email/email.parse.ts';
import { findLastMail, findMail, insertMail, type MailRow } from './connectors.mail.sql.ts';

interface Outgoing {
  row: { accountId: string; channelId: string; sessionId: string };
  link: Pick<Link, 'settings'>;
  message: StoredMessage;
  to: Address;
  partId: string;
}

interface OutgoingMail {
  mail: OutboundMail;
  attachments: readonly MessageAttachment[];
  /** Instead of the message's own text. */
  text?: string;
}

const maxReferences = 30;

/**
 * Stored before it is sent: an answer may come before the send is finished here. The same for every attempt, so that a
 * server can recognise a repetition.
 */
export async function outgoingMail(
  deps: { db: Db; clock: Clock },
  outgoing: Outgoing,
): Promise<OutgoingMail> {
  const { db, clock } = deps;
  const { row, message } = outgoing;
  const { accountId, channelId, sessionId } = row;
  const made =
    asked(message)?.forwardOf === undefined ? await replyOf(db, outgoing) : await forwardOf(db, outgoing);
  const { messageId, references, subject, to, cc } = made.mail;
  const from = senderOf(outgoing.link);
  const now = clock.now();
  const headers: MailHeaders = { messageId, references, subject, from, to, cc, replyTo: [], date: now };
  const shown: MessageMail = {
    ...asked(message),
    subject,
    from,
    to: [...to],
    cc: [...cc],
    hasHtml: false,
    hasQuoted: false,
  };
  const idHash = hashOfId(messageId);
  const stored = { messageId: message.id, channelId, sessionId, idHash, isIncoming: false, headers };
  await db.transaction(async (tx) => {
    await insertMail(tx, accountId, { ...stored, originalKey: null, now });
    await patchMessageData(tx, accountId, message.id, { mail: shown }, now);
  });
  return made;
}

const asked = ({ data }: StoredMessage) => (data?.mail ?? null) as MessageMail | null;

function senderOf({ settings }: Pick<Link, 'settings'>): MailAddress {
  const { address, fromName } = settings as { address: string; fromName?: string };
  return { name: fromName ?? null, address };
}

function idOf({ link, partId }: Outgoing): string {
  return `${partId}@${String(link.settings.address).split('@').at(-1)}`;
}

async function replyOf(db: Db, outgoing: Outgoing): Promise<OutgoingMail> {
  const { row, message, to: customer } = outgoing;
  const base = await answeredMail(db, row, message);
  const answered = base && (await findMessage(db, row.accountId, row.sessionId, base.messageId));
  const given = asked(message);
  const names = base ? namesOf(base.headers) : null;
  const named = ({ name, address }: MailAddress) => ({ name: name ?? names?.get(address) ?? null, address });
  // Chosen by an operator, or by an earlier attempt.
  const to = distinct(given?.to ?? [], []).map(named);
  const known = mailAddressesOf(customer);
  // Anybody who knows a Message-ID can write into its thread: a person decides whether somebody else gets the answer.
  const isByCustomer = known.length === 0 || known.includes(base?.headers.from?.address ?? '');
  if (to.length === 0 && base?.isIncoming && isByCustomer) to.push(...replyAddresses(base.headers));
  if (to.length === 0) to.push(...known.slice(0, 1).map((address) => named({ name: null, address })));
  if (to.length === 0) throw new ProviderError('final', 'The customer has no e-mail address.');
  const cc = (given?.cc ?? []).map(named);
  const { messageId = null, references = [], subject = '' } = base?.headers ?? {};
  return {
    attachments: message.attachments as MessageAttachment[],
    mail: {
      messageId: idOf(outgoing),
      inReplyTo: messageId,
      references: (messageId === null ? references : [...references, messageId]).slice(-maxReferences),
      subject: given?.subject || replySubject(subject) || newSubject(outgoing),
      to,
      cc: distinct(cc, to),
      quoted:
        base?.isIncoming && answered ? { ...quotedHeaders(base), text: answered.content, html: null } : null,
      isForward: false,
    },
  };
}

/** The mail that this message answers: the quoted one, the one that the AI answers, or the latest. */
async function answeredMail(db: Db, { accountId, sessionId }: Outgoing['row'], message: StoredMessage) {
  for (const id of [message.replyToMessageId, message.inReplyTo]) {
    const mail = id === null ? null : await findMail(db, accountId, id);
    if (mail) return mail;
  }
  return findLastMail(db, accountId, sessionId);
}

/**
 * One address: a stranger's mail must not make the service write to a hundred others. A Reply-To that may not be answered
 * was not stored.
 */
export function replyAddresses({ replyTo, from }: Pick<MailHeaders, 'replyTo' | 'from'>): MailAddress[] {
  const address = replyTo[0] ?? from;
  return address ? [address] : [];
}

/** People are chosen by their addresses. */
function namesOf({ from, replyTo, to, cc }: MailHeaders): Map<string, string | null> {
  const all = [...cc, ...to, ...replyTo, ...(from ? [from] : [])];
  return new Map(all.map(({ name, address }) => [address, name]));
}

/** The one that the conversation has is the first. */
export function mailAddressesOf({ customerId, identifiers }: Address): string[] {
  const found = [customerId, ...identifiers.filter(({ kind }) => kind === 'email').map(({ value }) => value)];
  return found.filter(isMailAddress).map((address) => address.toLowerCase());
}

const distinct = (list: readonly MailAddress[], without: readonly MailAddress[]) => {
  const taken = new Set(without.map(({ address }) => address.toLowerCase()));
  return list.filter(({ address }) => !taken.has(address.toLowerCase()) && taken.add(address.toLowerCase()));
};

/** One `Re:` in front, whatever languages came before. */
function replySubject(subject: string): string {
  const bare = subject.replace(/^(?:\s*(?:re|aw|sv|ref|res|antw|odp)(?:\[\d{1,3}\])?\s*:)+/i, '').trim();
  return bare === '' ? '' : `Re: ${bare}`;
}

function newSubject({ link }: Outgoing): string {
  const { name, address } = senderOf(link);
  return `Message from ${name ?? address}`;
}

const quotedHeaders = ({ headers: { subject, from, to, date } }: MailRow) => ({ subject, from, to, date });

async function forwardOf(db: Db, outgoing: Outgoing): Promise<OutgoingMail> {
  const { row, message } = outgoing;
  const { to, subject, forwardOf: id, note } = asked(message)!;
  const [forwarded, mail] = await Promise.all([
    findMessage(db, row.accountId, row.sessionId, id!),
    findMail(db, row.accountId, id!),
  ]);
  if (!forwarded) throw new ProviderError('final', 'The forwarded message was deleted.');
  const headers = mail ? quotedHeaders(mail) : { subject: '', from: null, to: [], date: forwarded.timestamp };
  return {
    attachments: forwarded.attachments as MessageAttachment[],
    text: note ?? '',
    mail: {
      messageId: idOf(outgoing),
      inReplyTo: null,
      references: [],
      subject,
      to,
      cc: [],
      quoted: { ...headers, text: forwarded.content, html: null },
      isForward: true,
    },
  };
}
