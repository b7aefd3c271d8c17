/** Mails of stored messages: their content for display, and their original. */
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { MailContent } from '../../../../contract/messaging/mail.ts';
import type { BlobStore } from '../../../platform/blobs/blob-store.ts';
import type { Reader } from '../../../platform/db/db.ts';
import { notFound } from '../../../platform/http/errors.ts';
import { isId } from '../../../platform/ids.ts';
import type { Actor } from '../../accounts/accounts.ts';
import { openStoredFile } from '../../attachments/attachments.ts';
import { findMessage } from '../../messages/messages.ts';
import { requireSession } from '../../sessions/sessions.ts';
import { mailReader } from '../email/email.reader.ts';
import { findMail, type MailRow } from './connectors.mail.sql.ts';

interface MailDeps {
  db: Reader;
  blobs: BlobStore;
}

interface Place {
  sessionId: string;
  messageId: string;
}

export async function readMail(
  deps: MailDeps,
  actor: Actor,
  visible: string[] | null,
  place: Place,
): Promise<MailContent> {
  const { headers, originalKey } = await requireMail(deps, actor, visible, place);
  const { subject, from, to, cc, date } = headers;
  const stream = originalKey && (await openStoredFile(deps.blobs, actor.accountId, originalKey));
  const parsed = stream ? await mailReader.read(await buffer(stream)) : null;
  return {
    subject,
    from,
    to: [...to],
    cc: [...cc],
    date,
    html: parsed?.html ?? null,
    quotedText: parsed?.quotedText ?? null,
  };
}

/** The raw message. 404 for mails that we sent, and where it is gone. */
export async function openOriginal(
  deps: MailDeps,
  actor: Actor,
  visible: string[] | null,
  place: Place,
): Promise<Readable> {
  const { originalKey } = await requireMail(deps, actor, visible, place);
  const stream = originalKey && (await openStoredFile(deps.blobs, actor.accountId, originalKey));
  if (!stream) throw notFound('original');
  return stream;
}

async function requireMail(
  { db }: MailDeps,
  actor: Actor,
  visible: string[] | null,
  { sessionId, messageId }: Place,
): Promise<MailRow> {
  await requireSession(db, actor, visible, sessionId);
  const message = isId(messageId) ? await findMessage(db, actor.accountId, sessionId, messageId) : null;
  if (!message) throw notFound('message');
  const mail = await findMail(db, actor.accountId, messageId);
  if (!mail) throw notFound('mail');
  return mail;
}
