/** What the customer may read of a conversation: no notes, no held replies, no system messages. */
import type { Reader, Tx } from '../../platform/db/db.ts';
import { empty, sql } from '../../platform/db/sql.ts';
import { withCurrentAudience } from '../knowledge/knowledge.ts';
import { type MessageRow, messageColumns, type StoredMessage, toStoredMessage } from './messages.sql.ts';

const readable = sql`role <> 'system' and not is_note and not held`;

export function customerMayRead(message: Pick<StoredMessage, 'role' | 'isNote' | 'held'>): boolean {
  return message.role !== 'system' && !message.isNote && !message.held;
}

/** Latest first. */
export async function selectForCustomer(
  db: Reader,
  accountId: string,
  sessionId: string,
  before: number | null,
  limit: number,
): Promise<StoredMessage[]> {
  const rows = await db.query<MessageRow>(sql`
    select ${messageColumns} from messages
    where account_id = ${accountId} and session_id = ${sessionId} and ${readable}
      ${before === null ? empty : sql`and position < ${before}`}
    order by position desc limit ${limit}`);
  return withCurrentAudience(db, rows.map(toStoredMessage), () => accountId);
}

/** What is new and what has changed: a receipt, a reaction, a released reply. In order. */
export async function selectChangedForCustomer(
  db: Reader,
  accountId: string,
  sessionId: string,
  since: { position: number; time: number },
  limit: number,
): Promise<StoredMessage[]> {
  const rows = await db.query<MessageRow>(sql`
    select ${messageColumns} from messages
    where account_id = ${accountId} and session_id = ${sessionId} and ${readable}
      and (position > ${since.position} or updated_at >= ${since.time})
    order by position limit ${limit}`);
  return withCurrentAudience(db, rows.map(toStoredMessage), () => accountId);
}

/** How far back a receipt looks: one for the latest message of a long chat must not read all of it. */
const receiptReach = 500;

/** Messages up to this place have reached the customer, or were read. Each that changes, with its status before. */
export async function markReached(
  tx: Tx,
  accountId: string,
  sessionId: string,
  upTo: number,
  status: 'delivered' | 'read',
  now: number,
): Promise<{ before: StoredMessage['status']; message: StoredMessage }[]> {
  const rows = await tx.query<MessageRow & { before: StoredMessage['status'] }>(sql`
    with reached as (
      select id as reached_id, status as before from messages
      where account_id = ${accountId} and session_id = ${sessionId} and ${readable} and role <> 'user'
        and position <= ${upTo} and position > ${upTo - receiptReach}
        and (status is null or status in ('sent', 'failed')
          ${status === 'read' ? sql`or status = 'delivered'` : empty}))
    update messages set status = ${status}, status_reason = null, updated_at = ${now} from reached
    where account_id = ${accountId} and session_id = ${sessionId} and id = reached_id
    returning ${messageColumns}, before`);
  return rows
    .map(({ before, ...row }) => ({ before, message: toStoredMessage(row) }))
    .sort((a, b) => a.message.position - b.message.position);
}

/** Whether a message that the customer may read has this file. */
export async function namesFile(
  db: Reader,
  accountId: string,
  sessionId: string,
  fileKey: string,
): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 from messages
    where account_id = ${accountId} and session_id = ${sessionId} and ${readable}
      and attachments @> jsonb_build_array(jsonb_build_object('fileKey', ${fileKey}::text))
    limit 1`);
  return rows.length > 0;
}
