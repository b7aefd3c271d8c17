/** What a dry run begins with: an event, or the latest message of a conversation. */
import type { Reader } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';

export interface TriedEvent {
  event: string;
  subjectId: string;
  kanbanId: string | null;
  fieldId: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: the body of any event
  data: any;
}

export async function findEvent(db: Reader, accountId: string, id: string): Promise<TriedEvent | null> {
  const [row] = await db.query<TriedEvent>(sql`
    select event, subject_id as "subjectId", kanban_id as "kanbanId", field_id as "fieldId",
      body::jsonb -> 'data' as data
    from events where account_id = ${accountId} and id = ${id}`);
  return row ?? null;
}

/** Of the customer, or of the team. */
export async function findLatestMessage(
  db: Reader,
  accountId: string,
  sessionId: string,
  side: 'customer' | 'team',
): Promise<string | null> {
  const [row] = await db.query<{ id: string }>(sql`
    select m.id from messages m
    where m.account_id = ${accountId} and m.session_id = ${sessionId} and not m.is_note and not m.held
      and m.role <> 'system' and (m.role = 'user' and not m.is_echo) = ${side === 'customer'}
    order by m.position desc limit 1`);
  return row?.id ?? null;
}

/** Null: it is gone. */
export async function findMessageAuthor(
  db: Reader,
  accountId: string,
  messageId: string,
): Promise<{ author: string; isFirst: boolean } | null> {
  const [row] = await db.query<{ author: string; isFirst: boolean }>(sql`
    select m.position = 1 as "isFirst",
      case when m.is_echo then 'person' when m.role = 'user' then 'customer' when m.role = 'assistant' then 'agent'
        when m.by_rule then 'rule' else 'person' end as author
    from messages m where m.account_id = ${accountId} and m.id = ${messageId}`);
  return row ?? null;
}
