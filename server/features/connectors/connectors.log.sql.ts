/** What came in, for the log. */
import type { ConnectorLogEntry } from '../../../contract/connectors.schemas.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { empty, sql } from '../../platform/db/sql.ts';

/** Newest first. A delivery that could not be read is an entry too. */
export async function selectInboundLog(
  db: Reader,
  accountId: string,
  channelId: string,
  before: string | null,
  limit: number,
): Promise<ConnectorLogEntry[]> {
  const older = before === null ? empty : sql`and id < ${before}::uuid`;
  return db.query<ConnectorLogEntry>(sql`
    select id, 'in' as direction, received_at as at, case state when 'early' then 'waiting' else state end as state,
      nullif(customer, '') as customer, case when type = 'message' then summary else concat_ws(': ', type, nullif(summary, ''))
      end as summary, reason, message_id as "messageId", session_id as "sessionId",
      state = 'failed' as "canRetry"
    from (select * from connector_items
      where account_id = ${accountId} and channel_id = ${channelId} ${older} order by id desc limit ${limit}) as items
    union all
    select id, 'in', received_at, 'failed', null, '', reason, null, null, true
    from (select * from connector_inbound
      where account_id = ${accountId} and channel_id = ${channelId} and failed_at is not null ${older}
      order by id desc limit ${limit}) as unread
    order by id desc limit ${limit}`);
}

/** Null: there is no such entry. False: it has not failed. */
export async function retryItem(
  tx: Tx,
  accountId: string,
  channelId: string,
  id: string,
): Promise<{ customer: string } | false | null> {
  const [item] = await tx.query<{ customer: string; state: string }>(sql`
    select customer, state from connector_items
    where account_id = ${accountId} and channel_id = ${channelId} and id = ${id} for update`);
  if (!item) return null;
  if (item.state !== 'failed') return false;
  await tx.query(sql`
    update connector_items set state = 'waiting', attempts = 0, reason = null, done_at = null
    where account_id = ${accountId} and id = ${id}`);
  return { customer: item.customer };
}

/** A delivery that could not be read is read again. */
export async function retryInbound(
  tx: Tx,
  accountId: string,
  channelId: string,
  id: string,
): Promise<boolean> {
  const rows = await tx.query(sql`
    update connector_inbound set failed_at = null, reason = null
    where account_id = ${accountId} and channel_id = ${channelId} and id = ${id} and failed_at is not null
    returning 1`);
  return rows.length > 0;
}
