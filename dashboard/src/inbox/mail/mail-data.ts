/** What a message has as an e-mail: its headers, its history, its HTML in a frame, forwarding. */
import { queryOptions } from '@tanstack/react-query';
import type {
  Forwarded,
  MailAddress,
  MailContent,
  MailView,
  MessageMail,
} from '../../../../contract/messaging/mail.ts';
import type { Message } from '../../../../contract/messaging/messages.ts';
import { api } from '../../data/api.ts';
import { keys } from '../../data/queries.ts';
import { downloadFile } from '../../data/transfer.ts';

export const mailOf = ({ data }: Pick<Message, 'data'>): MessageMail | null =>
  (data?.mail as MessageMail | undefined) ?? null;

/** The customer's: only of these the original is stored. */
export const hasOriginal = (message: Message) => mailOf(message) !== null && message.role === 'user';

/** Without `Re:` and `Fwd:`, in several languages: an answer does not change the subject. */
export const topicOf = (subject: string) =>
  subject.replace(/^(?:\s*(?:re|aw|sv|vs|ref|rv|res|enc|fwd?|wg|tr)\s*(?:\[\d+\])?\s*:)+/i, '').trim();

export const nameOf = ({ name, address }: MailAddress) => (name ? `${name} <${address}>` : address);

const pathOf = (sessionId: string, messageId: string) =>
  `/sessions/${encodeURIComponent(sessionId)}/messages/${encodeURIComponent(messageId)}`;

/** It does not change. */
export const mailContentQuery = (sessionId: string, messageId: string) =>
  queryOptions({
    queryKey: [...keys.session(sessionId), 'mail', messageId],
    queryFn: ({ signal }) => api<MailContent>('GET', `${pathOf(sessionId, messageId)}/mail`, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

export interface MailLook {
  remoteImages: boolean;
  theme: 'light' | 'dark';
}

/** Asked again each time it is opened: the address expires. */
export const mailViewQuery = (sessionId: string, messageId: string, look: MailLook) =>
  queryOptions({
    queryKey: [...keys.session(sessionId), 'mail-view', messageId, look],
    queryFn: ({ signal }) =>
      api<MailView>('GET', `${pathOf(sessionId, messageId)}/mail/view`, { query: { ...look }, signal }),
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });

export const downloadOriginal = (sessionId: string, messageId: string) =>
  downloadFile(`${pathOf(sessionId, messageId)}/mail/original`, 'message.eml');

export const forwardMessage = (sessionId: string, messageId: string, body: { to: string[]; note?: string }) =>
  api<Forwarded>('POST', `${pathOf(sessionId, messageId)}/forward`, { body });
