/** To which conversation a mail belongs, and what is stored with its message. */
import type { MailAddress, MessageMail } from '../../../../contract/messaging/mail.ts';
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { keepOriginal } from '../../attachments/attachments.ts';
import { contactKey, toIdentifier } from '../../blocked-contacts/blocked-contacts.ts';
import type { Directory } from '../../channels/channels.ts';
import { countAgentReplies } from '../../messages/messages.ts';
import { type PendingReply, selectPendingReplies } from '../../pending-replies/pending-replies.ts';
import { openSession } from '../../sessions/sessions.ts';
import type { Customer, InboundMail, InboundMessage, Settings } from '../connectors.provider.ts';
import { findRecipient } from '../outbound/connectors.recipient.sql.ts';
import { findThread, insertMail } from './connectors.mail.sql.ts';
import { mailAddressesOf, replyAddresses } from './connectors.outgoing-mail.ts';

export interface Thread {
  sessionId: string;
  messageId: string;
  externalUserId: string | null;
  /** Somebody else writes than the customer of the conversation. */
  isOther: boolean;
}

/** By the ids that the mail names, never by its subject. Null: none of them is known. */
export async function threadOf(
  { db }: { db: Reader },
  { accountId, channelId }: { accountId: string; channelId: string },
  { mail, customer }: InboundMessage,
): Promise<Thread | null> {
  const found = mail ? await findThread(db, accountId, channelId, mail.parents) : null;
  if (!found) return null;
  const { externalUserId } = found;
  const isOther = externalUserId !== null && contactKey(externalUserId) !== contactKey(customer.id);
  return { ...found, isOther };
}

/** What must not be answered without a person. */
export interface Doubts {
  /** Null: there is none, or it is one of the customer's addresses. */
  replyTo: MailAddress | null;
  isOther: boolean;
  isForged: boolean;
  /** Of a mail by somebody else: the customer, who gets the answers to it. */
  answersTo: MailAddress[];
}

/**
 * A From can be forged, and anyone who knows a Message-ID can write into its thread. The Reply-To of a mail that begins a
 * conversation is answered: nothing was written to anybody else before.
 */
export async function doubtsOf(
  db: Reader,
  accountId: string,
  { mail, customer }: InboundMessage,
  { sessionId, exists, thread }: { sessionId: string; exists: boolean; thread: Thread | null },
): Promise<Doubts | null> {
  if (!mail) return null;
  const isForged = mail.isForged === true;
  const [answer = null] = mail.replyTo;
  const isElsewhere = answer !== null && answer.address !== customer.id;
  if (!exists || (!isElsewhere && !thread?.isOther)) {
    return isForged
      ? { replyTo: isElsewhere ? answer : null, isOther: false, isForged, answersTo: [] }
      : null;
  }
  const { identifiers } = await findRecipient(db, accountId, sessionId);
  const known = new Set(identifiers.map(({ value }) => contactKey(value)));
  if (thread?.externalUserId) known.add(contactKey(thread.externalUserId));
  const replyTo = isElsewhere && !known.has(contactKey(answer.address)) ? answer : null;
  const isOther = thread?.isOther === true && !known.has(contactKey(customer.id));
  if (replyTo === null && !isOther && !isForged) return null;
  const addresses = isOther ? mailAddressesOf({ customerId: thread.externalUserId ?? '', identifiers }) : [];
  const answersTo = addresses.slice(0, 1).map((address) => ({ name: null, address }));
  return { replyTo, isOther, isForged, answersTo };
}

const minute = 60_000;
const bounds = [
  { setting: 'repliesPer10Minutes', max: 5, ms: 10 * minute, time: '10 minutes' },
  { setting: 'repliesPerDay', max: 20, ms: 24 * 60 * minute, time: 'a day' },
] as const;

/**
 * Two programs that answer each other would never stop, and not all of them say what they are. Answers that are still
 * being written count: a burst of mails must not get more. Null: the AI may answer.
 */
export async function loopOf(
  db: Reader,
  { accountId, sessionId, agents }: { accountId: string; sessionId: string; agents: Directory['agents'] },
  settings: Settings,
  now: number,
): Promise<string | null> {
  const times = bounds.map(({ ms }) => now - ms);
  // In this order: an answer that is written in between counts twice rather than not at all.
  const waiting = await selectPendingReplies(db, accountId, sessionId);
  const counts = await countAgentReplies(db, accountId, sessionId, times);
  // An agent that waits for more messages answers all of them at once.
  const isTogether = ({ agentId }: PendingReply) => (agents.get(agentId)?.batchWindowMs ?? 0) > 0;
  const begun = waiting.filter((one) => !isTogether(one)).length + (waiting.some(isTogether) ? 1 : 0);
  const reached = bounds.findIndex(({ setting, max }, index) => {
    const given = settings[setting];
    return counts[index]! + begun >= (typeof given === 'number' ? given : max);
  });
  if (reached === -1) return null;
  const { time } = bounds[reached]!;
  const more = begun > 0 ? `, and ${begun} more are being written` : '';
  return `not answered by the AI: it has answered this address ${counts[reached]} times in ${time}${more}`;
}

/** A forged sender does not get the conversation of the person whose address it is. */
export const unverified = ({ id, name }: Customer): Customer => ({
  id: `unverified:${id}`,
  identifiers: [],
  name,
});

/** The conversation may be anybody's: the block list is asked for the sender too. */
export async function requireMayWrite(
  tx: Tx,
  accountId: string,
  sessionId: string,
  { id, identifiers }: Customer,
): Promise<void> {
  const known = identifiers.flatMap((one) => toIdentifier(one.kind, one.value, null) ?? []);
  const opened = await openSession(tx, accountId, sessionId, { externalUserId: id, identifiers: known });
  opened.requireNotBlocked();
}

/** The part of `data` that a message gets. */
export function dataOf(
  { mail, payload, referral }: InboundMessage,
  doubts: Doubts | null,
): { data?: Record<string, unknown> } {
  const data = {
    ...(payload !== undefined && { providerPayload: payload }),
    ...(referral && { referral }),
    ...(mail && { mail: shownMail(mail, doubts) }),
  };
  return Object.keys(data).length > 0 ? { data } : {};
}

function shownMail(mail: InboundMail, doubts: Doubts | null): MessageMail {
  const { subject, from, to, cc, hasHtml, hasQuoted } = mail;
  return {
    subject,
    from,
    to: [...to],
    cc: [...cc],
    hasHtml,
    hasQuoted,
    answersTo: doubts?.answersTo.length ? doubts.answersTo : replyAddresses(answerable(mail, doubts)),
    ...(doubts?.replyTo && { replyTo: [doubts.replyTo] }),
    ...(doubts?.isOther && { isOther: true }),
    ...(doubts?.isForged && { isForged: true }),
  };
}

/** A Reply-To that must not be answered is only shown. */
export const answerable = (mail: InboundMail, doubts: Doubts | null): InboundMail =>
  doubts?.replyTo ? { ...mail, replyTo: [] } : mail;

/** In the transaction that stores the message. */
export async function storeMail(
  tx: Tx,
  accountId: string,
  stored: { channelId: string; sessionId: string; messageId: string; mail: InboundMail; now: number },
): Promise<void> {
  const { mail, now, ...place } = stored;
  const { idHash, messageId, references, subject, from, to, cc, replyTo, date, original } = mail;
  const isKept = original !== null && (await keepOriginal(tx, accountId, original, now));
  await insertMail(tx, accountId, {
    ...place,
    idHash,
    isIncoming: true,
    headers: { messageId, references, subject, from, to, cc, replyTo, date },
    originalKey: isKept ? original : null,
    now,
  });
}
