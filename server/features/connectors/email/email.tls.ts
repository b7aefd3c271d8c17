/** What is wrong with the encryption of a mail server, in words that say what to change. */

type Protocol = 'imap' | 'smtp';

const names = { imap: 'IMAP', smtp: 'SMTP' } as const;
const ports = { imap: { tls: 993, starttls: 143 }, smtp: { tls: 465, starttls: 587 } } as const;

/** By code, or by the text where a library replaces the code. */
const certificates: readonly (readonly [RegExp, string])[] = [
  [/CERT_HAS_EXPIRED|certificate has expired/i, 'its certificate has expired'],
  [/CERT_NOT_YET_VALID|certificate is not yet valid/i, 'its certificate is not valid yet'],
  [
    /ERR_TLS_CERT_ALTNAME_INVALID|does not match certificate's altnames/i,
    'its certificate is for another name. Enter the name that the mail host tells you',
  ],
  [
    /SELF_SIGNED_CERT|self[- ]signed certificate|UNABLE_TO_(?:VERIFY|GET)|unable to (?:verify|get)[\w ]+certificate/i,
    'its certificate is not from a known authority',
  ],
  [
    /UNSUPPORTED_PROTOCOL|unsupported protocol|ALERT_PROTOCOL_VERSION|alert protocol version|NO_PROTOCOLS_AVAILABLE/i,
    'it has only old versions of TLS, which are not safe',
  ],
];
const noTls = /WRONG_VERSION_NUMBER|version number|PACKET_LENGTH_TOO_LONG|packet length too long/i;
const noStartTls = /ETLS\b|support STARTTLS|STARTTLS (?:is )?not|no STARTTLS/i;
const noGreeting = /GREETING|greeting/;
const otherTls = /\bERR_SSL_|SSL routines|\bEPROTO\b/;

/** Null: it is about something else. */
export function tlsProblem(error: unknown, protocol: Protocol, isSecure: boolean): string | null {
  const { code, message } = error as { code?: unknown; message?: unknown };
  const text = `${String(code ?? '')} ${String(message ?? '')}`;
  const server = `The ${names[protocol]} server`;
  const { tls, starttls } = ports[protocol];
  const certificate = certificates.find(([pattern]) => pattern.test(text));
  if (certificate) return `${server} cannot be used: ${certificate[1]}.`;
  if (isSecure && noTls.test(text)) {
    return `${server} does not speak TLS on this port. Choose STARTTLS, or port ${tls}.`;
  }
  if (!isSecure && noStartTls.test(text)) {
    return `${server} offers no encryption (STARTTLS) on this port. Choose TLS, with port ${tls}.`;
  }
  if (!isSecure && noGreeting.test(text)) {
    return `${server} does not answer. If this port is for TLS, choose TLS, otherwise port ${starttls}.`;
  }
  if (!otherTls.test(text)) return null;
  return `${server} cannot be used: an encrypted connection (TLS) is not possible on this port.`;
}
