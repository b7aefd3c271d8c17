/** Reports of mail servers that a message was not delivered (RFC 3464), and which of our messages they are about. */
import { hashOfId, type ParsedMail } from './email.parse.ts';

export interface Bounce {
  /** Hash of the Message-ID of what could not be delivered; null: the report does not name it. */
  idHash: string | null;
  /** A sentence for a person, about all of them. */
  reason: string;
  /** Who did not get it, as far as the report names them. */
  failed: { address: string; reason: string }[];
}

const longestReason = 500;
/** We write to 40 addresses at most, and a stranger may write a report. */
const maxRecipients = 50;

/** Null: it is no report, or one of a message that was delivered or is only late. */
export function readBounce(mail: ParsedMail): Bounce | null {
  const isDaemon = /^(?:mailer-daemon|postmaster)@/i.test(mail.from?.address ?? '');
  const status = mail.files.find(({ type }) => type === 'message/delivery-status');
  if (!status && !(mail.isReport && isDaemon) && !(isDaemon && ourId(mail.text) !== null)) return null;
  const report = status?.bytes.toString('utf8').slice(0, 50_000) ?? '';
  const recipients = recipientsOf(report);
  const failed = recipients.filter(({ action }) => action.startsWith('failed'));
  if (failed.length === 0 && recipients.length > 0) return null;
  const id = originalId(mail);
  return {
    idHash: id === null ? null : hashOfId(id),
    reason: reasonOf(failed),
    failed: failed
      .slice(0, maxRecipients)
      .flatMap((one) => (one.address ? [{ address: one.address, reason: reasonOf([one]) }] : [])),
  };
}

interface Recipient {
  action: string;
  address: string | null;
  /** What the server said. */
  said: string | null;
}

/** A block for each recipient: some may have got the message. */
function recipientsOf(report: string): Recipient[] {
  const ofRecipients = report
    .split(/\r?\n[ \t]*\r?\n/)
    .filter((block) => fieldOf(block, 'Action') !== null || fieldOf(block, 'Final-Recipient') !== null);
  return ofRecipients.map((block) => ({
    action: fieldOf(block, 'Action')?.toLowerCase() ?? 'failed',
    // The original one is what we wrote; it may have been forwarded since.
    address: addressIn(fieldOf(block, 'Original-Recipient')) ?? addressIn(fieldOf(block, 'Final-Recipient')),
    said: withoutType(fieldOf(block, 'Diagnostic-Code')) ?? fieldOf(block, 'Status'),
  }));
}

const addressIn = (value: string | null) =>
  withoutType(value)
    ?.replaceAll(/[<>\s]/g, '')
    .slice(0, 255)
    .toWellFormed() || null;

const withoutType = (value: string | null) => value?.replace(/^[^;]{0,20};\s*/, '') ?? null;

function fieldOf(report: string, name: string): string | null {
  const lines = report.replaceAll(/\r?\n[ \t]+/g, ' ').split(/\r?\n/);
  const start = `${name.toLowerCase()}:`;
  const line = lines.find((one) => one.toLowerCase().startsWith(start));
  return line?.slice(start.length).trim() || null;
}

function reasonOf(failed: readonly Recipient[]): string {
  const [first, second] = failed;
  const { address, said } = first ?? { address: null, said: null };
  const whom = address ? `to ${address} ` : '';
  const one = `The e-mail ${whom}could not be delivered${said ? `: ${said}` : '.'}`;
  const all = failed
    .map(({ address: to, said: why }) => `${to ?? 'an unknown address'}${why ? ` (${why})` : ''}`)
    .join(', ');
  return (second ? `The e-mail could not be delivered to ${all}` : one)
    .slice(0, longestReason)
    .toWellFormed();
}

/** In the returned message or its headers, else in what the report says that it answers. */
function originalId({ files, parents, text, quotedText }: ParsedMail): string | null {
  for (const { type, bytes } of files) {
    if (type !== 'message/rfc822' && type !== 'text/rfc822-headers' && type !== 'message/global') continue;
    const head = bytes
      .subarray(0, 200_000)
      .toString('latin1')
      .split(/\r?\n\r?\n/, 1)[0]!;
    const id = fieldOf(head, 'Message-ID')?.replaceAll(/[<>\s]/g, '');
    if (id) return id;
  }
  return parents[0] ?? ourId(`${text}\n${quotedText ?? ''}`);
}

/** The form of our own ids. */
const ourId = (text: string) =>
  /\b([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\.\d{1,4}@[a-z0-9.-]{1,200})/i.exec(
    text,
  )?.[1] ?? null;
