/** A whole service with one mailbox: an IMAP and an SMTP server on the loopback, and what tests do with them. */
import { after, before } from 'node:test';
import { eventually } from '../eventually.ts';
import type { Json } from '../service.ts';
import { type ConnectedChannel, startConnectedChannel } from './connected-channel.ts';
import { type ImapServer, startImapServer } from './imap-server.ts';
import { type MailSubmission, type SubmittedMail, startMailSubmission } from './mail-submission.ts';

export interface Written {
  from: string;
  text: string;
  subject?: string;
  headers?: string[];
  type?: string;
}

/** Within a describe: started before its tests, and stopped after them. */
export function mailboxStage() {
  let imap: ImapServer;
  let smtp: MailSubmission;
  let channel: ConnectedChannel;
  let mails = 0;

  const settings = () => ({
    kind: 'email',
    address: 'shop@example.com',
    fromName: 'The shop',
    signature: 'Kind regards',
    imap: { host: '127.0.0.1', port: imap.port, tls: false },
    smtp: { host: '127.0.0.1', port: smtp.port, tls: false },
    credentials: {
      imap: { user: 'shop', password: 'imap-password' },
      smtp: { user: 'shop', password: 'smtp-password' },
    },
  });
  before(async () => {
    [imap, smtp] = await Promise.all([startImapServer(), startMailSubmission()]);
    channel = await startConnectedChannel('email', settings());
  });
  after(async () => {
    await channel?.close();
    await imap?.close();
    await smtp?.close();
  });

  /** Returns the Message-ID. */
  const write = ({ from, text, subject = 'Order 7', headers = [], type }: Written): string => {
    const id = `mail-${++mails}@customers.example`;
    const head = [`From: ${from}`, 'To: shop@example.com', `Subject: ${subject}`, `Message-ID: <${id}>`];
    const contentType = `Content-Type: ${type ?? 'text/plain; charset=utf-8'}`;
    imap.deliver([...head, ...headers, contentType, '', text, ''].join('\n'));
    return id;
  };
  const sentTo = (address: string): SubmittedMail[] => smtp.mails.filter(({ to }) => to.includes(address));
  return {
    imap: () => imap,
    smtp: () => smtp,
    channel: () => channel,
    settings,
    write,
    sentTo,
    async sent(address: string, count = 1): Promise<SubmittedMail> {
      await eventually(() => sentTo(address).length >= count);
      return sentTo(address)[count - 1]!;
    },
    /** A conversation without the AI. */
    async quiet(address: string) {
      const sessionId = await channel.quietSession('email', address);
      return { sessionId, path: `/sessions/${encodeURIComponent(sessionId)}` };
    },
    async receive(sessionId: string, mail: Written) {
      const id = write(mail);
      return { id, message: await channel.stored(sessionId, withText(mail.text)) };
    },
  };
}

export const headerOf = (raw: string, name: string) =>
  new RegExp(`^${name}: (.*)$`, 'im').exec(raw.replaceAll(/\r\n[ \t]+/g, ' ').replaceAll('\r', ''))?.[1];

export const withText = (content: string) => (message: Json) => message.content === content;
