import type { Reader } from '../../../platform/db/db.ts';
import { empty, sql } from '../../../platform/db/sql.ts';

const within = sql`interval '90 days'`;

/** How many replies of the last 90 days cited each of these documents, in conversations that the caller may read. */
export async function countCitations(
  db: Reader,
  accountId: string,
  visible: string[] | null,
  documentIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (documentIds.length === 0) return new Map();
  const rows = await db.query<{ id: string; count: number }>(sql`
    select c.document_id as id, count(distinct c.message_id)::int as count
    from knowledge_citations c
    ${
      visible === null
        ? empty
        : sql`join messages m on m.account_id = c.account_id and m.id = c.message_id
          join sessions s on s.account_id = m.account_id and s.session_id = m.session_id
            and s.kanban_id = any(${visible}::uuid[])`
    }
    where c.account_id = ${accountId} and c.document_id = any(${documentIds}::uuid[])
      and c.created_at > (extract(epoch from now() - ${within}) * 1000)::bigint
    group by c.document_id`);
  return new Map(rows.map(({ id, count }) => [id, count]));
}
