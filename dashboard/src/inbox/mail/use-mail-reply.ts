/** The reply of a conversation by e-mail: what its headers will be, and what of it was written. */
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ChannelRead } from '../../../../contract/channels.ts';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import type { MailInput } from '../../../../contract/messaging/mail.ts';
import { useChannels } from '../../data/queries.ts';
import { messagesQuery } from '../data/inbox-data.ts';
import { addressError } from './address-error.ts';
import { readAddresses } from './mail-addresses.ts';
import { mailOf, topicOf } from './mail-data.ts';
import type { MailDraft } from './mail-draft.ts';

export interface MailReply {
  draft: MailDraft;
  change(parts: Partial<MailDraft>): void;
  /** What the service takes when no subject is written. */
  defaultSubject: string;
  /** Who got a copy of the customer's last mail. */
  others: string[];
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
  onChange: (change: { mail: MailDraft }) => void,
): MailReply | null {
  const { sessionId, channelId, channelType, externalUserId } = session;
  const isMail = channelType === 'email';
  const channel = useChannels().find(({ id }) => id === channelId) as ChannelRead | undefined;
  // The chat has loaded them.
  const { data } = useInfiniteQuery({ ...messagesQuery(sessionId), enabled: isMail });
  if (!isMail) return null;
  const mails = data?.pages.flatMap(({ items }) => items).filter((one) => !one.isNote) ?? [];
  const last = mails.map(mailOf).find((mail) => mail !== null) ?? null;
  const incoming = mails
    .filter(({ role }) => role === 'user')
    .map(mailOf)
    .find((mail) => mail !== null);
  const settings: { [name: string]: unknown } = channel?.connector ?? {};
  const own = [externalUserId, incoming?.from?.address, settings.address].map((one) =>
    String(one ?? '').toLowerCase(),
  );
  const written = readAddresses(draft.cc);
  const subject = draft.subject?.trim() ?? '';
  const input = {
    ...(draft.to !== null && { to: draft.to }),
    ...(written.addresses.length > 0 && { cc: written.addresses }),
    ...(subject !== '' && { subject }),
  };
  return {
    draft,
    change: (parts) => onChange({ mail: { ...draft, ...parts } }),
    defaultSubject: last ? `Re: ${topicOf(last.subject)}`.trim() : '',
    others: [...new Set(incoming?.cc.map(({ address }) => address.toLowerCase()))].filter(
      (address) => !own.includes(address),
    ),
    otherReplyTo: incoming?.replyTo?.[0]?.address ?? null,
    error: addressError(written),
    signature: typeof settings.signature === 'string' ? settings.signature.trim() : '',
    quotesLast: channel?.connector?.kind === 'email' && incoming !== undefined,
    input: Object.keys(input).length > 0 ? input : null,
  };
}
