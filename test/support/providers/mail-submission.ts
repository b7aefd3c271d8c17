/** An SMTP server on the loopback with a login; it records what it accepts, and misbehaves on request. */
import { buffer } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

export interface SubmittedMail {
  from: string;
  to: string[];
  raw: string;
}

export interface MailSubmission {
  port: number;
  password: string;
  mails: SubmittedMail[];
  /** The answer to each of the next recipients; then they are accepted. */
  refusals: { code: number; text: string }[];
  /** How many of the next mails are accepted without an answer: the connection ends. */
  losesAnswers: number;
  close(): Promise<void>;
}

export async function startMailSubmission(
  user = 'shop',
  password = 'smtp-password',
): Promise<MailSubmission> {
  const server = new SMTPServer({
    authOptional: false,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    onAuth(auth, _session, callback) {
      const isRight = auth.username === user && auth.password === state.password;
      callback(isRight ? null : new Error('Invalid login'), isRight ? { user } : undefined);
    },
    onRcptTo(_address, _session, callback) {
      const refusal = state.refusals.shift();
      callback(refusal ? Object.assign(new Error(refusal.text), { responseCode: refusal.code }) : null);
    },
    onData(stream, session, callback) {
      void buffer(stream).then((bytes) => {
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom ? mailFrom.address : '';
        state.mails.push({ from, to: rcptTo.map(({ address }) => address), raw: bytes.toString('utf8') });
        if (state.losesAnswers > 0) {
          state.losesAnswers--;
          for (const connection of server.connections) {
            (connection as unknown as { _socket?: { destroy(): void } })._socket?.destroy();
          }
        } else callback(null);
      });
    },
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = server.server.address() as { port: number };
  const state: MailSubmission = {
    port,
    password,
    mails: [],
    refusals: [],
    losesAnswers: 0,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return state;
}
