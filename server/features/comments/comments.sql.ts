import type { Comment } from '../../../contract/crm/tasks.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { empty, limitTo, sql } from '../../platform/db/sql.ts';

/** Of a table named c. */
const commentColumns = sql`c.id as "commentId", c.record_id as "recordId", c.kanban_id as "kanbanId", c.content,
  coalesce(c.mentions, '[]') as mentions, jsonb_build_object('id', c.created_by, 'name', c.created_by_name) as author,
  c.created_at as "createdAt", c.updated_at as "updatedAt", c.client_id as "clientId"`;

/** Newest first. */
export async function selectComments(
  db: Reader,
  accountId: string,
  recordId: string,
  before: { createdAt: number; id: string } | null,
  limit: number,
): Promise<Comment[]> {
  return db.query<Comment>(sql`
    select ${commentColumns} from record_comments c
    where c.account_id = ${accountId} and c.record_id = ${recordId}
      ${before ? sql`and (c.created_at, c.id) < (${before.createdAt}, ${before.id})` : empty}
    order by c.created_at desc, c.id desc ${limitTo(limit)}`);
}

export async function findComment(db: Reader, accountId: string, id: string): Promise<Comment | null> {
  const [row] = await db.query<Comment>(
    sql`select ${commentColumns} from record_comments c where c.account_id = ${accountId} and c.id = ${id}`,
  );
  return row ?? null;
}

export async function countComments(db: Reader, accountId: string, recordId: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    select count(*)::int as count from record_comments where account_id = ${accountId} and record_id = ${recordId}`);
  return row!.count;
}

const jsonOf = ({ mentions }: Comment) => (mentions.length === 0 ? null : JSON.stringify(mentions));

export async function insertComment(tx: Tx, accountId: string, comment: Comment): Promise<void> {
  const { commentId, recordId, kanbanId, content, author, createdAt, updatedAt, clientId } = comment;
  await tx.query(sql`
    insert into record_comments (account_id, id, record_id, kanban_id, content, mentions, created_by, created_by_name,
      created_at, updated_at, client_id)
    values (${accountId}, ${commentId}, ${recordId}, ${kanbanId}, ${content}, ${jsonOf(comment)}, ${author.id},
      ${author.name}, ${createdAt}, ${updatedAt}, ${clientId})`);
}

export async function updateComment(tx: Tx, accountId: string, comment: Comment): Promise<void> {
  await tx.query(sql`
    update record_comments set content = ${comment.content}, mentions = ${jsonOf(comment)},
      updated_at = ${comment.updatedAt}
    where account_id = ${accountId} and id = ${comment.commentId}`);
}

export async function deleteComment(tx: Tx, accountId: string, id: string): Promise<void> {
  await tx.query(sql`delete from record_comments where account_id = ${accountId} and id = ${id}`);
}

/** Of several accounts at once, for live updates. */
export async function selectCommentsByKeys(
  db: Reader,
  keys: readonly { accountId: string; id: string }[],
): Promise<(Comment & { accountId: string; id: string })[]> {
  return db.query(sql`
    select c.account_id as "accountId", c.id, ${commentColumns}
    from unnest(${keys.map((key) => key.accountId)}::uuid[], ${keys.map((key) => key.id)}::uuid[])
      as wanted (account, comment)
    join record_comments c on c.account_id = account and c.id = comment`);
}
