/** Items of one customer, in order, and what became of each. */
import type { Db, Reader, Tx } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { Inbound } from '../connectors.provider.ts';

export interface Lane {
  accountId: string;
  channelId: string;
  customer: string;
}

export interface WaitingItem {
  id: string;
  /** Of the connector that it came through; null: it came before that was kept. */
  kind: string | null;
  type: Inbound['type'];
  mediaGroup: string | null;
  place: number | null;
  item: Inbound;
  attempts: number;
  receivedAt: number;
  traceparent: string | null;
}

/** Without its content if it is large. */
export type ListedItem = Omit<WaitingItem, 'item'> & { item: Inbound | null };

export interface Waiting {
  items: ListedItem[];
  hasMore: boolean;
}

/**
 * What is next for each customer, as long as it fits into memory together. An item that is larger comes alone and without
 * its content: see findContent. Messages that wait together are taken in the provider's order; edits and so on keep their
 * place behind everything that came before them.
 */
export async function selectWaiting(
  db: Reader,
  lanes: readonly Lane[],
  limit: number,
  maxBytes: number,
): Promise<Waiting[]> {
  const rows = await db.query<ListedItem & { listed: number; lane: number }>(sql`
    select l.lane, i.id, i.kind, i.type, i.media_group as "mediaGroup", i.place, i.attempts,
      i.received_at as "receivedAt", i.traceparent,
      case when counted.bytes <= ${maxBytes} then i.item end as item, counted.listed
    from unnest(${lanes.map((one) => one.accountId)}::uuid[], ${lanes.map((one) => one.channelId)}::uuid[],
        ${lanes.map((one) => one.customer)}::text[])
      with ordinality as l (account_id, channel_id, customer, lane)
    cross join lateral (
      select id, sum(bytes) over (order by id) as bytes, row_number() over (order by id) as number,
        count(*) over () as listed
      from (
        select id, pg_column_size(item) as bytes from connector_items
        where account_id = l.account_id and channel_id = l.channel_id and customer = l.customer and state = 'waiting'
        order by id limit ${limit}) oldest) counted
    join connector_items i on i.account_id = l.account_id and i.id = counted.id
    where (counted.bytes <= ${maxBytes} or counted.number = 1) and i.state = 'waiting'
    order by l.lane, i.id`);
  const byLane = Map.groupBy(rows, ({ lane }) => lane - 1);
  return lanes.map((_lane, index) => {
    const items = byLane.get(index) ?? [];
    const listed = items[0]?.listed ?? 0;
    return { items, hasMore: listed > items.length || listed === limit };
  });
}

/** Null: another worker was faster. */
export async function findContent(db: Reader, accountId: string, id: string): Promise<Inbound | null> {
  const [row] = await db.query<{ item: Inbound | null }>(sql`
    select item from connector_items where account_id = ${accountId} and id = ${id} and state = 'waiting'`);
  return row?.item ?? null;
}

/** Whether anything of these customers is still to be processed. */
export async function hasWaiting(
  db: Reader,
  { accountId, channelId }: Omit<Lane, 'customer'>,
  customers: readonly string[],
): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 from connector_items
    where account_id = ${accountId} and channel_id = ${channelId} and customer = any(${customers})
      and state = 'waiting' limit 1`);
  return rows.length > 0;
}

export async function selectGroup(db: Reader, lane: Lane, group: string): Promise<WaitingItem[]> {
  const { accountId, channelId, customer } = lane;
  return db.query<WaitingItem>(sql`
    select id, kind, type, media_group as "mediaGroup", place, item, attempts, received_at as "receivedAt",
      traceparent
    from connector_items
    where account_id = ${accountId} and channel_id = ${channelId} and customer = ${customer} and state = 'waiting'
      and media_group = ${group}
    order by place, id`);
}

export interface Outcome {
  state: 'done' | 'dropped' | 'failed' | 'early';
  reason?: string | null;
  sessionId?: string | null;
  messageId?: string | null;
}

/** False: another worker was faster, and it no longer waits. The payload goes, unless it may be needed again. */
export async function finishItems(
  tx: Tx,
  accountId: string,
  ids: readonly string[],
  { state, reason = null, sessionId = null, messageId = null }: Outcome,
  now: number,
): Promise<boolean> {
  const isOver = state === 'done' || state === 'dropped';
  const rows = await tx.query(sql`
    update connector_items set state = ${state}, reason = ${reason}, session_id = ${sessionId},
      message_id = ${messageId}, done_at = ${now}, item = case when ${isOver} then null else item end,
      summary = case when ${state === 'dropped'} and type = 'message' then '' else summary end
    where account_id = ${accountId} and id = any(${ids}::uuid[]) and state = 'waiting'
    returning 1`);
  return rows.length === ids.length;
}

export async function countAttempt(db: Db, accountId: string, id: string, reason: string): Promise<number> {
  const [row] = await db.autocommit<{ attempts: number }>(sql`
    update connector_items set attempts = attempts + 1, reason = ${reason}
    where account_id = ${accountId} and id = ${id} returning attempts`);
  return row?.attempts ?? 0;
}

interface Stored {
  /** Whether these items were waiting, all of them. */
  isFirst: boolean;
  /** The stored message that comes next in the provider's order; null: the new one is the last. */
  nextId: string | null;
  /** Of edits, reactions and receipts that came before the message. */
  customers: string[];
}

/** The items are done, and what waited for their message goes on: one statement, since it runs with every message. */
export async function finishStored(
  tx: Tx,
  { accountId, channelId }: Lane,
  stored: {
    ids: readonly string[];
    providerMsgIds: readonly string[];
    sessionId: string;
    messageId: string;
    place: number;
    reason: string | null;
    now: number;
  },
): Promise<Stored> {
  const { ids, providerMsgIds, sessionId, messageId, place, reason, now } = stored;
  const [row] = await tx.query<Stored>(sql`
    with done as (
      update connector_items set state = 'done', reason = ${reason}, session_id = ${sessionId},
        message_id = ${messageId}, done_at = ${now}, item = null
      where account_id = ${accountId} and id = any(${ids}::uuid[]) and state = 'waiting'
      returning 1
    ), early as (
      update connector_items set state = 'waiting', done_at = null
      where account_id = ${accountId} and channel_id = ${channelId} and provider_msg_id = any(${providerMsgIds})
        and state = 'early'
      returning customer
    )
    select (select count(*) from done) = ${ids.length} as "isFirst",
      (select message_id from connector_items
        where account_id = ${accountId} and channel_id = ${channelId} and session_id = ${sessionId}
          and state = 'done' and type = 'message' and place > ${place} and message_id is not null
        order by place, id limit 1) as "nextId",
      (select coalesce(array_agg(distinct customer), '{}') from early) as customers`);
  return row!;
}

/** Where a message of a media group, which has a message together with others, is stored. */
export async function findItemMessage(
  db: Reader,
  { accountId, channelId }: Omit<Lane, 'customer'>,
  providerMsgId: string,
): Promise<{ sessionId: string; messageId: string } | null> {
  const [row] = await db.query<{ sessionId: string; messageId: string }>(sql`
    select session_id as "sessionId", message_id as "messageId" from connector_items
    where account_id = ${accountId} and channel_id = ${channelId} and provider_msg_id = ${providerMsgId}
      and type = 'message' and state = 'done' and message_id is not null
    limit 1`);
  return row ?? null;
}

/**
 * Held by who links messages to ids of the provider, and by who finds none for an id: an item that becomes early while its
 * message is linked is seen by one of the two. A statement of its own, so that the next one sees what committed meanwhile.
 */
export async function lockProviderIds(
  tx: Tx,
  accountId: string,
  channelId: string,
  providerMsgIds: readonly string[],
): Promise<void> {
  const prefix = `${accountId}/provider/${channelId}/`;
  await tx.query(sql`
    select pg_advisory_xact_lock(hashtextextended(${prefix} || id, 0))
    from (select distinct id from unnest(${providerMsgIds}::text[]) as i (id) order by id) i`);
}

/** Edits, reactions and receipts that came before their message. Returns the customers they are of. */
export async function resumeEarlyItems(
  tx: Tx,
  accountId: string,
  channelId: string,
  providerMsgIds: readonly string[],
): Promise<string[]> {
  const rows = await tx.query<{ customer: string }>(sql`
    update connector_items set state = 'waiting', done_at = null
    where account_id = ${accountId} and channel_id = ${channelId} and provider_msg_id = any(${providerMsgIds})
      and state = 'early'
    returning customer`);
  return [...new Set(rows.map((row) => row.customer))];
}

export interface Asked {
  lane: Lane;
  sessionIds: readonly string[];
  identifierKeys: readonly string[];
}

/**
 * The conversations that may be each customer's: those with one of the ids, on any channel, and the latest one on this
 * channel of the contact that has one of the identifiers.
 */
export async function selectCandidates(
  db: Reader,
  asked: readonly Asked[],
): Promise<{ sessionId: string; channelId: string }[][]> {
  const list = asked.map(({ lane: { accountId, channelId }, sessionIds, identifierKeys }) => ({
    account_id: accountId,
    channel_id: channelId,
    ids: sessionIds,
    keys: identifierKeys,
  }));
  const rows = await db.query<{ place: number; sessionId: string; channelId: string }>(sql`
    select a.place, c.session_id as "sessionId", c.channel_id as "channelId"
    from rows from (json_to_recordset(${JSON.stringify(list)}::json)
        as (account_id uuid, channel_id uuid, ids text[], keys text[]))
      with ordinality as a (account_id, channel_id, ids, keys, place)
    cross join lateral (
      select session_id, channel_id from sessions where account_id = a.account_id and session_id = any(a.ids)
      union all
      (select s.session_id, s.channel_id from contact_identifiers i
        join sessions s on s.account_id = i.account_id and s.contact_id = i.contact_id
        where i.account_id = a.account_id and i.key = any(a.keys) and s.channel_id = a.channel_id
        order by s.last_message_at desc, s.session_id desc limit 1)) c
    order by a.place`);
  const byPlace = Map.groupBy(rows, ({ place }) => place - 1);
  return asked.map((_one, index) => byPlace.get(index) ?? []);
}
