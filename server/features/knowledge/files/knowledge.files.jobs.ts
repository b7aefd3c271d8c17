/** Reads uploaded files. A kill repeats it: until the text is stored, the document is a draft without a version. */
import { buffer } from 'node:stream/consumers';
import type { BlobStore } from '../../../platform/blobs/blob-store.ts';
import type { Clock } from '../../../platform/db/clock.ts';
import type { Db } from '../../../platform/db/db.ts';
import type { Job, JobHandler } from '../../../platform/jobs/jobs.ts';
import { findStoredFile, openStoredFile } from '../../attachments/attachments.ts';
import { type FileOutcome, findUnreadFile, finishFileDocument } from '../documents/knowledge.documents.ts';
import { type Extraction, ExtractionProblem } from '../extraction/extraction.ts';
import { formatOf } from './knowledge.files.ts';

interface Deps {
  db: Db;
  clock: Clock;
  blobs: BlobStore;
  extraction: Extraction;
}

/** A file that takes the whole process with it fails after them, and so does one that the store does not give. */
const maxAttempts = 10;

export function knowledgeFileHandler(deps: Deps): JobHandler {
  const { db, clock } = deps;
  return async (job) => {
    const { accountId } = job;
    const id = String(job.payload.documentId);
    const document = await findUnreadFile(db, accountId, id);
    if (!document) return;
    const outcome = await read(deps, job, document.fileKey);
    await db.transaction(async (tx) => {
      await finishFileDocument(tx, accountId, clock.now(), id, outcome);
      await job.complete(tx);
    });
  };
}

async function read(
  { db, blobs, extraction }: Deps,
  { accountId, attempt, signal }: Job,
  fileKey: string,
): Promise<FileOutcome> {
  if (attempt > maxAttempts) return { problem: 'it could not be read: upload it again' };
  const file = await findStoredFile(db, accountId, fileKey);
  const format = file && formatOf(file);
  const stream = format && (await openStoredFile(blobs, accountId, fileKey));
  if (!stream) return { problem: 'the uploaded file is missing: upload it again' };
  const bytes = await buffer(stream);
  try {
    return await extraction.extract({ accountId, format, bytes, signal });
  } catch (error) {
    if (error instanceof ExtractionProblem) return { problem: error.message };
    throw error;
  }
}
