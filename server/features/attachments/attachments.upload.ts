/** Uploads: a client requests an address and puts the bytes there; they are checked before anyone sees them. */

import { uploadUrlMinutes } from '../../../contract/limits.ts';
import type { UploadAnswer, UploadRequest } from '../../../contract/messaging/attachments.ts';
import type { Draft } from '../../platform/blobs/blob-drafts.ts';
import type { Tx } from '../../platform/db/db.ts';
import { badRequest, conflict, notFound } from '../../platform/http/errors.ts';
import { isId, newId } from '../../platform/ids.ts';
import { jobKind } from '../../platform/jobs/job-kinds.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import { requireStorage } from '../../platform/limits/storage-quota.ts';
import { findContentProblem } from './attachments.content.ts';
import type { FileDeps } from './attachments.derive.ts';
import { blobKey, knowledgeUpload, uploadKey } from './attachments.keys.ts';
import { tidyUploadJobKind } from './attachments.prune.ts';
import {
  deletePending,
  findFile,
  insertFile,
  lockFile,
  markStored,
  type StoredFile,
  selectPending,
} from './attachments.sql.ts';
import { checkFile, cleanContentType, essenceOf, kindOf, parseUploadType } from './attachments.types.ts';
import type { FileUrls, FileUse } from './attachments.urls.ts';

export const pictureJobKind = jobKind('attachment-picture');

const uploadMs = uploadUrlMinutes * 60_000;
/**
 * The uploader of visitors' files. No actor has this id: before it is sent, only the visitor who uploaded a file may
 * use it (`widget_uploads`).
 */
export const visitorUpload = 'visitor';

export interface UploadDeps extends FileDeps {
  urls: FileUrls;
}

export async function requestUpload(
  tx: Tx,
  { clock, blobs, urls }: UploadDeps,
  actor: { accountId: string; id: string },
  input: UploadRequest,
  baseUrl: string,
  check = checkFile,
): Promise<UploadAnswer> {
  const { accountId } = actor;
  const use = await announceUpload(tx, clock.now(), actor, input, check);
  const { fileKey, size, expiresAt } = use;
  const atStore = await blobs.presignPut(
    uploadKey(accountId, fileKey),
    // The bucket compares the header as text, so it is signed as the client wrote it; `checkFile` has parsed it.
    { contentType: input.contentType.trim(), size },
    uploadMs / 1000,
  );
  return { uploadUrl: atStore ?? `${baseUrl}${urls.sign(use)}`, fileKey, expiresAt };
}

/** Reserves the account's storage for the file: it counts from here on, uploaded or not, until its row is deleted. */
export async function announceUpload(
  tx: Tx,
  now: number,
  uploader: { accountId: string; id: string },
  input: UploadRequest,
  check = checkFile,
): Promise<FileUse> {
  check(input);
  const { accountId, id: uploadedBy } = uploader;
  const { fileName, size } = input;
  const contentType = parseUploadType(input.contentType) ?? cleanContentType(input.contentType);
  const fileKey = newId(now);
  await requireStorage(tx, accountId, size);
  await insertFile(tx, accountId, { fileKey, fileName, contentType, size, uploadedBy, now });
  return {
    method: 'PUT',
    accountId,
    fileKey,
    contentType,
    size,
    variant: 'file',
    expiresAt: now + uploadMs,
  };
}

/** Releases the reserved storage. False: the file was uploaded, or is already gone. */
export async function discardUpload(tx: Tx, accountId: string, fileKey: string): Promise<boolean> {
  return deletePending(tx, accountId, fileKey);
}

/** What the headers reveal is rejected before the first byte is read. */
export function checkUploadHeaders(
  { contentType, size }: FileUse,
  headers: { 'content-type'?: string; 'content-length'?: string; 'content-encoding'?: string },
): void {
  const declared = headers['content-type'] ?? '';
  if (!parseUploadType(declared) || essenceOf(declared) !== essenceOf(contentType)) {
    throw badRequest(`Content-Type must be ${parseUploadType(contentType) ?? cleanContentType(contentType)}`);
  }
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') throw badRequest('the body must not be compressed');
  if (headers['content-length'] !== undefined && Number(headers['content-length']) !== size)
    throw wrongSize(size);
}

/** The bytes of an announced file, for any store. */
export async function receiveUpload(
  deps: FileDeps,
  use: FileUse,
  chunks: AsyncIterable<Buffer>,
): Promise<void> {
  const { accountId, fileKey, size } = use;
  const file = await findFile(deps.db, accountId, fileKey);
  if (!file || file.state === 'removing') throw notFound('file');
  if (file.state === 'stored') throw alreadyUploaded();
  const draft = await deps.blobs.drafts.receive(chunks, size, () => wrongSize(size));
  try {
    if (draft.size !== size) throw wrongSize(size);
    const problem = await contentProblemOf(file, draft);
    if (problem) throw badRequest(problem);
    if (!(await keepDraft(deps, accountId, file, draft))) throw alreadyUploaded();
  } finally {
    await draft.discard();
  }
}

/**
 * False: another upload was first. The bytes are in place before the row says so, and both happen under the row's
 * lock: a second simultaneous upload can no longer replace the first.
 */
function keepDraft(
  { db, blobs }: FileDeps,
  accountId: string,
  { fileKey, contentType }: StoredFile,
  draft: Draft,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const locked = await lockFile(tx, accountId, fileKey);
    if (locked?.state !== 'pending') return false;
    await blobs.place(draft, blobKey(accountId, fileKey), cleanContentType(contentType));
    await markStored(tx, accountId, fileKey);
    const work = { accountId, payload: { fileKey }, dedupeKey: fileKey };
    if (kindOf(contentType) === 'image') await enqueue(tx, { ...work, kind: pictureJobKind, maxAttempts: 5 });
    if (blobs.takesUploads) {
      // The address stays valid for a while: the job removes late uploads.
      await enqueue(tx, { ...work, kind: tidyUploadJobKind, delayMs: uploadMs });
    }
    return true;
  });
}

/** Checks files that clients have put into the store directly. Returns what is wrong with a file, by its key. */
export async function settleUploads(
  deps: FileDeps,
  accountId: string,
  fileKeys: readonly string[],
): Promise<Map<string, string>> {
  const problems = new Map<string, string>();
  const known = fileKeys.filter(isId);
  if (!deps.blobs.takesUploads || known.length === 0) return problems;
  for (const file of await selectPending(deps.db, accountId, known)) {
    const problem = await settleUpload(deps, accountId, file);
    if (problem) problems.set(file.fileKey, problem);
  }
  return problems;
}

async function settleUpload(deps: FileDeps, accountId: string, file: StoredFile): Promise<string | null> {
  const { blobs } = deps;
  const source = uploadKey(accountId, file.fileKey);
  const bytes = await blobs.open(source);
  if (!bytes) return null;
  const draft = await blobs.drafts.receive(bytes, file.size, () => wrongSize(file.size));
  try {
    const problem =
      draft.size === file.size ? await contentProblemOf(file, draft) : wrongSize(file.size).message;
    if (!problem) await keepDraft(deps, accountId, file, draft);
    // A rejected file may be uploaded again while the address is valid.
    await blobs.delete(source);
    return problem;
  } finally {
    await draft.discard();
  }
}

/** Knowledge is read in a thread of its own, which finds out what is wrong with a file. */
const contentProblemOf = async (
  { contentType, uploadedBy }: StoredFile,
  { path }: Draft,
): Promise<string | null> => (uploadedBy === knowledgeUpload ? null : findContentProblem(path, contentType));

const wrongSize = (size: number) => badRequest(`the body must have exactly ${size} bytes`);
const alreadyUploaded = () => conflict('the file has already been uploaded');
