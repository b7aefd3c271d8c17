/** An SMTP server on the loopback with a login; it records what it accepts, and misbehaves on request. */
import { buffer } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { tlsCertificate, tlsKey } from '../tls-certificate.ts';

export interface SubmittedMail {
  from: string;
  to: string[];
  raw: string;
}

export interface MailSubmission {
  port: number;
  password: string;
  mails: SubmittedMail[];
  /** The answer to each of the next recipients, 250: it is accepted; then all are accepted. */
  refusals: { code: number; text: string }[];
  /** How many of the next mails are accepted without an answer: the connection ends. */
  losesAnswers: number;
  close(): Promise<void>;
}

/** With encryption as `tls` says; the certificate is that of tls-certificate.ts. */
export async function startMailSubmission({
  tls = 'none',
}: {
  tls?: 'none' | 'starttls' | 'implicit';
} = {}): Promise<MailSubmission> {
  const user = 'shop';
  const server = new SMTPServer({
    authOptional: false,
    allowInsecureAuth: tls === 'none',
    disabledCommands: tls === 'none' ? ['STARTTLS'] : [],
    secure: tls === 'implicit',
    key: tlsKey,
    cert: tlsCertificate,
    disableReverseLookup: true,
    logger: false,
    onAuth(auth, _session, callback) {
      const isRight = auth.username === user && auth.password === state.password;
      callback(isRight ? null : new Error('Invalid login'), isRight ? { user } : undefined);
    },
    onRcptTo(_address, _session, callback) {
      const refusal = state.refusals.shift();
      const isRefused = refusal && refusal.code !== 250;
      callback(isRefused ? Object.assign(new Error(refusal.text), { responseCode: refusal.code }) : null);
    },
    onData(stream, session, callback) {
      const accept = (bytes: Buffer) => {
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom ? mailFrom.address : '';
        state.mails.push({ from, to: rcptTo.map(({ address }) => address), raw: bytes.toString('utf8') });
        if (state.losesAnswers > 0) {
          state.losesAnswers--;
          for (const connection of server.connections) {
            (connection as unknown as { _socket?: { destroy(): void } })._socket?.destroy();
          }
        } else callback(null);
      };
      // Without its end the connection was closed before: the message is dropped.
      buffer(stream).then(accept, () => {});
    },
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = server.server.address() as { port: number };
  const state: MailSubmission = {
    port,
    password: 'smtp-password',
    mails: [],
    refusals: [],
    losesAnswers: 0,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return state;
}
