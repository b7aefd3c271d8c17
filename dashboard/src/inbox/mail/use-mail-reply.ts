/** The reply of a conversation by e-mail: what its headers will be, and what of it was written. */
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ChannelRead } from '../../../../contract/channels.ts';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import type { MailInput } from '../../../../contract/messaging/mail.ts';
import type { Message } from '../../../../contract/messaging/messages.ts';
import { useChannels } from '../../data/queries.ts';
import { messagesQuery } from '../data/message-data.ts';
import { addressError } from './address-error.ts';
import { readAddresses } from './mail-addresses.ts';
import { mailOf, topicOf } from './mail-data.ts';
import type { MailDraft } from './mail-draft.ts';
import { type Recipients, recipientsOfReply } from './mail-recipients.ts';

export interface MailReply {
  draft: MailDraft;
  change(parts: Partial<MailDraft>): void;
  /** What the service takes when no subject is written. */
  defaultSubject: string;
  recipients: Recipients;
  /** Cc as it is written. */
  cc: string;
  /** Who got the answered mail and does not get the reply. */
  missing: string[];
  /** How many got the answered mail, but are more than a header takes. */
  leftOut: number;
  /** Where the customer's last mail asks to be answered, if that is not the customer's; null: nowhere else. */
  otherReplyTo: string | null;
  /** Why it cannot be sent; empty: it can. */
  error: string;
  signature: string;
  /** The service quotes the customer's last mail below it. */
  quotesLast: boolean;
  /** For the request; null: everything is as the thread has it. */
  input: MailInput | null;
}

/** Null: the conversation is on another channel. */
export function useMailReply(
  session: InboxSession,
  draft: MailDraft,
  quoted: Message | null,
  onChange: (change: { mail: MailDraft }) => void,
): MailReply | null {
  const { sessionId, channelId, channelType, externalUserId } = session;
  const isMail = channelType === 'email';
  const channels = useChannels() as ChannelRead[];
  // The chat has loaded them.
  const { data } = useInfiniteQuery({ ...messagesQuery(sessionId), enabled: isMail });
  if (!isMail) return null;
  const messages = data?.pages.flatMap(({ items }) => items).filter((one) => !one.isNote) ?? [];
  const last = messages.map(mailOf).find((mail) => mail !== null) ?? null;
  const incoming = messages
    .filter(({ role }) => role === 'user')
    .map(mailOf)
    .find((mail) => mail !== null);
  const mailboxes = channels.flatMap(({ id, connector }) =>
    connector?.kind === 'email' ? [{ id, settings: connector as { [name: string]: unknown } }] : [],
  );
  const mailbox = mailboxes.find(({ id }) => id === channelId);
  const own = mailboxes.map(({ settings }) => String(settings.address));
  const thread = recipientsOfReply({ messages, quoted, customer: externalUserId, own });
  const cc = draft.cc ?? thread.byDefault.cc.join(', ');
  const written = readAddresses(cc);
  const to = draft.to === null ? thread.byDefault.to : readAddresses(draft.to).addresses;
  const recipients = { to, cc: written.addresses.filter((address) => !to.includes(address)) };
  // Exactly who is shown, also if another mail arrives before the reply is stored.
  const isExact = to.length > 0 && (thread.isKnown || draft.to !== null || draft.cc !== null);
  const { everybody } = thread;
  const shown = new Set([...to, ...recipients.cc]);
  const subject = draft.subject?.trim() ?? '';
  const signature = mailbox?.settings.signature;
  const input = {
    ...(isExact && { to }),
    ...(recipients.cc.length > 0 && { cc: recipients.cc }),
    ...(subject !== '' && { subject }),
  };
  return {
    draft,
    change: (parts) => onChange({ mail: { ...draft, ...parts } }),
    defaultSubject: last ? `Re: ${topicOf(last.subject)}`.trim() : '',
    recipients,
    cc,
    missing: (draft.to === null ? [...everybody.to, ...everybody.cc] : everybody.cc).filter(
      (address) => !shown.has(address),
    ),
    leftOut: draft.cc === null ? thread.leftOut : 0,
    otherReplyTo: incoming?.replyTo?.[0]?.address ?? null,
    error: addressError(written),
    signature: typeof signature === 'string' ? signature.trim() : '',
    quotesLast: mailbox !== undefined && incoming !== undefined,
    input: Object.keys(input).length > 0 ? input : null,
  };
}
