/** Rows as they came from a provider, and splitting them into items. */
import { isServedHere } from '../../../platform/cells/move/served-here.ts';
import type { Db, Reader, Tx } from '../../../platform/db/db.ts';
import { empty, sql } from '../../../platform/db/sql.ts';
import { noteLiveChange } from '../../../platform/events/live-changes.ts';
import { newId } from '../../../platform/ids.ts';
import { jobKind } from '../../../platform/jobs/job-kinds.ts';
import { hasJob } from '../../../platform/jobs/jobs.ts';

export interface Delivery {
  accountId: string;
  channelId: string;
  /** Of the connector. */
  version: number;
  body: string;
  now: number;
  /** Of the request; null: it has none. */
  traceparent: string | null;
}

/** One statement. False for each whose connector has changed, is disconnected or has a disabled channel meanwhile. */
export async function insertInbound(db: Db, deliveries: readonly Delivery[]): Promise<boolean[]> {
  const ids = deliveries.map(({ now }) => newId(now));
  const traces = deliveries.map(({ traceparent }) => traceparent);
  const isTraced = traces.some((one) => one !== null);
  const rows = await db.autocommit<{ id: string }>(sql`
    insert into connector_inbound (account_id, channel_id, kind, id, body, received_at
      ${isTraced ? sql`, traceparent` : empty})
    select c.account_id, c.channel_id, c.kind, d.id, d.body, d.received_at ${isTraced ? sql`, d.traceparent` : empty}
    from unnest(${deliveries.map((one) => one.accountId)}::uuid[], ${deliveries.map((one) => one.channelId)}::uuid[],
      ${deliveries.map((one) => one.version)}::bigint[], ${ids}::uuid[], ${deliveries.map((one) => one.body)}::text[],
      ${deliveries.map((one) => one.now)}::bigint[] ${isTraced ? sql`, ${traces}::text[]` : empty})
      as d (account_id, channel_id, version, id, body, received_at ${isTraced ? sql`, traceparent` : empty})
    join connectors c on c.account_id = d.account_id and c.channel_id = d.channel_id and c.version = d.version
    join channels ch on ch.account_id = c.account_id and ch.id = c.channel_id
    where c.state <> 'disconnected' and ch.enabled
    returning id`);
  const inserted = new Set(rows.map(({ id }) => id));
  return ids.map((id) => inserted.has(id));
}

/** Of a poll, with the cursor that follows them. False: this process no longer polls the channel. */
export async function insertPolled(
  tx: Tx,
  accountId: string,
  polled: {
    channelId: string;
    version: number;
    poller: string;
    cursor: string | null;
    bodies: readonly string[];
    /** For administrators; null: none. */
    notice: string | null;
    now: number;
  },
): Promise<boolean> {
  const { channelId, version, poller, cursor, bodies, notice, now } = polled;
  const [connector] = await tx.query<{ kind: string }>(sql`
    update connectors c set poll_cursor = ${cursor} from channels ch
    where c.account_id = ${accountId} and c.channel_id = ${channelId} and c.version = ${version}
      and c.poller = ${poller} and c.state = 'connected'
      and ch.account_id = c.account_id and ch.id = c.channel_id and ch.enabled
    returning c.kind`);
  if (!connector) return false;
  if (bodies.length > 0) {
    await tx.query(sql`
      insert into connector_inbound (account_id, channel_id, kind, id, body, received_at)
      select ${accountId}::uuid, ${channelId}::uuid, ${connector.kind}, b.id, b.body, ${now}::bigint
      from unnest(${bodies.map(() => newId(now))}::uuid[], ${bodies}::text[]) as b (id, body)`);
  }
  // Administrators are notified of it, as of a connector whose credentials are rejected.
  if (notice !== null) {
    await noteLiveChange(tx, accountId, { type: 'connector.failed', subjectId: channelId, detail: notice });
  }
  return true;
}

export interface InboundRow {
  accountId: string;
  channelId: string;
  /** Of the connector that it came through; null: it came before that was kept. */
  kind: string | null;
  id: string;
  body: string;
  receivedAt: number;
  traceparent: string | null;
}

export const splitJobKind = jobKind('connector-split');

/** Neither failed nor retried by a job. */
const isWaiting = sql`i.failed_at is null and ${isServedHere(sql`i.account_id`)}
  and not ${hasJob(sql`i.account_id`, splitJobKind, sql`i.id::text`)}`;

export const hasInbound = sql`coalesce((
  select true from connector_inbound i where ${isWaiting} order by id limit 1), false)`;

const columns = sql`i.account_id as "accountId", i.channel_id as "channelId", i.kind, i.id, i.body,
  i.received_at as "receivedAt", i.traceparent`;

/** The oldest ones, as long as they fit into memory together. */
export async function selectInbound(db: Reader, maxRows: number, maxBytes: number): Promise<InboundRow[]> {
  return db.query<InboundRow>(sql`
    select ${columns} from connector_inbound i
    where i.failed_at is null and i.id in (
      select id from (
        select id, sum(octet_length(body)) over (order by id) as bytes, row_number() over (order by id) as place
        from (select id, body from connector_inbound i where ${isWaiting} order by id limit ${maxRows}) as oldest
      ) as counted where bytes <= ${maxBytes} or place = 1)
    order by i.id`);
}

export async function findInbound(
  db: Reader,
  accountId: string,
  channelId: string,
  id: string,
): Promise<InboundRow | null> {
  const [row] = await db.query<InboundRow>(sql`
    select ${columns} from connector_inbound i
    where i.account_id = ${accountId} and i.channel_id = ${channelId} and i.id = ${id} and i.failed_at is null`);
  return row ?? null;
}

const keysOf = (rows: readonly InboundRow[]) => sql`
  unnest(${rows.map((row) => row.accountId)}::uuid[], ${rows.map((row) => row.channelId)}::uuid[],
    ${rows.map((row) => row.id)}::uuid[]) as r (account_id, channel_id, id)`;
const isOne = sql`i.account_id = r.account_id and i.channel_id = r.channel_id and i.id = r.id`;

/** Their ids; without those that are gone, and those that another process has. */
export async function lockInbound(tx: Tx, rows: readonly InboundRow[]): Promise<Set<string>> {
  const locked = await tx.query<{ id: string }>(sql`
    select i.id from ${keysOf(rows)} join connector_inbound i on ${isOne}
    where i.failed_at is null for update of i skip locked`);
  return new Set(locked.map(({ id }) => id));
}

export async function deleteInbound(tx: Tx, rows: readonly InboundRow[]): Promise<void> {
  await tx.query(sql`delete from connector_inbound i using ${keysOf(rows)} where ${isOne}`);
}

export async function failInbound(
  tx: Tx,
  { accountId, channelId, id }: InboundRow,
  reason: string,
  now: number,
): Promise<void> {
  await tx.query(sql`
    update connector_inbound set failed_at = ${now}, reason = ${reason}
    where account_id = ${accountId} and channel_id = ${channelId} and id = ${id}`);
}

/** Once a second: every change writes the whole row again. */
const noteEveryMs = 1_000;

/** One that another process is noting is left alone. */
export async function noteInbound(
  tx: Tx,
  channels: readonly { accountId: string; channelId: string; receivedAt: number }[],
): Promise<void> {
  await tx.query(sql`
    with due as (
      select c.account_id, c.channel_id, n.at
      from unnest(${channels.map((one) => one.accountId)}::uuid[], ${channels.map((one) => one.channelId)}::uuid[],
          ${channels.map((one) => one.receivedAt)}::bigint[]) as n (account_id, channel_id, at)
        join connectors c on c.account_id = n.account_id and c.channel_id = n.channel_id
      where c.last_inbound_at is null or c.last_inbound_at < n.at - ${noteEveryMs}::bigint
      for no key update of c skip locked)
    update connectors c set last_inbound_at = due.at from due
    where c.account_id = due.account_id and c.channel_id = due.channel_id`);
}

export interface NewItem {
  channelId: string;
  key: string;
  kind: string | null;
  id: string;
  customer: string;
  type: string;
  place: number | null;
  mediaGroup: string | null;
  providerMsgId: string | null;
  /** JSON. */
  item: string;
  summary: string;
  receivedAt: number;
  traceparent?: string | null;
}

/**
 * Returns the customers that got something new: what came before is left out. `hashOf` finds what came of an erased person:
 * a provider that delivers it again must not bring them back.
 */
export async function insertItems(
  tx: Tx,
  accountId: string,
  items: readonly NewItem[],
  hashOf: (item: NewItem) => string,
): Promise<{ channelId: string; customer: string }[]> {
  const traces = items.map(({ traceparent = null }) => traceparent);
  const isTraced = traces.some((one) => one !== null);
  return tx.query<{ channelId: string; customer: string }>(sql`
    insert into connector_items (account_id, channel_id, key, kind, id, customer, type, place, media_group, provider_msg_id,
      item, summary, state, received_at ${isTraced ? sql`, traceparent` : empty})
    select ${accountId}::uuid, i.channel_id, i.key, i.kind, i.id, i.customer, i.type, i.place, i.media_group,
      i.provider_msg_id, i.item::jsonb, i.summary, 'waiting', i.received_at ${isTraced ? sql`, i.traceparent` : empty}
    from unnest(${items.map((one) => one.channelId)}::uuid[], ${items.map((one) => one.key)}::text[],
      ${items.map((one) => one.kind)}::text[],
      ${items.map((one) => one.id)}::uuid[],
      ${items.map((one) => one.customer)}::text[], ${items.map((one) => one.type)}::text[],
      ${items.map((one) => one.place)}::float8[], ${items.map((one) => one.mediaGroup)}::text[],
      ${items.map((one) => one.providerMsgId)}::text[], ${items.map((one) => one.item)}::text[],
      ${items.map((one) => one.summary)}::text[], ${items.map((one) => one.receivedAt)}::bigint[],
      ${items.map(hashOf)}::text[] ${isTraced ? sql`, ${traces}::text[]` : empty})
      as i (channel_id, key, kind, id, customer, type, place, media_group, provider_msg_id, item, summary, received_at, key_hash
        ${isTraced ? sql`, traceparent` : empty})
    where not exists (select from connector_erased_keys e
      where e.account_id = ${accountId} and e.channel_id = i.channel_id and e.key_hash = i.key_hash)
    on conflict (account_id, channel_id, key) do nothing
    returning channel_id as "channelId", customer`);
}

/**
 * Of a removed connector, or of a channel that is gone. Returns how many; those of a connector that was added since are
 * left alone.
 */
export async function deleteLeftovers(
  tx: Tx,
  accountId: string,
  channelId: string,
  limit: number,
): Promise<number> {
  const ofChannel = sql`account_id = ${accountId} and channel_id = ${channelId}`;
  const isGone = sql`not exists (select from connectors where ${ofChannel})`;
  const bodies = await tx.query(sql`
    delete from connector_inbound where ctid = any(array(
      select ctid from connector_inbound where ${ofChannel} limit ${limit})) and ${isGone}
    returning 1`);
  const items = await tx.query(sql`
    delete from connector_items where ctid = any(array(
      select ctid from connector_items where ${ofChannel} limit ${limit})) and ${isGone}
    returning 1`);
  return bodies.length + items.length;
}

/** Keys are kept for as long as a provider may deliver again, and longer. */
export async function pruneItems(db: Db, before: number): Promise<void> {
  const long = { timeoutMs: 60_000 };
  await db.transaction(async (tx) => {
    await tx.query(sql`delete from connector_items where done_at < ${before}`, long);
    await tx.query(sql`delete from connector_inbound where failed_at < ${before}`, long);
    await tx.query(sql`delete from connector_erased_keys where erased_at < ${before}`, long);
  });
}
