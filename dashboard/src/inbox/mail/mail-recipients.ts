/** Who gets a reply by e-mail unless the operator changes it: everybody who got the mail that it answers. */
import { limits } from '../../../../contract/limits.ts';
import { isMailAddress, type MailAddress } from '../../../../contract/messaging/mail.ts';
import type { Message } from '../../../../contract/messaging/messages.ts';
import { mailOf } from './mail-data.ts';

/** Addresses in lower case, none of them twice. */
export interface Recipients {
  to: string[];
  cc: string[];
}

export interface ReplyRecipients {
  byDefault: Recipients;
  /** Everybody who got the customer's mail, and its sender. */
  everybody: Recipients;
  /** How many a header has no room for. */
  leftOut: number;
  /** False: the service knows better where the mail wants its answers, because it is from an older version. */
  isKnown: boolean;
}

interface Thread {
  /** Newest first. */
  messages: readonly Pick<Message, 'role' | 'isNote' | 'data'>[];
  /** The message that the reply quotes; null: it answers the latest. */
  quoted: Pick<Message, 'role' | 'isNote' | 'data'> | null;
  customer: string | null;
  /** Addresses of the workspace's mailboxes. */
  own: readonly string[];
}

export function recipientsOfReply({ messages, quoted, customer, own }: Thread): ReplyRecipients {
  const isMail = (message: Thread['quoted']) => message !== null && !message.isNote && mailOf(message);
  const answered = isMail(quoted) ? [quoted!] : messages.filter(isMail);
  const incoming = answered.find(({ role }) => role === 'user');
  const { everybody, leftOut, isForged, isKnown } = incoming
    ? recipientsOfMail(incoming, customer, own)
    : { everybody: only(customer), leftOut: 0, isForged: false, isKnown: false };
  // A colleague's mail shows whom the team writes to. The AI answers the sender only.
  const latest = answered.find(({ role }) => role !== 'assistant');
  const sent = latest?.role === 'operator' ? mailOf(latest)! : null;
  if (sent && sent.to.length > 0) {
    const to = addressesOf(sent.to, []).slice(0, limits.mailRecipients);
    const cc = addressesOf(sent.cc, [...own, ...to]).slice(0, limits.mailRecipients);
    return { byDefault: { to, cc }, everybody, leftOut: 0, isKnown: to.length > 0 };
  }
  // Whoever forged the sender also chose the copies.
  const byDefault = isForged ? { to: everybody.to, cc: [] } : everybody;
  return { byDefault, everybody, leftOut: isForged ? 0 : leftOut, isKnown };
}

function recipientsOfMail(message: Thread['messages'][number], customer: string | null, own: Thread['own']) {
  const { answersTo, from, to, cc, isOther, isForged = false } = mailOf(message)!;
  const sender = addressesOf(answersTo ?? (from ? [from] : []), []);
  const known: MailAddress[] = isOther && customer !== null ? [{ name: null, address: customer }] : [];
  const others = addressesOf([...known, ...to, ...cc], [...own, ...sender]);
  return {
    everybody: { to: sender, cc: others.slice(0, limits.mailRecipients) },
    leftOut: Math.max(0, others.length - limits.mailRecipients),
    isForged,
    isKnown: answersTo !== undefined && sender.length > 0,
  };
}

const only = (customer: string | null): Recipients => ({
  to: customer !== null && isMailAddress(customer) ? [customer.toLowerCase()] : [],
  cc: [],
});

/** Strangers write these headers: only what the service takes as an address. */
function addressesOf(list: readonly MailAddress[], without: readonly string[]): string[] {
  const left = new Set(without.map((address) => address.toLowerCase()));
  const found = list.map(({ address }) => address.toLowerCase()).filter(isMailAddress);
  return [...new Set(found)].filter((address) => !left.has(address));
}
