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
  /** The customer, everybody else who got the mail, and its sender. */
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
  const { everybody, leftOut, isDoubtful, isKnown } = incoming
    ? recipientsOfMail(incoming, customer, own)
    : { everybody: only(customer), leftOut: 0, isDoubtful: false, isKnown: false };
  // A colleague's mail shows whom the team writes to. The AI answers the sender only.
  const latest = answered.find(({ role }) => role !== 'assistant');
  const sent = latest?.role === 'operator' ? mailOf(latest)! : null;
  if (sent && sent.to.length > 0) {
    const to = addressesOf(sent.to, []).slice(0, limits.mailRecipients);
    const cc = addressesOf(sent.cc, [...own, ...to]).slice(0, limits.mailRecipients);
    return { byDefault: { to, cc }, everybody, leftOut: 0, isKnown: to.length > 0 };
  }
  // A stranger who writes into the thread, or in the customer's name, also chose the copies.
  const byDefault = isDoubtful ? { to: everybody.to, cc: [] } : everybody;
  return { byDefault, everybody, leftOut: isDoubtful ? 0 : leftOut, isKnown };
}

function recipientsOfMail(message: Thread['messages'][number], customer: string | null, own: Thread['own']) {
  const { answersTo, from, to, cc, replyTo = [], isOther = false, isForged = false } = mailOf(message)!;
  const senders = from ? [from] : [];
  // Of an older version, answers to somebody else went there.
  const known = isOther ? only(customer).to : [];
  const answered = known.length > 0 ? known : addressesOf(answersTo ?? senders, []);
  const others = addressesOf([...(isOther ? senders : []), ...to, ...cc], [...own, ...answered]);
  return {
    everybody: { to: answered, cc: others.slice(0, limits.mailRecipients) },
    leftOut: Math.max(0, others.length - limits.mailRecipients),
    isDoubtful: isOther || isForged || replyTo.length > 0,
    isKnown: answersTo !== undefined && answered.length > 0,
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
