/** E-mail by SMTP. Header values are encoded by nodemailer; nothing is read from files or addresses. */
import { createTransport } from 'nodemailer';

export interface MailSettings {
  smtpUrl: string;
  from: string;
}

export interface Mail {
  /** The same in every attempt, so that a server can recognise a repetition. */
  messageId: string;
  to: string;
  subject: string;
  text: string;
  html: string;
}

export interface Mailer {
  send(mail: Mail): Promise<void>;
  /** Connects and signs in. */
  verify(): Promise<void>;
}

const connectMs = 10_000;
const idleMs = 30_000;

export function createMailer({ smtpUrl, from }: MailSettings): Mailer {
  const url = new URL(smtpUrl);
  const secure = url.protocol === 'smtps:';
  const user = decodeURIComponent(url.username);
  const transport = createTransport({
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (secure ? 465 : 587),
    secure,
    ...(user && { auth: { user, pass: decodeURIComponent(url.password) } }),
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: idleMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send({ messageId, to, subject, text, html }) {
      const headers = { 'auto-submitted': 'auto-generated' };
      await transport.sendMail({
        from,
        to: { name: '', address: to },
        messageId,
        subject,
        text,
        html,
        headers,
      });
    },
    async verify() {
      await transport.verify();
    },
  };
}

/** Whether the server will never accept the message: a retry would not help. */
export function isPermanent(error: unknown): boolean {
  const code = (error as { responseCode?: unknown }).responseCode;
  return typeof code === 'number' && code >= 500;
}
