/** A small SMTP server on the loopback; all accepted messages are recorded. */
import { createServer } from 'node:net';

export interface ReceivedMail {
  from: string;
  to: string[];
  /** With its headers, as it was sent. */
  raw: string;
}

export interface SmtpServer {
  url: string;
  mails: ReceivedMail[];
  /** Answers to the next RCPT commands; then they are accepted. */
  refusals: string[];
  close(): Promise<void>;
}

export async function startSmtpServer(): Promise<SmtpServer> {
  const mails: ReceivedMail[] = [];
  const refusals: string[] = [];
  const server = createServer((socket) => {
    let mail: ReceivedMail = { from: '', to: [], raw: '' };
    let isData = false;
    let rest = '';
    const answer = (line: string) => socket.write(`${line}\r\n`);
    const command = (line: string) => {
      if (/^(EHLO|HELO)/i.test(line)) answer('250 loopback');
      else if (/^MAIL FROM:/i.test(line)) {
        mail = { from: /<(.*?)>/.exec(line)?.[1] ?? '', to: [], raw: '' };
        answer('250 OK');
      } else if (/^RCPT TO:/i.test(line)) {
        const refusal = refusals.shift();
        if (!refusal) mail.to.push(/<(.*?)>/.exec(line)?.[1] ?? '');
        answer(refusal ?? '250 OK');
      } else if (/^DATA/i.test(line)) {
        isData = true;
        answer('354 go ahead');
      } else if (/^QUIT/i.test(line)) socket.end('221 bye\r\n');
      else answer('250 OK');
    };
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      rest += chunk.toString('utf8');
      for (let end = rest.indexOf('\r\n'); end >= 0; end = rest.indexOf('\r\n')) {
        const line = rest.slice(0, end);
        rest = rest.slice(end + 2);
        if (!isData) command(line);
        else if (line === '.') {
          isData = false;
          mails.push(mail);
          answer('250 queued');
        } else mail.raw += `${line.replace(/^\.\./, '.')}\r\n`;
      }
    });
    answer('220 loopback ready');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    refusals,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** The parts of a multipart message, by content type, decoded. */
export function partsOf(raw: string): { [type: string]: string } {
  const boundary = /boundary="([^"]+)"/.exec(raw)?.[1] ?? '';
  const parts = raw.split(`--${boundary}`).slice(1, -1);
  return Object.fromEntries(
    parts.map((part) => {
      const [head = '', ...body] = part.trimStart().split('\r\n\r\n');
      const type = /content-type: ([^;\s]+)/i.exec(head)?.[1] ?? '';
      return [type, decode(head, body.join('\r\n\r\n'))];
    }),
  );
}

function decode(head: string, body: string): string {
  if (/base64/i.test(head)) return Buffer.from(body, 'base64').toString('utf8');
  if (!/quoted-printable/i.test(head)) return body;
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
