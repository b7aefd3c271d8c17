import type { Reader, Tx } from '../../platform/db.ts';
import { sql } from '../../platform/sql.ts';

export async function insertUpload(
  tx: Tx,
  accountId: string,
  fileKey: string,
  sessionId: string,
): Promise<void> {
  await tx.query(sql`
    insert into widget_uploads (account_id, file_key, session_id) values (${accountId}, ${fileKey}, ${sessionId})`);
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
