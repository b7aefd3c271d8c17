/** Checks the files of a message: uploaded, accessible to the sender, and of the declared type and size. */

import type { AttachmentRef } from '../../../contract/messaging/messages.ts';
import type { Tx } from '../../platform/db/db.ts';
import { badRequest } from '../../platform/http/errors.ts';
import { isId } from '../../platform/ids.ts';
import { type Actor, may } from '../accounts/accounts.ts';
import { type FileReader, takeStored } from './attachments.access.sql.ts';
import type { FileDeps } from './attachments.derive.ts';
import { knowledgeUpload } from './attachments.keys.ts';
import { takeImages } from './attachments.sql.ts';
import { essenceOf } from './attachments.types.ts';
import { settleUploads } from './attachments.upload.ts';

/** Before the transaction: files in a bucket are fetched without holding a connection. */
export async function prepareFiles(
  deps: FileDeps,
  accountId: string,
  refs: readonly AttachmentRef[] | undefined,
): Promise<void> {
  if (!refs || refs.length === 0) return;
  const keys = refs.map(({ fileKey }) => fileKey);
  const problems = await settleUploads(deps, accountId, keys);
  for (const [index, key] of keys.entries()) {
    const problem = problems.get(key);
    if (problem) throw badRequest(`attachments[${index}]: ${problem}`);
  }
}

/**
 * Returns the references as they are stored, with one query if there are any. A file that the sender may not read is
 * treated as not uploaded: using it in a message would give access to it.
 */
export async function attachFiles(
  tx: Tx,
  accountId: string,
  refs: readonly AttachmentRef[] | undefined,
  now: number,
  sender: FileReader,
): Promise<AttachmentRef[]> {
  if (!refs || refs.length === 0) return [];
  const keys = [...new Set(refs.map(({ fileKey }) => fileKey))].filter(isId);
  const files = new Map(
    (await takeStored(tx, accountId, keys, sender, now)).map((file) => [file.fileKey, file]),
  );
  return refs.map(({ fileKey, fileName, contentType, size }, index) => {
    const place = `attachments[${index}]`;
    const file = files.get(fileKey);
    if (!file) throw badRequest(`${place}.fileKey does not belong to an uploaded file`);
    if (essenceOf(file.contentType) !== essenceOf(contentType)) {
      throw badRequest(`${place}.contentType does not match the uploaded file`);
    }
    if (file.size !== size) throw badRequest(`${place}.size does not match the uploaded file`);
    return { fileKey, fileName, contentType, size };
  });
}

/** `visible`: the boards open to the actor, null for all. A token reads messages only with that scope. */
export function fileReaderOf(actor: Actor, visible: string[] | null): FileReader {
  const readsMessages = may(actor, 'conversations.view');
  return { actorId: actor.id, visible: readsMessages ? visible : [] };
}

/**
 * Images for pages that everyone may read. They leave the files of messages: none can name them any more, and what removes
 * those leaves them alone. Returns those that the actor has uploaded and not used.
 */
export async function takePublicImages(
  tx: Tx,
  accountId: string,
  fileKeys: readonly string[],
  actorId: string,
  now: number,
): Promise<string[]> {
  return takeImages(tx, accountId, fileKeys, { from: actorId, to: knowledgeUpload }, now);
}
