import type { Reader, Tx } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';

export interface CitedVersion {
  documentId: string;
  version: number;
  messageId: string;
  at: number;
}

/** Versions that are gone meanwhile are left out: the reply has the excerpts. */
export async function insertCitations(
  tx: Tx,
  accountId: string,
  cited: readonly CitedVersion[],
): Promise<void> {
  await tx.query(sql`
    insert into knowledge_citations (account_id, document_id, version, message_id, created_at)
    select v.account_id, v.document_id, v.version, c."messageId", c.at
    from json_to_recordset(${JSON.stringify(cited)}::json)
      as c ("documentId" uuid, version int, "messageId" uuid, at bigint)
    join knowledge_versions v
      on v.account_id = ${accountId} and v.document_id = c."documentId" and v.version = c.version
    for key share of v
    on conflict do nothing`);
}

export async function deleteCitationsOf(tx: Tx, accountId: string, messageId: string): Promise<void> {
  await tx.query(sql`
    delete from knowledge_citations where account_id = ${accountId} and message_id = ${messageId}`);
}

/** Which of the documents are public, or were when they were deleted. */
export async function selectPublic(
  db: Reader,
  cited: readonly { accountId: string; documentId: string }[],
): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>(sql`
    select distinct c.id
    from unnest(${cited.map((one) => one.accountId)}::uuid[], ${cited.map((one) => one.documentId)}::uuid[])
      as c (account_id, id)
    left join knowledge_documents d on d.account_id = c.account_id and d.id = c.id
    left join knowledge_deleted_documents g on g.account_id = c.account_id and g.document_id = c.id
    where d.audience = 'public' or g.document_id is not null`);
  return new Set(rows.map(({ id }) => id));
}
