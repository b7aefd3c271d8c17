/** What goes out, for the log. A message that its provider reported as failed can be sent again too. */
import type { ConnectorLogEntry } from '../../../../contract/connectors.schemas.ts';
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { empty, sql } from '../../../platform/db/sql.ts';
import type { PlannedPart } from './connectors.outbound.sql.ts';

/** Newest first. */
export async function selectOutboundLog(
  db: Reader,
  accountId: string,
  channelId: string,
  before: string | null,
  limit: number,
): Promise<ConnectorLogEntry[]> {
  const older = before === null ? empty : sql`and o.id < ${before}::uuid`;
  return db.query<ConnectorLogEntry>(sql`
    select o.id, 'out' as direction, o.created_at as at,
      case when o.failed then 'failed' when o.state = 'sent' then 'done' else 'waiting' end as state,
      s.external_user_id as customer,
      case when o.kind = 'reaction' then concat_ws(': ', 'reaction', coalesce(o.emoji, 'removed'))
        else left(o.content, 200) end as summary,
      case when o.state = 'unknown' then 'The answer of the provider was lost.'
        else coalesce(o.reason, o.status_reason) end as reason,
      o.message_id as "messageId", o.session_id as "sessionId", o.failed as "canRetry"
    from (
      select o.*, m.content, m.status_reason,
        o.state = 'failed' or (o.kind = 'message' and o.state = 'sent' and m.status is not distinct from 'failed')
          as failed
      from connector_outbound o
      left join messages m on m.account_id = o.account_id and m.id = o.message_id
      where o.account_id = ${accountId} and o.channel_id = ${channelId} ${older}
      order by o.id desc limit ${limit}) o
    join sessions s on s.account_id = o.account_id and s.session_id = o.session_id
    order by o.id desc`);
}

export async function requeueOutbound(
  tx: Tx,
  accountId: string,
  id: string,
  parts: readonly PlannedPart[] | null,
  now: number,
): Promise<void> {
  await tx.query(sql`
    update connector_outbound set state = 'waiting', parts = ${parts && JSON.stringify(parts)}::jsonb, attempts = 0,
      reason = null, lease_token = null, due_at = now(), updated_at = ${now}
    where account_id = ${accountId} and id = ${id}`);
}
