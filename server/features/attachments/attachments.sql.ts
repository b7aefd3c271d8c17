import { attachmentKinds } from '../../../contract/limits.ts';
import type { ConvertedFile, Transcript } from '../../../contract/messaging/attachments.ts';
import { isServedHere } from '../../platform/cells/move/served-here.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';

export interface StoredFile {
  fileKey: string;
  fileName: string;
  contentType: string;
  size: number;
  state: 'pending' | 'stored' | 'removing';
  uploadedBy: string | null;
  width: number | null;
  height: number | null;
  thumbnailSize: number | null;
  converted: ConvertedFile | null;
  transcript: Transcript | null;
}

export const columns = sql`file_key as "fileKey", file_name as "fileName", content_type as "contentType", size, state,
  uploaded_by as "uploadedBy", width,
  height, thumbnail_size as "thumbnailSize", converted, transcript`;

export async function insertFile(
  tx: Tx,
  accountId: string,
  file: {
    fileKey: string;
    fileName: string;
    contentType: string;
    size: number;
    derivedFrom?: string;
    uploadedBy?: string;
    now: number;
  },
): Promise<void> {
  await tx.query(sql`
    insert into attachments (account_id, file_key, file_name, content_type, size, derived_from, uploaded_by,
      created_at)
    values (${accountId}, ${file.fileKey}, ${file.fileName}, ${file.contentType}, ${file.size},
      ${file.derivedFrom ?? null}, ${file.uploadedBy ?? null}, ${file.now})`);
}

export async function findFile(db: Reader, accountId: string, fileKey: string): Promise<StoredFile | null> {
  const [row] = await db.query<StoredFile>(sql`
    select ${columns} from attachments where account_id = ${accountId} and file_key = ${fileKey}`);
  return row ?? null;
}

/** Of two uploads to the same key, one gets the lock first; the other finds it stored. */
export async function lockFile(tx: Tx, accountId: string, fileKey: string): Promise<StoredFile | null> {
  const [row] = await tx.query<StoredFile>(sql`
    select ${columns} from attachments where account_id = ${accountId} and file_key = ${fileKey} for update`);
  return row ?? null;
}

/** False: it was removed meanwhile. */
export async function markStored(tx: Tx, accountId: string, fileKey: string): Promise<boolean> {
  const rows = await tx.query(sql`
    update attachments set state = 'stored'
    where account_id = ${accountId} and file_key = ${fileKey} and state = 'pending' returning 1`);
  return rows.length > 0;
}

export async function markUsed(tx: Tx, accountId: string, fileKey: string, now: number): Promise<boolean> {
  const rows = await tx.query(sql`
    update attachments set used_at = coalesce(used_at, ${now})
    where account_id = ${accountId} and file_key = ${fileKey} and state = 'stored' returning 1`);
  return rows.length > 0;
}

/**
 * The file that nobody used yet, and from here on the caller does. Null: there is none, or somebody did. Its lock makes the
 * removal of unused files wait.
 */
export async function takeUnusedUpload(
  tx: Tx,
  accountId: string,
  fileKey: string,
  uploadedBy: string,
  now: number,
): Promise<Pick<StoredFile, 'fileName' | 'contentType'> | null> {
  const [row] = await tx.query<Pick<StoredFile, 'fileName' | 'contentType'>>(sql`
    update attachments set used_at = ${now}
    where account_id = ${accountId} and file_key = ${fileKey} and state = 'stored' and used_at is null
      and uploaded_by = ${uploadedBy}
    returning file_name as "fileName", content_type as "contentType"`);
  return row ?? null;
}

/** False: it is no image, or not an unused upload of the uploader. */
export async function takeImages(
  tx: Tx,
  accountId: string,
  fileKeys: readonly string[],
  { from, to }: { from: string; to: string },
  now: number,
): Promise<string[]> {
  const rows = await tx.query<{ fileKey: string }>(sql`
    update attachments set used_at = ${now}, uploaded_by = ${to}
    where account_id = ${accountId} and file_key = any(${fileKeys}::uuid[]) and state = 'stored' and used_at is null
      and uploaded_by = ${from} and split_part(content_type, ';', 1) = any(${[...attachmentKinds.image.types]}::text[])
    returning file_key as "fileKey"`);
  return rows.map(({ fileKey }) => fileKey);
}

export async function deletePending(tx: Tx, accountId: string, fileKey: string): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from attachments where account_id = ${accountId} and file_key = ${fileKey} and state = 'pending'
    returning 1`);
  return rows.length > 0;
}

export async function selectPending(
  db: Reader,
  accountId: string,
  fileKeys: readonly string[],
): Promise<StoredFile[]> {
  return db.query<StoredFile>(sql`
    select ${columns} from attachments
    where account_id = ${accountId} and file_key = any(${fileKeys}::uuid[]) and state = 'pending'`);
}

export async function savePicture(
  tx: Tx,
  accountId: string,
  fileKey: string,
  picture: { width: number; height: number; thumbnailSize: number | null },
): Promise<void> {
  await tx.query(sql`
    update attachments set width = ${picture.width}, height = ${picture.height},
      thumbnail_size = ${picture.thumbnailSize}
    where account_id = ${accountId} and file_key = ${fileKey}`);
}

/** False: another worker has converted the file meanwhile. */
export async function linkConverted(
  tx: Tx,
  accountId: string,
  fileKey: string,
  converted: ConvertedFile,
  now: number,
): Promise<boolean> {
  const rows = await tx.query(sql`
    with source as (
      update attachments set converted = ${JSON.stringify(converted)}::jsonb
      where account_id = ${accountId} and file_key = ${fileKey} and converted is null returning 1)
    update attachments set state = 'stored', used_at = ${now}
    where account_id = ${accountId} and file_key = ${converted.fileKey} and exists (select from source)
    returning 1`);
  return rows.length > 0;
}

export async function saveTranscript(
  tx: Tx,
  accountId: string,
  fileKey: string,
  transcript: Transcript,
): Promise<void> {
  await tx.query(sql`
    update attachments set transcript = ${JSON.stringify(transcript)}::jsonb
    where account_id = ${accountId} and file_key = ${fileKey}`);
}

export async function selectUsage(db: Reader, accountId: string): Promise<{ files: number; bytes: number }> {
  const [row] = await db.query<{ files: number; bytes: number }>(sql`
    select count(*) as files, coalesce(sum(size + coalesce(thumbnail_size, 0)), 0)::bigint as bytes
    from attachments where account_id = ${accountId} and state = 'stored'`);
  return row!;
}

export interface FileToRemove {
  accountId: string;
  fileKey: string;
}

/**
 * From here on no message can use them; an interrupted removal is repeated. Files announced before `announcedBefore`
 * and never uploaded are unused too.
 */
export async function takeUnused(
  tx: Tx,
  { createdBefore, announcedBefore }: { createdBefore: number; announcedBefore: number },
  limit: number,
): Promise<FileToRemove[]> {
  return tx.query<FileToRemove>(sql`
    with unused as (
      select account_id, file_key from attachments
      where used_at is null and (created_at < ${createdBefore}
        or created_at < ${announcedBefore} and state = 'pending' and derived_from is null)
        and ${isServedHere(sql`attachments.account_id`)}
      order by created_at limit ${limit} for update skip locked)
    update attachments a set state = 'removing' from unused u
    where a.account_id = u.account_id and a.file_key = u.file_key
    returning a.account_id as "accountId", a.file_key as "fileKey"`);
}

/** Marked by an erasure. */
export async function selectErased(db: Reader, accountId: string, limit: number): Promise<string[]> {
  const rows = await db.query<{ key: string }>(sql`
    select file_key as key from attachments
    where account_id = ${accountId} and used_at is null and created_at = 0 and state = 'removing' limit ${limit}`);
  return rows.map(({ key }) => key);
}

export async function deleteFile(tx: Tx, accountId: string, fileKey: string): Promise<void> {
  await tx.query(sql`
    delete from attachments where account_id = ${accountId} and file_key = ${fileKey} and state = 'removing'`);
}
