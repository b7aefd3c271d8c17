/** What an export of a person contains. */
import type { Reader } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';

type Row = Record<string, unknown>;

export async function selectExportedMessages(
  db: Reader,
  accountId: string,
  sessionId: string,
  after: number,
  limit: number,
): Promise<(Row & { position: number; fileKeys: string[] })[]> {
  return db.query(sql`
    select position, id, role, content, created_at as "timestamp", is_note as "isNote", status,
      status_reason as "statusReason", reactions, attachments, operator_name as "operatorName",
      edited_at as "editedAt", deleted_at as "deletedAt", data, attachment_file_keys(attachments) as "fileKeys"
    from messages where account_id = ${accountId} and session_id = ${sessionId} and position > ${after}
    order by position limit ${limit}`);
}

export async function selectExportedRatings(
  db: Reader,
  accountId: string,
  sessionId: string,
): Promise<Row[]> {
  return db.query(sql`
    select score, comment, resolved_at as "resolvedAt", created_at as "createdAt" from session_ratings
    where account_id = ${accountId} and session_id = ${sessionId} order by resolved_at`);
}

/** What became of the targets of service levels. */
export async function selectExportedTargets(
  db: Reader,
  accountId: string,
  sessionId: string,
): Promise<Row[]> {
  return db.query(sql`
    select r.kind, p.name as policy, r.started_at as "startedAt", r.due_at as "dueAt", r.outcome, r.at
    from sla_results r left join sla_policies p on p.account_id = r.account_id and p.id = r.policy_id
    where r.account_id = ${accountId} and r.session_id = ${sessionId} order by r.started_at, r.kind`);
}

/** They wait to be sent. */
export async function selectExportedScheduled(
  db: Reader,
  accountId: string,
  sessionId: string,
): Promise<Row[]> {
  return db.query(sql`
    select id, send_at as "sendAt", content, attachments, template, mail, author_name as "operatorName",
      created_at as "createdAt"
    from scheduled_messages where account_id = ${accountId} and session_id = ${sessionId} order by send_at, id`);
}

export async function selectExportedRecord(db: Reader, accountId: string, id: string): Promise<Row | null> {
  const [row] = await db.query<Row>(sql`
    select r.id, r.kanban_id as "kanbanId", r.title, r.status, r.custom_fields as "customFields",
      r.unverified_fields::text[] as "unverifiedFieldIds", r.created_at as "createdAt", r.updated_at as "updatedAt",
      (select coalesce(json_agg(json_build_object('content', c.content, 'by', c.created_by_name, 'createdAt',
          c.created_at) order by c.created_at, c.id), '[]')
        from record_comments c where c.account_id = r.account_id and c.record_id = r.id) as comments,
      (select coalesce(json_agg(json_build_object('title', t.title, 'dueAt', t.due_at, 'doneAt', t.done_at)
          order by t.created_at, t.id), '[]')
        from tasks t where t.account_id = r.account_id and t.record_id = r.id) as tasks
    from records r where r.account_id = ${accountId} and r.id = ${id}`);
  return row ?? null;
}
