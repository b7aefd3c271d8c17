import type { Reader, Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';

export async function selectTranslations(
  db: Reader,
  accountId: string,
  messageIds: readonly string[],
  language: string,
): Promise<{ messageId: string; text: string }[]> {
  return db.query(sql`
    select message_id as "messageId", text from copilot_translations
    where account_id = ${accountId} and message_id = any(${messageIds}::uuid[]) and language = ${language}`);
}

export interface NewTranslation {
  sessionId: string;
  messageId: string;
  /** What was translated: if the message has changed since, nothing is kept. */
  updatedAt: number;
  language: string;
  text: string;
}

export async function insertTranslation(
  tx: Tx,
  accountId: string,
  { sessionId, messageId, updatedAt, language, text }: NewTranslation,
): Promise<void> {
  await tx.query(sql`
    insert into copilot_translations (account_id, session_id, message_id, language, text)
    select account_id, session_id, id, ${language}, ${text} from (
      select account_id, session_id, id from messages
      where account_id = ${accountId} and session_id = ${sessionId} and id = ${messageId}
        and updated_at = ${updatedAt} for share) m
    on conflict (account_id, message_id, language) do update set text = excluded.text`);
}

/** What a summary is of. It is another one when a message is added, changed or removed. */
export interface Summarized {
  /** The newest. */
  messageId: string;
  count: number;
  updatedAt: number;
}

/** Null: the conversation has no messages. */
export async function findSummarized(
  db: Reader,
  accountId: string,
  sessionId: string,
): Promise<Summarized | null> {
  const [row] = await db.query<Summarized>(sql`
    select (array_agg(id order by position desc))[1] as "messageId", count(*)::int as count,
      max(updated_at) as "updatedAt"
    from messages where account_id = ${accountId} and session_id = ${sessionId} having count(*) > 0`);
  return row ?? null;
}

export async function findSummary(
  db: Reader,
  accountId: string,
  sessionId: string,
  language: string,
  messageId: string,
): Promise<string | null> {
  const [row] = await db.query<{ text: string }>(sql`
    select text from copilot_summaries where account_id = ${accountId} and session_id = ${sessionId}
      and language = ${language} and message_id = ${messageId}`);
  return row?.text ?? null;
}

/** Under the lock of the conversation. */
export async function saveSummary(
  tx: Tx,
  accountId: string,
  of: { sessionId: string; language: string; messageId: string; text: string },
): Promise<void> {
  await tx.query(sql`
    insert into copilot_summaries (account_id, session_id, language, message_id, text)
    values (${accountId}, ${of.sessionId}, ${of.language}, ${of.messageId}, ${of.text})
    on conflict (account_id, session_id, language)
      do update set message_id = excluded.message_id, text = excluded.text`);
}
