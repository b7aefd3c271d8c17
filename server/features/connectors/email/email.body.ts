/** A fetched mail as it is stored until it is translated: everything but its files, which are in its original. */
import { limits } from '../../../../contract/limits.ts';
import type { InboundMail, InboundMedia, Link } from '../connectors.provider.ts';
import { failsDmarc } from './email.authentication.ts';
import { type Bounce, readBounce } from './email.bounce.ts';
import { hashOfId, type MailFile, type ParsedMail, providerIdOf, unknownSender } from './email.parse.ts';
import { mailReader } from './email.reader.ts';
import { settingsOf } from './email.settings.ts';

export interface MailBody {
  providerMsgId: string;
  /** When the mailbox received it. */
  at: number;
  text: string;
  mail: InboundMail;
  media: InboundMedia[];
  /** Why no conversation gets it. */
  ignored: string | null;
  bounce: Bounce | null;
}

/** The mail is read again for each of its files. A message has ten. */
export const maxFiles = 30;

export async function readMailBody(link: Link, raw: Buffer, { at }: { at: number }): Promise<MailBody> {
  const parsed = await mailReader.read(raw);
  const bounce = readBounce(parsed);
  const ignored = bounce ? null : reasonToIgnore(parsed);
  const isKept = bounce === null && ignored === null;
  const isForged = failsDmarc(parsed, settingsOf(link).authservId);
  const original = isKept ? ((await link.originals?.keep(raw)) ?? null) : null;
  const body = bodyOf(parsed, at, original);
  return {
    ...body,
    ...(isForged && { mail: { ...body.mail, isForged } }),
    media: isKept ? parsed.files.slice(0, maxFiles).map((file, index) => mediaOf(file, index, original)) : [],
    ignored,
    bounce,
  };
}

/** Only its headers were fetched. The reason is the end of a sentence. */
export async function readHead(
  head: Buffer,
  { at, reason }: { at: number; reason: string },
): Promise<MailBody> {
  const parsed = await mailReader.readHeaders(head);
  const text = `[E-mail not received: ${parsed.subject || 'without a subject'}. Reason: ${reason}]`;
  return {
    ...bodyOf({ ...parsed, text }, at, null),
    media: [],
    ignored: reasonToIgnore(parsed),
    bounce: null,
  };
}

function bodyOf(parsed: ParsedMail, at: number, original: string | null) {
  const { messageId, parents, references, subject, from, to, cc, replyTo, date } = parsed;
  const sender = from ?? { name: null, address: unknownSender };
  return {
    providerMsgId: providerIdOf(parsed),
    at,
    text: textOf(parsed),
    mail: {
      messageId,
      idHash: messageId === null ? null : hashOfId(messageId),
      parents: parents.map(hashOfId),
      references: references.slice(-30),
      subject,
      from: sender,
      to,
      cc,
      replyTo,
      date,
      hasHtml: parsed.html !== null,
      hasQuoted: parsed.quotedText !== null,
      original,
    },
  };
}

/** Some people write everything into the subject. */
function textOf({ text, subject, files }: ParsedMail): string {
  const more = files.length - maxFiles;
  const content =
    more > 0
      ? [text, `[${more} more files are in the original.]`].filter(Boolean).join('\n\n')
      : text || (files.length > 0 ? '' : subject);
  if (content.length <= limits.messageLength) return content;
  const end = '\n[The rest is in the original.]';
  return content.slice(0, limits.messageLength - end.length).toWellFormed() + end;
}

function mediaOf({ name, type, bytes }: MailFile, index: number, original: string | null): InboundMedia {
  const kind = /^(image|video|audio)\//.exec(type)?.[1] as 'image' | 'video' | 'audio' | undefined;
  const ref = original === null ? null : `${original}/${index}`;
  return { ref, kind: kind ?? 'document', mimeType: type, fileName: name, bytes: bytes.length };
}

/** Mail of programs and lists. An answer to it would start a loop, or go to everybody. */
function reasonToIgnore({ headers }: ParsedMail): string | null {
  const auto = headers.get('auto-submitted')?.toLowerCase();
  if (auto !== undefined && !/^no\b/.test(auto))
    return `an automatic message (Auto-Submitted: ${auto.slice(0, 50)})`;
  const precedence = headers.get('precedence')?.toLowerCase() ?? '';
  if (/^(?:bulk|list|junk)\b/.test(precedence))
    return `a bulk message (Precedence: ${precedence.slice(0, 20)})`;
  if (/^<\s*>$/.test(headers.get('return-path') ?? ''))
    return 'an automatic message (its Return-Path is empty)';
  if (headers.has('list-id')) return 'a message of a mailing list (List-Id)';
  if (headers.has('x-autoreply') || headers.has('x-autorespond')) return 'an automatic reply';
  return null;
}
