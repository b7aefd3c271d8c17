/** Files as knowledge: they are uploaded like attachments, and read by a job. */
import type {
  KnowledgeDocument,
  KnowledgeFileCreate,
  KnowledgeSource,
  KnowledgeUpload,
} from '../../../../contract/knowledge.ts';
import { knowledgeFileTypes, limits } from '../../../../contract/limits.ts';
import type { UploadAnswer } from '../../../../contract/messaging/attachments.ts';
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { badRequest, conflict } from '../../../platform/http/errors.ts';
import { isId } from '../../../platform/ids.ts';
import { jobKind } from '../../../platform/jobs/job-kinds.ts';
import { endlessAttempts, enqueue } from '../../../platform/jobs/jobs.ts';
import type { Actor } from '../../accounts/accounts.ts';
import {
  essenceOf,
  type FileDeps,
  findStoredFile,
  knowledgeUpload,
  parseUploadType,
  requestUpload,
  settleUploads,
  takeUnusedUpload,
  type UploadDeps,
} from '../../attachments/attachments.ts';
import { createFileDocument } from '../documents/knowledge.documents.ts';
import { cleanTitle, nameWithoutEnding } from '../extraction/extracted-text.ts';
import type { Format } from '../extraction/extraction.ts';
import { lockKnowledge } from '../knowledge.state.sql.ts';
import { requireSource } from '../sources/knowledge.sources.ts';

export const knowledgeFileJobKind = jobKind('knowledge-file');

export async function requestFileUpload(
  tx: Tx,
  deps: UploadDeps,
  { accountId }: Actor,
  sourceId: string,
  input: KnowledgeUpload,
  baseUrl: string,
): Promise<UploadAnswer> {
  await requireSourceOfFiles(tx, accountId, sourceId);
  const check = () => checkFile(input);
  return requestUpload(tx, deps, { accountId, id: knowledgeUpload }, input, baseUrl, check);
}

/** Before the transaction: a file in a bucket is fetched without holding a connection. */
export async function settleFile(deps: FileDeps, accountId: string, fileKey: string): Promise<void> {
  const problem = (await settleUploads(deps, accountId, [fileKey])).get(fileKey);
  if (problem) throw badRequest(`fileKey: ${problem}`);
}

/** The document is a draft until its file is read. */
export async function addFile(
  tx: Tx,
  actor: Actor,
  now: number,
  sourceId: string,
  { fileKey, fileName }: KnowledgeFileCreate,
): Promise<KnowledgeDocument> {
  const { accountId } = actor;
  const title = cleanTitle(nameWithoutEnding(fileName));
  if (title === '') throw badRequest('fileName is required');
  const state = await lockKnowledge(tx, accountId);
  const source = await requireSourceOfFiles(tx, accountId, sourceId);
  await takeFile(tx, accountId, fileKey, now);
  const document = await createFileDocument(tx, actor, now, state, { source, title, fileKey });
  await enqueue(tx, {
    accountId,
    kind: knowledgeFileJobKind,
    payload: { documentId: document.id },
    dedupeKey: document.id,
    // The handler counts them: after the last one the document says so.
    maxAttempts: endlessAttempts,
  });
  return document;
}

/** Null: files of this type are not read. Some programs call every text `text/plain`. */
export function formatOf({
  contentType,
  fileName,
}: {
  contentType: string;
  fileName: string;
}): Format | null {
  const type = essenceOf(contentType);
  const formats = Object.entries(knowledgeFileTypes) as [Format, readonly string[]][];
  const format = formats.find(([, types]) => types.includes(type))?.[0] ?? null;
  if (format !== 'text') return format;
  const ending = /\.([a-z]+)$/i.exec(fileName)?.[1]?.toLowerCase();
  if (ending === 'csv') return 'csv';
  return ending === 'md' || ending === 'markdown' ? 'markdown' : 'text';
}

function checkFile(input: KnowledgeUpload): void {
  if (!formatOf(input)) {
    const types = Object.values(knowledgeFileTypes).flat().join(', ');
    throw badRequest(`contentType must be one of ${types}`);
  }
  if (!parseUploadType(input.contentType)) {
    throw badRequest('contentType may have no parameters other than charset=utf-8 (text)');
  }
  if (input.size > limits.knowledgeFileBytes) {
    throw badRequest(`size must be at most ${limits.knowledgeFileBytes / 1024 / 1024} MB`);
  }
}

async function takeFile(tx: Tx, accountId: string, fileKey: string, now: number): Promise<void> {
  if (isId(fileKey)) {
    if (await takeUnusedUpload(tx, accountId, fileKey, knowledgeUpload, now)) return;
    const file = await findStoredFile(tx, accountId, fileKey);
    if (file?.uploadedBy === knowledgeUpload) throw conflict('the file belongs to a document already');
  }
  throw badRequest('fileKey does not belong to a file that was uploaded for knowledge');
}

async function requireSourceOfFiles(db: Reader, accountId: string, id: string): Promise<KnowledgeSource> {
  const source = await requireSource(db, accountId, id);
  if (source.kind !== 'files') throw badRequest('the source is not of the kind files');
  return source;
}
