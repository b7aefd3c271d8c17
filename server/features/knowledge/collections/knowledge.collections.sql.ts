import type { KnowledgeCollection } from '../../../../contract/knowledge-collections.ts';
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';

const columns = sql`id, name, names, position as "order", parent_id as parent, created_at as "createdAt",
  updated_at as "updatedAt"`;

export async function selectCollections(db: Reader, accountId: string): Promise<KnowledgeCollection[]> {
  return db.query<KnowledgeCollection>(sql`
    select ${columns} from knowledge_collections where account_id = ${accountId} order by position, id`);
}

export async function insertCollection(
  tx: Tx,
  accountId: string,
  { id, name, names, order, parent, createdAt, updatedAt }: KnowledgeCollection,
): Promise<void> {
  await tx.query(sql`
    insert into knowledge_collections (account_id, id, name, names, position, parent_id, created_at, updated_at)
    values (${accountId}, ${id}, ${name}, ${JSON.stringify(names)}::jsonb, ${order}, ${parent}, ${createdAt}, ${updatedAt})`);
}

export async function updateCollection(
  tx: Tx,
  accountId: string,
  { id, name, names, order, parent, updatedAt }: KnowledgeCollection,
): Promise<void> {
  await tx.query(sql`
    update knowledge_collections set name = ${name}, names = ${JSON.stringify(names)}::jsonb, position = ${order}, parent_id = ${parent},
      updated_at = ${updatedAt}
    where account_id = ${accountId} and id = ${id}`);
}

/** What is in it moves to its parent. */
export async function deleteCollection(
  tx: Tx,
  accountId: string,
  { id, parent }: Pick<KnowledgeCollection, 'id' | 'parent'>,
): Promise<void> {
  await tx.query(sql`
    update knowledge_documents set collection_id = ${parent}
    where account_id = ${accountId} and collection_id = ${id}`);
  await tx.query(sql`
    update knowledge_collections set parent_id = ${parent}
    where account_id = ${accountId} and parent_id = ${id}`);
  await tx.query(sql`delete from knowledge_collections where account_id = ${accountId} and id = ${id}`);
}
