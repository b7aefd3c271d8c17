/** What a connected channel has to send, one row for each message or reaction, and what became of it. */
import type { Db, Reader, Tx } from '../../../platform/db/db.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';

export type OutboundState = 'waiting' | 'sending' | 'unknown' | 'sent' | 'failed';

/** One call to the provider, and how far it is. */
export interface PlannedPart {
  text: string;
  /** Which of the message's files. */
  file: number | null;
  state: 'waiting' | 'sending' | 'unknown' | 'sent';
  /** Of the call whose answer is missing. */
  startedAt: number | null;
  providerMsgId: string | null;
}

export interface OutboundRow {
  accountId: string;
  id: string;
  channelId: string;
  sessionId: string;
  kind: 'message' | 'reaction';
  messageId: string;
  emoji: string | null;
  state: OutboundState;
  attempts: number;
  parts: PlannedPart[] | null;
  leaseToken: string | null;
  reason: string | null;
  createdAt: number;
  /** The trace of the message; null: it has none. */
  traceparent: string | null;
}

export const outboundColumnsOf = (
  o: Sql,
) => sql`${o}.account_id as "accountId", ${o}.id, ${o}.channel_id as "channelId",
  ${o}.session_id as "sessionId", ${o}.kind, ${o}.message_id as "messageId", ${o}.emoji, ${o}.state, ${o}.attempts,
  ${o}.parts, ${o}.lease_token as "leaseToken", ${o}.reason, ${o}.created_at as "createdAt", ${o}.traceparent`;

const outboundColumns = outboundColumnsOf(sql`o`);

/** With its lock, until the transaction ends. */
export async function lockOutbound(tx: Tx, accountId: string, id: string): Promise<OutboundRow | null> {
  const [row] = await tx.query<OutboundRow>(
    sql`select ${outboundColumns} from connector_outbound o where o.account_id = ${accountId} and o.id = ${id} for update`,
  );
  return row ?? null;
}

export async function findOutbound(db: Reader, accountId: string, id: string): Promise<OutboundRow | null> {
  const [row] = await db.query<OutboundRow>(
    sql`select ${outboundColumns} from connector_outbound o where o.account_id = ${accountId} and o.id = ${id}`,
  );
  return row ?? null;
}

/** Calls that have begun and whose answer is missing, the oldest first. */
export async function selectUnanswered(
  db: Reader,
  accountId: string,
  channelId: string,
): Promise<(OutboundRow & { externalUserId: string | null })[]> {
  return db.query<OutboundRow & { externalUserId: string | null }>(sql`
    select ${outboundColumns}, s.external_user_id as "externalUserId" from connector_outbound o
    join sessions s on s.account_id = o.account_id and s.session_id = o.session_id
    where o.account_id = ${accountId} and o.channel_id = ${channelId}
      and (o.state in ('sending', 'unknown') or (o.state = 'failed' and o.parts @> '[{"state": "unknown"}]'))
      and o.kind = 'message'
    order by o.seq`);
}

/** Of one conversation. */
export async function selectUnansweredOf(
  db: Reader,
  accountId: string,
  sessionId: string,
): Promise<Pick<OutboundRow, 'parts'>[]> {
  return db.query<Pick<OutboundRow, 'parts'>>(sql`
    select parts from connector_outbound
    where account_id = ${accountId} and session_id = ${sessionId} and state in ('sending', 'unknown')
      and kind = 'message'`);
}

/** What has become of it. `keepLease`: the process goes on with the next part. */
export async function writeOutcome(
  tx: Tx,
  accountId: string,
  id: string,
  outcome: {
    state: OutboundState;
    parts: readonly PlannedPart[] | null;
    reason: string | null;
    keepLease: boolean;
    /** Of `unknown`: when it is given up. */
    waitMs?: number;
  },
  now: number,
): Promise<void> {
  const { state, parts, reason, keepLease, waitMs = 0 } = outcome;
  await tx.query(sql`
    update connector_outbound set state = ${state}, parts = ${parts && JSON.stringify(parts)}::jsonb, reason = ${reason},
      lease_token = case when ${keepLease} then lease_token end,
      due_at = case when ${keepLease} then due_at else now() + make_interval(secs => ${waitMs / 1000}::float8) end,
      updated_at = ${now}
    where account_id = ${accountId} and id = ${id}`);
}

const pruneAtOnce = 2_000;

/** In batches: each is a short transaction. */
export async function pruneOutbound(db: Db, before: number): Promise<void> {
  for (let deleted = pruneAtOnce; deleted === pruneAtOnce; ) {
    const rows = await db.autocommit(sql`
      delete from connector_outbound where ctid = any(array(
        select ctid from connector_outbound where state in ('sent', 'failed') and updated_at < ${before}
        order by updated_at limit ${pruneAtOnce} for update skip locked))
      returning 1`);
    deleted = rows.length;
  }
}
