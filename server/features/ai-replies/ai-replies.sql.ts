import type { Db, Reader, Tx } from '../../platform/db/db.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import type { Card } from './ai-replies.fields.ts';

export interface ReplyAdmission {
  /** Null: the reply may be made. */
  refusedBy: 'visitor' | 'address' | 'channel' | 'hour' | 'account' | null;
  limit: number;
}

export interface ReplyLimits {
  /** `YYYY-MM-DD` in UTC. */
  day: string;
  /** Since 1970. */
  hour: number;
  perVisitor: number;
  perAddress: number;
  perChannel: number;
  hourlyPercent: number;
}

const limitArguments = ({ day, hour, perVisitor, perAddress, perChannel, hourlyPercent }: ReplyLimits): Sql =>
  sql`${day}::date, ${hour}, ${perVisitor}, ${perAddress}, ${perChannel}, ${hourlyPercent}`;

/** Counts the reply to these messages once, however often it is asked for. */
export async function admitAiReply(
  db: Db,
  accountId: string,
  of: { sessionId: string; messageIds: readonly string[] },
  limits: ReplyLimits,
): Promise<ReplyAdmission> {
  const [row] = await db.query<ReplyAdmission>(sql`
    select refused_by as "refusedBy", limit_of as limit
    from admit_ai_reply(${accountId}, ${of.sessionId}, ${of.messageIds}::uuid[], ${limitArguments(limits)})`);
  return row!;
}

/**
 * The same for a reply to one message each of several conversations, in one transaction. Undefined for one that somebody
 * else has locked: waiting for it would hold up the account's counter, and so all others.
 */
export async function admitEachReply(
  db: Db,
  accountId: string,
  of: readonly { sessionId: string; messageId: string }[],
  limits: ReplyLimits,
): Promise<(ReplyAdmission | undefined)[]> {
  const rows = await db.autocommit<ReplyAdmission & { place: number }>(sql`
    with free as materialized (
      select g.session_id, g.message_id, g.place
      from unnest(${of.map((one) => one.sessionId)}::text[], ${of.map((one) => one.messageId)}::uuid[])
          with ordinality as g (session_id, message_id, place)
        join pending_replies p on p.account_id = ${accountId} and p.session_id = g.session_id
          and p.message_id = g.message_id
      order by g.place for update of p skip locked)
    select a.refused_by as "refusedBy", a.limit_of as limit, f.place::int as place
    from free f
    cross join lateral admit_ai_reply(${accountId}, f.session_id, array[f.message_id], ${limitArguments(limits)}) a`);
  const admitted = new Map(rows.map(({ place, refusedBy, limit }) => [place - 1, { refusedBy, limit }]));
  return of.map((_one, index) => admitted.get(index));
}

/** The reply failed: it does not count for the day. The hour limits what is tried. Before `takePermissions`, which deletes the mark. */
export async function giveReplyBack(
  tx: Tx,
  accountId: string,
  sessionId: string,
  messageIds: readonly string[],
): Promise<void> {
  await tx.query(sql`
    with counted as (
      select counted_on from pending_replies
      where account_id = ${accountId} and session_id = ${sessionId} and message_id = any(${messageIds}::uuid[])
        and counted_on is not null
      order by position limit 1 for update)
    update ai_reply_usage u set replies = greatest(0, u.replies - 1)
    where u.account_id = ${accountId} and u.day = (select counted_on from counted)`);
}

/** Under the conversation's lock nobody adds one, so a reply job `j` that ends on this condition leaves none behind. */
export const nothingPending = sql`
  not exists (select from pending_replies p where p.account_id = j.account_id and p.session_id = j.dedupe_key)`;

/** The conversation's card, and those that it left on other boards. */
export async function selectCards(db: Reader, accountId: string, sessionId: string): Promise<Card[]> {
  return db.query<Card>(sql`
    select r.kanban_id as "kanbanId", r.custom_fields as "customFields" from records r
    where r.account_id = ${accountId} and r.id in (
      select record_id from sessions where account_id = ${accountId} and session_id = ${sessionId}
      union select record_id from session_records where account_id = ${accountId} and session_id = ${sessionId})`);
}
