import type { JudgedQuestion } from '../../../../contract/knowledge-questions.ts';
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';
import { hasSource } from '../knowledge.state.sql.ts';

export async function selectQuestions(
  db: Reader,
  accountId: string,
  after: string | null,
  limit: number,
): Promise<JudgedQuestion[]> {
  const rows = await db.query<Omit<JudgedQuestion, 'documentIds'>>(sql`
    select q.id, q.q, q.created_at as "createdAt", (
        select coalesce(json_agg(json_build_object('id', d.id, 'title', d.title) order by asked.place), '[]')
        from unnest(q.document_ids) with ordinality as asked (id, place)
        join knowledge_documents d
          on d.account_id = q.account_id and d.id = asked.id and d.${hasSource(accountId)}) as documents
    from knowledge_questions q
    where q.account_id = ${accountId} and (${after}::uuid is null or q.id > ${after}::uuid)
    order by q.id limit ${limit}`);
  return rows.map((row) => ({ ...row, documentIds: row.documents.map(({ id }) => id) }));
}

export async function countQuestions(tx: Tx, accountId: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*)::int as count from knowledge_questions where account_id = ${accountId}`);
  return row!.count;
}

export async function insertQuestion(tx: Tx, accountId: string, question: JudgedQuestion): Promise<void> {
  await tx.query(sql`
    insert into knowledge_questions (account_id, id, q, document_ids, created_at)
    values (${accountId}, ${question.id}, ${question.q}, ${question.documentIds}::uuid[], ${question.createdAt})`);
}

export async function deleteQuestion(tx: Tx, accountId: string, id: string): Promise<string | null> {
  const [row] = await tx.query<{ q: string }>(sql`
    delete from knowledge_questions where account_id = ${accountId} and id = ${id} returning q`);
  return row?.q ?? null;
}

/** Their titles, by their ids. */
export async function selectKnownDocuments(
  tx: Tx,
  accountId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await tx.query<{ id: string; title: string }>(sql`
    select id, title from knowledge_documents
    where account_id = ${accountId} and id = any(${ids}::uuid[]) and ${hasSource(accountId)}`);
  return new Map(rows.map(({ id, title }) => [id, title]));
}
