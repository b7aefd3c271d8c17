/**
 * What has changed in an account's messages. The triggers of the live updates already record every change of a message
 * and of a conversation in the change's own transaction, so search adds nothing to a send: no column, no index, no
 * statement. `live_log` has the numbered changes, `live_changes` those that are committed but not numbered yet.
 */
import type { Reader } from '../../../platform/db/db.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';

export interface MessageRow {
  id: string;
  sessionId: string;
  role: string;
  operatorId: string | null;
  isNote: boolean;
  createdAt: number;
  content: string;
  /** Of voice messages. */
  transcripts: string | null;
}

export interface SessionRow {
  sessionId: string;
  kanbanId: string;
  channelId: string;
}

export interface Change {
  type: string;
  subjectId: string;
  itemId: string | null;
  /** Of `messages.removed`: the ids of the messages. */
  removed: string | null;
}

export interface Feed {
  /** Another one: the numbers began anew, because the database lost its unlogged tables. */
  epoch: string;
  /** The account's last number. */
  head: number;
  /** After the given number, in order, at most `limit`. */
  logged: (Change & { seq: number })[];
  /** At most `limit`. */
  pending: Change[];
}

const wanted = sql`(type like 'message.%' or type like 'session.%' or type in ('messages.filled', 'messages.removed'))`;
const columns = sql`type, subject_id as "subjectId", item_id as "itemId",
  case when type = 'messages.removed' then detail end as removed`;

/** One statement, so that a change is in exactly one of the two lists. Null: nothing was ever numbered. */
export async function selectFeed(
  db: Reader,
  accountId: string,
  after: number,
  limit: number,
): Promise<Feed | null> {
  const [row] = await db.query<Feed>(sql`
    select s.epoch, coalesce((select h.seq from live_heads h where h.account_id = ${accountId}), 0) as head,
      (select coalesce(json_agg(l), '[]') from (
        select seq, ${columns} from live_log where account_id = ${accountId} and seq > ${after}
        order by seq limit ${limit}) l) as logged,
      (select coalesce(json_agg(c), '[]') from (
        select ${columns} from live_changes where account_id = ${accountId} and ${wanted} limit ${limit}) c) as pending
    from live_state s`);
  return row ?? null;
}

/** Numbers committed changes, as the reader of the live updates does all the time. */
export async function numberChanges(db: Reader): Promise<void> {
  await db.query(sql`select from live_tick(9223372036854775807, 0)`);
}

const messageColumns = sql`id, session_id as "sessionId", role, operator_id as "operatorId", is_note as "isNote",
  created_at as "createdAt", content,
  case when attachments <> '[]' then (select string_agg(a -> 'transcript' ->> 'text', E'\\n')
    from jsonb_array_elements(attachments) a) end as transcripts`;

/** In the order of their ids, which is the order of their creation. */
export async function selectMessagesAfter(
  db: Reader,
  accountId: string,
  after: string | null,
  limit: number,
): Promise<MessageRow[]> {
  const from: Sql = after === null ? sql`true` : sql`id > ${after}::uuid`;
  return db.query<MessageRow>(
    sql`
    select ${messageColumns} from messages where account_id = ${accountId} and ${from} order by id limit ${limit}`,
    { timeoutMs: 30_000 },
  );
}

/** The id before the newest `count` messages; null: there are no more than those. */
export async function selectFloor(db: Reader, accountId: string, count: number): Promise<string | null> {
  const [row] = await db.query<{ id: string }>(
    sql`
    select id from messages where account_id = ${accountId} order by id desc offset ${count} limit 1`,
    { timeoutMs: 60_000 },
  );
  return row?.id ?? null;
}

export async function selectMessagesByIds(
  db: Reader,
  accountId: string,
  ids: readonly string[],
): Promise<MessageRow[]> {
  return db.query<MessageRow>(sql`
    select ${messageColumns} from messages where account_id = ${accountId} and id = any(${ids}::uuid[])`);
}

const sessionColumns = sql`session_id as "sessionId", kanban_id as "kanbanId", channel_id as "channelId"`;

export async function selectSessionsAfter(
  db: Reader,
  accountId: string,
  after: string,
  limit: number,
): Promise<SessionRow[]> {
  return db.query<SessionRow>(
    sql`
    select ${sessionColumns} from sessions where account_id = ${accountId} and session_id > ${after}
    order by session_id limit ${limit}`,
    { timeoutMs: 30_000 },
  );
}

export async function selectSessionPlaces(
  db: Reader,
  accountId: string,
  ids: readonly string[],
): Promise<SessionRow[]> {
  return db.query<SessionRow>(sql`
    select ${sessionColumns} from sessions where account_id = ${accountId} and session_id = any(${ids}::text[])`);
}
