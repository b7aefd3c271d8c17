/**
 * Parses a raw message. Whatever is wrong with it, there is a result: a mail that cannot be read has the headers that can
 * be, and a line that says so. Lines, parts, nesting and headers are bounded. The service calls it in a thread only, by
 * email.reader.ts.
 */
import { createHash } from 'node:crypto';
import PostalMime, { type Attachment, addressParser, type Email } from 'postal-mime';
import type { MailAddress } from '../../../../contract/messaging/mail.ts';
import { readInvite } from './email.calendar.ts';
import { htmlToText } from './email.html.ts';
import { foldQuotes } from './email.quotes.ts';

export interface ParsedMail {
  /** Without its brackets; null: missing. */
  messageId: string | null;
  /** In-Reply-To and References, the nearest first. */
  parents: string[];
  references: string[];
  subject: string;
  from: MailAddress | null;
  replyTo: MailAddress[];
  to: MailAddress[];
  cc: MailAddress[];
  /** Of the mail's own header. */
  date: number | null;
  /** What the person wrote, without history. */
  text: string;
  quotedText: string | null;
  html: string | null;
  files: MailFile[];
  /** The first value of each header, by its name in lower case. */
  headers: ReadonlyMap<string, string>;
  isReport: boolean;
  /** Every Authentication-Results, the one that was added last first. */
  authentication: string[];
}

export interface MailFile {
  name: string | null;
  type: string;
  bytes: Buffer;
  isInline: boolean;
  /** Without its brackets: by it the HTML names a picture of the mail. */
  contentId: string | null;
}

/** The parser has an object for each line. A mail of 25 MB in base64 has 345,000. */
export const maxLines = 400_000;
const maxParts = 5_000;
const maxNesting = 50;
/** Bytes of the headers of all parts. */
export const maxHeaders = 1024 * 1024;
/** Of a mail that is not read as a whole. */
export const headerBytes = 64 * 1024;
const longestId = 2_000;
const maxIds = 100;
const maxAddresses = 100;
const longestDate = 300;
const longestAuthentication = 10_000;
export const unreadable = '[This e-mail could not be read. Its original is kept.]';
export const unknownSender = 'unknown-sender@invalid';

export async function parseMail(raw: Buffer): Promise<ParsedMail> {
  try {
    // Every line that may be a boundary: an upper bound of the number of parts.
    if (isOver(raw, '\n--', maxParts) || isOver(raw, '\n', maxLines))
      throw new Error('too many parts or lines');
    return read(await parseWithMeta(raw));
  } catch {
    return { ...(await parseHeaders(raw)), text: unreadable };
  }
}

/** Of a message that was not fetched as a whole, or that cannot be read. */
export async function parseHeaders(raw: Buffer): Promise<ParsedMail> {
  const end = raw.subarray(0, headerBytes).indexOf('\r\n\r\n');
  const headers = raw.subarray(0, end === -1 ? headerBytes : end + 4).toString('latin1');
  // Without its type, so that nothing of a body is looked for.
  const plain = headers.replaceAll(/^content-/gim, 'x-content-');
  try {
    return read(await parse(Buffer.from(plain, 'latin1')));
  } catch {
    return noMail();
  }
}

/** Of a mail of which nothing can be read. */
export const noMail = () => read({ headers: [], headerLines: [], attachments: [] } as unknown as Email);

const parse = (raw: Buffer) =>
  PostalMime.parse(raw, {
    maxNestingDepth: maxNesting,
    maxHeadersSize: maxHeaders,
    forceRfc822Attachments: true,
  });

/** HTML without a charset in its header is read as UTF-8. If it is not, the charset is the one that its <meta> names. */
async function parseWithMeta(raw: Buffer): Promise<Email> {
  const email = await parse(raw);
  if (!email.html?.includes('\ufffd')) return email;
  const charset = /<meta\b[^>]{0,200}\bcharset\s{0,5}=\s{0,5}["']?([\w.:-]{1,40})/i.exec(email.html)?.[1];
  if (charset === undefined || !isKnownCharset(charset)) return email;
  const header = /^content-type:[ \t]*text\/html\b[^\r\n]*(?:\r?\n[ \t][^\r\n]*)*/gim;
  const named = raw
    .toString('latin1')
    .replaceAll(header, (found) => (/charset/i.test(found) ? found : `${found}; charset="${charset}"`));
  return parse(Buffer.from(named, 'latin1'));
}

function isKnownCharset(charset: string): boolean {
  try {
    return new TextDecoder(charset) !== null;
  } catch {
    return false;
  }
}

/** Whether the piece occurs more often. */
function isOver(raw: Buffer, piece: string, max: number): boolean {
  let count = 0;
  for (let at = raw.indexOf(piece); at !== -1; at = raw.indexOf(piece, at + piece.length)) {
    if (++count > max) return true;
  }
  return false;
}

function read(email: Email): ParsedMail {
  const headers = new Map<string, string>();
  for (const { key, value } of email.headers) if (!headers.has(key)) headers.set(key, value.trim());
  const references = idsOf(headers.get('references'));
  const inReplyTo = idsOf(headers.get('in-reply-to'));
  const isUtf7 = /charset\s*=\s*"?(?:unicode-1-1-)?utf-7/i.test(headers.get('content-type') ?? '');
  const given = { text: email.text ?? '', html: email.html ?? '' };
  const text = isUtf7 ? decodeUtf7(given.text) : given.text;
  const html = given.html.trim() === '' ? null : given.html;
  const { text: own, quoted } = bodyOf(text, html);
  const invites = email.attachments
    .filter(isCalendar)
    .map((one) => readInvite(bytesOf(one).toString('utf8')));
  const lines = invites.filter((line) => line !== null);
  return {
    messageId: idsOf(headers.get('message-id'))[0] ?? null,
    parents: [...new Set([...inReplyTo, ...references.toReversed()])].slice(0, maxIds),
    references: references.slice(-maxIds),
    subject: (email.subject ?? '').replaceAll(/\s+/g, ' ').trim().slice(0, 1_000).toWellFormed(),
    from: senderOf(email, headers),
    replyTo: addressesOf(email.replyTo),
    to: addressesOf(email.to),
    cc: addressesOf(email.cc),
    date: dateOf(headers.get('date')),
    text: [own, ...lines].filter((part) => part !== '').join('\n\n'),
    quotedText: quoted,
    html,
    files: email.attachments.map((one, index) => ({ ...fileOf(one, index), contentId: contentIdOf(one) })),
    headers,
    authentication: email.headers
      .filter(({ key }) => key === 'authentication-results')
      .map(({ value }) => value.slice(0, longestAuthentication))
      .slice(0, maxIds),
    isReport: /^multipart\/report\b/i.test(headers.get('content-type') ?? ''),
  };
}

/** The text part, unless there is only HTML. A history that HTML marks is found where the text does not show it. */
function bodyOf(text: string, html: string | null): { text: string; quoted: string | null } {
  if (text.trim() !== '' || html === null) return foldQuotes(text);
  const marked = htmlToText(html);
  if (marked.text === '' && marked.quoted !== null) return { text: marked.quoted, quoted: null };
  const folded = foldQuotes(marked.text);
  // The attribution precedes the marked history.
  const quoted = [folded.quoted, marked.quoted].filter((part) => part !== null).join('\n');
  return { text: folded.text, quoted: quoted || null };
}

/** Ids in brackets; some programs leave them out, or put words between them. */
function idsOf(value: string | undefined): string[] {
  if (value === undefined) return [];
  const found: string[] = [];
  for (const piece of value.slice(0, 200_000).split(/[\s,<>]+/)) {
    if (piece.length > 2 && piece.length <= longestId && piece.includes('@')) found.push(piece);
  }
  // An id without an @ is not allowed, but it occurs.
  if (found.length === 0) {
    const only = value.trim().replaceAll(/[<>]/g, '').trim();
    if (only !== '' && only.length <= longestId && !/\s/.test(only)) found.push(only);
  }
  return [...new Set(found)];
}

function senderOf(email: Email, headers: ReadonlyMap<string, string>): MailAddress | null {
  const candidates = [
    ...addressesOf(email.from && [email.from]),
    ...bareAddress(headers.get('from')),
    ...addressesOf(email.sender && [email.sender]),
    ...addressesOf(email.replyTo),
    ...addressesOf(addressParser(headers.get('return-path') ?? '', { flatten: true })),
  ];
  const name = candidates.find((one) => one.name !== null)?.name ?? null;
  return candidates[0] ? { name: candidates[0].name ?? name, address: candidates[0].address } : null;
}

/** In a header that no parser understands. */
function bareAddress(value: string | undefined): MailAddress[] {
  const found = /[^\s\p{Cc}<>"',;:()@]{1,128}@[^\s\p{Cc}<>"',;:()@]{1,200}/u.exec(value ?? '');
  return found ? [{ name: null, address: found[0].toLowerCase() }] : [];
}

type Addresses = Email['to'];

function addressesOf(list: Addresses): MailAddress[] {
  const found: MailAddress[] = [];
  for (const one of list ?? []) {
    for (const { name, address } of one.group ?? [one]) {
      const clean = withoutBrackets((address ?? '').trim());
      if (!/^[^\s\p{Cc}@<>"]{1,128}@[^\s\p{Cc}@<>"]{1,200}$/u.test(clean)) continue;
      const label = (name ?? '')
        .replaceAll(/[\p{Cc}\s]+/gu, ' ')
        .trim()
        .slice(0, 255)
        .toWellFormed();
      found.push({ name: label === '' || label === clean ? null : label, address: clean.toLowerCase() });
      if (found.length >= maxAddresses) return found;
    }
  }
  return found;
}

/** By hand: a pattern that ends with `$` is tried at every bracket of a hostile header. */
function withoutBrackets(address: string): string {
  let from = 0;
  let to = address.length;
  while (address[from] === '<') from++;
  while (to > from && address[to - 1] === '>') to--;
  return address.slice(from, to);
}

function dateOf(value: string | undefined): number | null {
  const at = Date.parse((value ?? '').slice(0, longestDate).replace(/\s*\([^)]{0,100}\)\s*$/, ''));
  return Number.isFinite(at) && at > 0 ? at : null;
}

const isCalendar = ({ mimeType }: Attachment) => mimeType === 'text/calendar';

function bytesOf({ content }: Attachment): Buffer {
  return typeof content === 'string' ? Buffer.from(content) : Buffer.from(content as ArrayBuffer);
}

const contentIdOf = ({ contentId }: Attachment) => contentId?.trim().replaceAll(/^<|>$/g, '') || null;

function fileOf(one: Attachment, index: number): Omit<MailFile, 'contentId'> {
  const name =
    one.filename
      ?.replaceAll(/[\p{Cc}/\\]+/gu, '_')
      .trim()
      .slice(0, 255)
      .toWellFormed() || null;
  const isInline = one.related === true || one.disposition === 'inline';
  // Calendars are kept as text: it is what they are.
  if (isCalendar(one))
    return { name: name ?? 'invite.ics', type: 'text/plain', bytes: bytesOf(one), isInline };
  if (one.mimeType === 'message/rfc822') {
    return {
      name: name ?? `message-${index + 1}.eml`,
      type: 'message/rfc822',
      bytes: bytesOf(one),
      isInline,
    };
  }
  return { name, type: typeOf(one.mimeType, name), bytes: bytesOf(one), isInline };
}

const typeByEnding: Record<string, string> = {
  pdf: 'application/pdf',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  txt: 'text/plain',
  csv: 'text/csv',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  zip: 'application/zip',
};

/** Many programs send every file as octet-stream, and Windows its own names of types. */
function typeOf(type: string, name: string | null): string {
  const known: Record<string, string> = {
    'image/jpg': 'image/jpeg',
    'image/pjpeg': 'image/jpeg',
    'application/x-pdf': 'application/pdf',
  };
  const ending = name?.split('.').at(-1)?.toLowerCase() ?? '';
  if (type === 'application/octet-stream') return typeByEnding[ending] ?? type;
  return known[type] ?? type;
}

/** By it a Message-ID is stored and found. */
export const hashOfId = (messageId: string) => createHash('sha256').update(messageId).digest('base64url');

/** The same for every copy of a mail, whatever way it came; different for two mails with one Message-ID. */
export function providerIdOf(mail: ParsedMail): string {
  const { messageId, from, date, subject, text, quotedText, files } = mail;
  const sizes = files.map(({ name, bytes }) => [name, bytes.length]);
  const content = JSON.stringify([messageId, from?.address, date, subject, text, quotedText, sizes]);
  return createHash('sha256').update(content).digest('base64url');
}

/** UTF-7 (RFC 2152), which decoders of the platform do not know. Old mail servers still send it. */
function decodeUtf7(text: string): string {
  return text.replaceAll(/\+([A-Za-z0-9+/]*)-?/g, (_, base64: string) => {
    if (base64 === '') return '+';
    const bytes = Buffer.from(base64, 'base64');
    let decoded = '';
    for (let at = 0; at + 1 < bytes.length; at += 2) decoded += String.fromCharCode(bytes.readUInt16BE(at));
    return decoded.toWellFormed();
  });
}
