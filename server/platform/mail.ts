/** E-mail by SMTP. Header values are encoded by nodemailer; nothing is read from files or addresses. */
import { Readable } from 'node:stream';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection';

export interface MailSettings {
  host: string;
  port: number;
  /** TLS from the start; otherwise STARTTLS. */
  isSecure: boolean;
  /** Empty: no authentication. */
  user: string;
  password: string;
  from: { name: string; address: string };
  /** The name on the certificate, if `host` is an address that was looked up before. */
  servername?: string;
  /** Whether an unencrypted connection is an error. Default: if there is a password and the server is not this machine. */
  requiresTls?: boolean;
}

interface Recipient {
  name: string;
  address: string;
}

export interface Mail {
  /** The same in every attempt, so that a server can recognise a repetition. */
  messageId: string;
  to: string | Recipient[];
  cc?: Recipient[];
  /** Nothing is sent unless the server accepts everybody in `to`: then all of it can be tried again. */
  needsAllOfTo?: boolean;
  subject: string;
  text: string;
  html: string;
  inReplyTo?: string;
  references?: string[];
  attachments?: { filename: string; content: Buffer; contentType: string }[];
  /** Default: the mail says that a program wrote it, so that programs do not answer. */
  headers?: Record<string, string>;
}

export interface Mailer {
  /**
   * Returns the recipients that the server refused; if it refused all of them, or one that is needed, it rejects. Rejects
   * with the reason of `signal` if it is aborted before the content is on its way.
   */
  send(mail: Mail, signal?: AbortSignal): Promise<{ refused: Refusal[] }>;
  /** Connects and signs in. */
  verify(): Promise<void>;
}

/** A recipient, and the server's sentence. */
export interface Refusal {
  address: string;
  reason: string;
}

const connectMs = 10_000;
const idleMs = 30_000;

// Loaded with the first mail: their modules would slow down every start.
const loadComposer = async () => (await import('nodemailer/lib/mail-composer')).default;
const loadConnection = async () => (await import('nodemailer/lib/smtp-connection')).default;

export function createMailer(settings: MailSettings): Mailer {
  return {
    async send({ to, headers, needsAllOfTo = false, ...mail }, signal) {
      const MailComposer = await loadComposer();
      const message = new MailComposer({
        ...mail,
        from: settings.from,
        to: typeof to === 'string' ? { name: '', address: to } : to,
        headers: headers ?? { 'auto-submitted': 'auto-generated' },
        disableFileAccess: true,
        disableUrlAccess: true,
      }).compile();
      const content = await message.build();
      const { from, to: recipients } = message.getEnvelope();
      const needed = needsAllOfTo ? (message.getAddresses().to ?? []).map(({ address = '' }) => address) : [];
      const refused: Refusal[] = [];
      await connect(settings, signal, (connection, { onData, done }) => {
        // The connection adds to it whom the server refused.
        const envelope: Envelope = { from, to: recipients };
        // The connection reads it after the server has accepted DATA. Without its end the server drops the message.
        const body = new Readable({
          read() {
            const refusal = refusalOf(envelope, needed);
            if (refusal) return done(refusal);
            onData();
            this.push(content);
            this.push(null);
          },
        });
        connection.send(envelope, body, (error, info) => {
          for (const one of info?.rejectedErrors ?? []) {
            const { recipient = '', response = '' } = one as { recipient?: string; response?: string };
            refused.push({ address: recipient, reason: response });
          }
          done(error && (refusalOf(envelope, needed) ?? error));
        });
      });
      return { refused };
    },
    async verify() {
      await connect(settings, undefined, (_connection, { done }) => done(null));
    },
  };
}

interface Envelope {
  from: string | false;
  to: string[];
  rejectedErrors?: (Error & { recipient?: string })[];
}

/** Of one of the recipients that are needed; one for ever before one for now. */
function refusalOf({ rejectedErrors = [] }: Envelope, needed: readonly string[]): Error | null {
  const own = rejectedErrors.filter(({ recipient = '' }) => needed.includes(recipient));
  return own.find(isPermanent) ?? own[0] ?? null;
}

export function connectionOptions(settings: MailSettings): SMTPConnectionOptions {
  const { host, port, isSecure, user, servername, requiresTls } = settings;
  return {
    host,
    port,
    secure: isSecure,
    // Without TLS the password would be readable on the way.
    requireTLS: !isSecure && (requiresTls ?? (user !== '' && !isLoopback(host))),
    ...(servername !== undefined && { servername, tls: { servername } }),
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
async function connect(
  settings: MailSettings,
  signal: AbortSignal | undefined,
  use: (connection: SMTPConnection, session: Session) => void,
): Promise<void> {
  const Connection = await loadConnection();
  await new Promise<void>((resolve, reject) => {
    signal?.throwIfAborted();
    const connection = new Connection(connectionOptions(settings));
    const abort = () => done(signal!.reason);
    let isSent = false;
    const ignoreAbort = () => signal?.removeEventListener('abort', abort);
    const onData = () => {
      isSent = true;
      ignoreAbort();
    };
    // Later calls change nothing: the promise is settled, the connection closed.
    const done = (error?: Error | null) => {
      ignoreAbort();
      if (error) reject(isSent ? Object.assign(error, { isAfterData: true }) : error);
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

/** The server had the content, and its answer did not come: it may have accepted the message. */
export function isAnswerLost(error: unknown): boolean {
  const { isAfterData, responseCode } = error as { isAfterData?: unknown; responseCode?: unknown };
  return isAfterData === true && typeof responseCode !== 'number';
}

/** The server does not accept the user or the password. */
export function isLoginRefused(error: unknown): boolean {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  return code === 'EAUTH' && (typeof responseCode !== 'number' || responseCode >= 500);
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
