import type { Reader, Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';

export async function insertUpload(
  tx: Tx,
  accountId: string,
  fileKey: string,
  sessionId: string,
): Promise<void> {
  await tx.query(sql`
    insert into widget_uploads (account_id, file_key, session_id) values (${accountId}, ${fileKey}, ${sessionId})`);
}

export interface UploadUsage {
  subject: string;
  day: string;
  bytes: number;
}

/** False: the subject has reached its limit of the day. */
export async function addUploadUsage(
  tx: Tx,
  accountId: string,
  { subject, day, bytes, limit }: UploadUsage & { limit: number },
): Promise<boolean> {
  const [row] = await tx.query<{ added: boolean }>(sql`
    select add_widget_upload(${accountId}, ${subject}, ${day}::date, ${bytes}, ${limit}) as added`);
  return row!.added;
}

export async function removeUploadUsage(
  tx: Tx,
  accountId: string,
  { subject, day, bytes }: UploadUsage,
): Promise<void> {
  await tx.query(sql`
    update widget_upload_usage set bytes = greatest(0, bytes - ${bytes})
    where account_id = ${accountId} and subject = ${subject} and day = ${day}::date`);
}

export async function deleteUploadUsage(tx: Tx, before: string): Promise<void> {
  await tx.query(sql`delete from widget_upload_usage where day < ${before}::date`, { timeoutMs: 60_000 });
}

/** Which of the files this visitor has uploaded. */
export async function selectOwnUploads(
  db: Reader,
  accountId: string,
  sessionId: string,
  fileKeys: readonly string[],
): Promise<string[]> {
  const rows = await db.query<{ file_key: string }>(sql`
    select file_key from widget_uploads
    where account_id = ${accountId} and session_id = ${sessionId} and file_key = any(${fileKeys}::uuid[])`);
  return rows.map((row) => row.file_key);
}
