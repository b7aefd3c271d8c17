import type { KnowledgeUsage } from '../../../../contract/knowledge-usage.ts';
import type { Reader } from '../../../platform/db/db.ts';
import { empty, sql } from '../../../platform/db/sql.ts';

/** Of conversations that the caller may read. */
export async function selectUsage(
  db: Reader,
  accountId: string,
  visible: string[] | null,
  documentId: string,
  limit: number,
): Promise<KnowledgeUsage> {
  const given = JSON.stringify([{ documentId }]);
  const [row] = await db.query<KnowledgeUsage>(
    sql`
    with replies as (
      select l.session_id, s.session_name, l.created_at, coalesce(l.citations @> ${given}::jsonb, false) as cited
      from reply_log l join sessions s on s.account_id = l.account_id and s.session_id = l.session_id
        ${visible === null ? empty : sql`and s.kanban_id = any(${visible}::uuid[])`}
      where l.account_id = ${accountId}
        and jsonb_path_query_array(l.retrieved, '$[*].documentId') @> ${JSON.stringify([documentId])}::jsonb
    ), conversations as (
      select session_id, session_name, bool_or(cited) as cited, max(created_at) as last_at from replies
      group by session_id, session_name order by last_at desc, session_id limit ${limit}
    )
    select (select count(*)::int from replies) as retrieved,
      (select count(*)::int from replies where cited) as cited,
      coalesce(f.helpful, 0)::int as helpful, coalesce(f.not_helpful, 0)::int as "notHelpful",
      (select coalesce(json_agg(json_build_object('sessionId', session_id, 'sessionName', session_name, 'cited', cited,
          'lastAt', last_at) order by last_at desc, session_id), '[]') from conversations) as conversations
    from (
      select sum(helpful) as helpful, sum(not_helpful) as not_helpful from help_feedback
      where account_id = ${accountId} and document_id = ${documentId}::uuid) f`,
    { timeoutMs: 10_000 },
  );
  return row!;
}
