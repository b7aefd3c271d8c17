/** E-mail by SMTP. Header values are encoded by nodemailer; nothing is read from files or addresses. */
import { Readable } from 'node:stream';
import MailComposer from 'nodemailer/lib/mail-composer';
import SMTPConnection, { type SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection';

export interface MailSettings {
  host: string;
  port: number;
  /** TLS from the start; otherwise STARTTLS. */
  isSecure: boolean;
  /** Empty: no authentication. */
  user: string;
  password: string;
  from: { name: string; address: string };
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
  /** Rejects with the reason of `signal` if it is aborted before the content is on its way. */
  send(mail: Mail, signal?: AbortSignal): Promise<void>;
  /** Connects and signs in. */
  verify(): Promise<void>;
}

const connectMs = 10_000;
const idleMs = 30_000;

export function createMailer(settings: MailSettings): Mailer {
  return {
    async send({ messageId, to, subject, text, html }, signal) {
      const message = new MailComposer({
        from: settings.from,
        to: { name: '', address: to },
        messageId,
        subject,
        text,
        html,
        headers: { 'auto-submitted': 'auto-generated' },
        disableFileAccess: true,
        disableUrlAccess: true,
      }).compile();
      const content = await message.build();
      const { from, to: recipients } = message.getEnvelope();
      await connect(settings, signal, (connection, { onData, done }) => {
        // The connection reads it after the server has accepted DATA.
        const body = new Readable({
          read() {
            onData();
            this.push(content);
            this.push(null);
          },
        });
        connection.send({ from, to: recipients }, body, done);
      });
    },
    async verify() {
      await connect(settings, undefined, (_connection, { done }) => done(null));
    },
  };
}

export function connectionOptions(settings: MailSettings): SMTPConnectionOptions {
  const { host, port, isSecure, user } = settings;
  return {
    host,
    port,
    secure: isSecure,
    // Without TLS the password would be readable on the way.
    requireTLS: !isSecure && user !== '' && !isLoopback(host),
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: idleMs,
  };
}

const isLoopback = (host: string) => /^(localhost|127(\.\d{1,3}){3}|::1)$/i.test(host);

interface Session {
  /** From now on an abort is ignored: the server may accept the message. */
  onData(): void;
  done(error: Error | null): void;
}

/** Runs `use` on a connection that has signed in, and closes it. */
function connect(
  settings: MailSettings,
  signal: AbortSignal | undefined,
  use: (connection: SMTPConnection, session: Session) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const connection = new SMTPConnection(connectionOptions(settings));
    const abort = () => done(signal!.reason);
    const onData = () => signal?.removeEventListener('abort', abort);
    // Later calls change nothing: the promise is settled, the connection closed.
    const done = (error?: Error | null) => {
      onData();
      if (error) reject(error);
      else resolve();
      connection.close();
    };
    signal?.addEventListener('abort', abort);
    connection.on('error', done);
    connection.on('end', () => done(new Error('the mail server closed the connection')));
    const ready = () => use(connection, { onData, done });
    connection.connect((error) => {
      if (error) return done(error);
      const { user, password } = settings;
      if (user === '' || !connection.allowsAuth) return ready();
      connection.login({ user, pass: password }, (refused) => (refused ? done(refused) : ready()));
    });
  });
}

const aboutTheMessage = ['MAIL FROM', 'RCPT TO', 'DATA'];
const authenticationRequired = 530;

/** Whether the server will never accept this message. Errors of the connection or of the settings are not of that kind. */
export function isPermanent(error: unknown): boolean {
  const { responseCode: code, command } = error as { responseCode?: unknown; command?: unknown };
  return (
    typeof code === 'number' &&
    code >= 500 &&
    code !== authenticationRequired &&
    aboutTheMessage.includes(String(command))
  );
}
