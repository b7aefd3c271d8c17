/** The row that every change of an account's knowledge takes first. */
import type { Reader, Tx } from '../../platform/db/db.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';

export interface KnowledgeState {
  /** The number of this change; the next one has to wait for its commit. */
  change: number;
  documents: number;
  bytes: number;
  maxDocuments: number;
  maxBytes: number;
}

/**
 * For `source_id` of a document or a run. A source goes at once, and what it leaves is deleted in parts: until then nobody
 * may find it.
 */
export const hasSource = (accountId: string): Sql => sql`source_id = any(array(
  select s.id from knowledge_sources s where s.account_id = ${accountId}))`;

export async function lockKnowledge(tx: Tx, accountId: string): Promise<KnowledgeState> {
  const [row] = await tx.query<KnowledgeState>(sql`
    insert into knowledge_state as s (account_id, changes) values (${accountId}, 1)
    on conflict (account_id) do update set changes = s.changes + 1
    returning s.changes as change, s.documents, s.bytes,
      (select max_knowledge_documents from accounts where id = s.account_id) as "maxDocuments",
      (select max_knowledge_bytes from accounts where id = s.account_id) as "maxBytes"`);
  return row!;
}

/** Until the end of the transaction nobody changes the account's knowledge. */
export async function holdKnowledge(tx: Tx, accountId: string): Promise<void> {
  await tx.query(sql`select from knowledge_state where account_id = ${accountId} for share`, {
    timeoutMs: 60_000,
  });
}

/** As it is now, for work that takes the row later. */
export async function readKnowledge(db: Reader, accountId: string): Promise<Omit<KnowledgeState, 'change'>> {
  const [row] = await db.query<Omit<KnowledgeState, 'change'>>(sql`
    select coalesce(s.documents, 0) as documents, coalesce(s.bytes, 0) as bytes,
      a.max_knowledge_documents as "maxDocuments", a.max_knowledge_bytes as "maxBytes"
    from accounts a left join knowledge_state s on s.account_id = a.id where a.id = ${accountId}`);
  return row!;
}

/** How much there is more, or less. A search index removes what is gone if something was. */
export async function countKnowledge(
  tx: Tx,
  accountId: string,
  { documents, bytes, isRemoval }: { documents: number; bytes: number; isRemoval: boolean },
): Promise<void> {
  await tx.query(sql`
    update knowledge_state set documents = documents + ${documents}, bytes = bytes + ${bytes},
      removals = case when ${isRemoval} then changes else removals end
    where account_id = ${accountId}`);
}
