/** The HTML of a stored mail, ready to be shown in a frame. */
import { buffer } from 'node:stream/consumers';
import type { BlobStore } from '../../../platform/blobs/blob-store.ts';
import { createOnDemandThread, ThreadTimeout } from '../../../platform/concurrency/on-demand-thread.ts';
import type { Reader } from '../../../platform/db/db.ts';
import { conflict } from '../../../platform/http/errors.ts';
import { isId } from '../../../platform/ids.ts';
import { openStoredFile } from '../../attachments/attachments.ts';
import type { MailFile } from '../email/email.parse.ts';
import { mailReader } from '../email/email.reader.ts';
import { findMail } from '../mail/connectors.mail.sql.ts';
import { contentIdOf } from './mail-view.content-id.ts';
import type { CleanMail, MailHtml } from './mail-view.sanitise.ts';

interface MailDeps {
  db: Reader;
  blobs: BlobStore;
}

/** Null: the mail has no HTML, or is gone. The caller has checked who may read it. */
export async function readMailHtml(
  { db, blobs }: MailDeps,
  accountId: string,
  messageId: string,
): Promise<Omit<MailHtml, 'remoteImages'> | null> {
  const mail = isId(messageId) ? await findMail(db, accountId, messageId) : null;
  const stream = mail?.originalKey ? await openStoredFile(blobs, accountId, mail.originalKey) : null;
  if (!stream) return null;
  const { html, files } = await mailReader.read(await buffer(stream));
  return html === null ? null : { html, inlineImages: inlineImages(html, files) };
}

const pictureTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const maxInlineBytes = 10 * 1024 * 1024;

/** Only those that the HTML names, until there are too many bytes. */
function inlineImages(html: string, files: readonly MailFile[]): Map<string, string> {
  const named = new Set(
    [...html.matchAll(/cid:([^"'\s)>]{1,998})/gi)].map(([, cid = '']) => contentIdOf(cid)),
  );
  const images = new Map<string, string>();
  let left = maxInlineBytes;
  for (const { contentId, type, bytes } of files) {
    if (contentId === null || !named.has(contentId) || !pictureTypes.includes(type)) continue;
    left -= bytes.length;
    if (left < 0) break;
    images.set(contentId, `data:${type};base64,${bytes.toString('base64')}`);
  }
  return images;
}

export interface MailSanitiser {
  sanitise(mail: MailHtml): Promise<CleanMail>;
  close(): Promise<void>;
}

/** Smaller ones take a few milliseconds. */
const maxHere = 30_000;
const timeoutMs = 15_000;
const idleMs = 60_000;

export function createMailSanitiser(): MailSanitiser {
  const file = new URL('./mail-view.thread.ts', import.meta.url);
  const thread = createOnDemandThread<MailHtml, CleanMail>({ file, data: null, idleMs });
  return {
    async sanitise(mail) {
      if (mail.html.length <= maxHere) {
        // Loaded with the first mail: its parser would slow down every start.
        const { sanitiseMail } = await import('./mail-view.sanitise.ts');
        return sanitiseMail(mail);
      }
      try {
        return await thread.ask(mail, timeoutMs);
      } catch (error) {
        if (error instanceof ThreadTimeout) throw conflict('the HTML of this mail takes too long to read');
        throw error;
      }
    },
    close: () => thread.close(),
  };
}
