/** Settings and state of connectors. */
import type { ConnectorKind, ConnectorState } from '../../../contract/connectors.ts';
import type { Db, Reader, Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';
import { insertLiveChanges } from '../../platform/events/live-changes.ts';
import type { Scan, Settings } from './connectors.provider.ts';

export interface ConnectorRow {
  accountId: string;
  channelId: string;
  kind: ConnectorKind;
  settings: Settings;
  /** Sealed. */
  credentials: string;
  /** Sealed. */
  secret: string;
  version: number;
  state: ConnectorState;
  lastError: string | null;
  scan: Scan | null;
  lastInboundAt: number | null;
  lastOutboundAt: number | null;
  rejectedCount: number;
  lastRejectedAt: number | null;
  /** Of the channel. */
  enabled: boolean;
}

const columns = sql`c.account_id as "accountId", c.channel_id as "channelId", c.kind, c.settings, c.credentials, c.secret,
  c.version, c.state, c.last_error as "lastError", c.scan, c.last_inbound_at as "lastInboundAt",
  c.last_outbound_at as "lastOutboundAt", c.rejected_count as "rejectedCount", c.last_rejected_at as "lastRejectedAt",
  ch.enabled`;
const tables = sql`connectors c join channels ch on ch.account_id = c.account_id and ch.id = c.channel_id`;

export async function selectConnectors(db: Reader, accountId: string): Promise<ConnectorRow[]> {
  return db.query<ConnectorRow>(sql`select ${columns} from ${tables} where c.account_id = ${accountId}`);
}

export async function findConnector(
  db: Reader,
  accountId: string,
  channelId: string,
): Promise<ConnectorRow | null> {
  const [row] = await db.query<ConnectorRow>(
    sql`select ${columns} from ${tables} where c.account_id = ${accountId} and c.channel_id = ${channelId}`,
  );
  return row ?? null;
}

/** They are not removed before the transaction ends. By the channel's id. */
export async function holdConnectors(
  tx: Tx,
  channels: readonly { accountId: string; channelId: string }[],
): Promise<Map<string, ConnectorRow>> {
  const rows = await tx.query<ConnectorRow>(sql`
    select ${columns} from ${tables}
    where (c.account_id, c.channel_id) in (select * from
      unnest(${channels.map((one) => one.accountId)}::uuid[], ${channels.map((one) => one.channelId)}::uuid[]))
    order by c.channel_id for key share of c`);
  return new Map(rows.map((row) => [row.channelId, row]));
}

/** The inbound address names the channel only. */
export async function findConnectorOfChannel(db: Reader, channelId: string): Promise<ConnectorRow | null> {
  const [row] = await db.query<ConnectorRow>(
    sql`select ${columns} from ${tables} where c.channel_id = ${channelId}`,
  );
  return row ?? null;
}

export interface SavedConnector {
  kind: ConnectorKind;
  settings: Settings;
  credentials: string;
  secret: string;
  polls: boolean;
}

/** Returns the version that the connect job works for. A new kind starts without a cursor. */
export async function saveConnector(
  tx: Tx,
  accountId: string,
  channelId: string,
  connector: SavedConnector,
  now: number,
): Promise<number> {
  const { kind, settings, credentials, secret, polls } = connector;
  const [row] = await tx.query<{ version: number }>(sql`
    insert into connectors as c (account_id, channel_id, kind, settings, credentials, secret, state, polls, created_at,
      updated_at)
    values (${accountId}, ${channelId}, ${kind}, ${JSON.stringify(settings)}, ${credentials}, ${secret}, 'connecting',
      ${polls}, ${now}, ${now})
    on conflict (account_id, channel_id) do update
    set kind = excluded.kind, settings = excluded.settings, credentials = excluded.credentials,
      secret = excluded.secret, state = 'connecting', last_error = null, scan = null, polls = excluded.polls,
      poll_cursor = case when c.kind = excluded.kind then c.poll_cursor end, poller = null, templates_at = null,
      rejected_count = 0, last_rejected_at = null,
      version = c.version + 1, updated_at = excluded.updated_at
    returning c.version`);
  return row!.version;
}

export async function deleteConnector(tx: Tx, accountId: string, channelId: string): Promise<void> {
  await tx.query(sql`delete from connectors where account_id = ${accountId} and channel_id = ${channelId}`);
}

/** By an administrator: work that began before can no longer change the state. Null: there is no connector. */
export async function restartConnector(
  tx: Tx,
  accountId: string,
  channelId: string,
  state: 'connecting' | 'disconnected',
  now: number,
): Promise<number | null> {
  const [row] = await tx.query<{ version: number }>(sql`
    update connectors set state = ${state}, last_error = null, scan = null, poller = null, version = version + 1,
      updated_at = ${now}
    where account_id = ${accountId} and channel_id = ${channelId} returning version`);
  return row?.version ?? null;
}

export interface StateChange {
  state: ConnectorState;
  lastError: string | null;
  scan?: Scan | null;
  /** Of a connector that has none yet. */
  cursor?: string | null;
  /** A connector that is connected stays so. */
  unlessConnected?: boolean;
}

/** False: the connector has changed since, or an administrator disconnected it. */
export async function changeState(
  tx: Tx,
  accountId: string,
  place: { channelId: string; version: number },
  { state, lastError, scan = null, cursor = null, unlessConnected = false }: StateChange,
  now: number,
): Promise<boolean> {
  const rows = await tx.query(sql`
    update connectors set state = ${state}, last_error = ${lastError}, scan = ${JSON.stringify(scan)}::jsonb,
      poll_cursor = coalesce(poll_cursor, ${cursor}), updated_at = ${now}
    where account_id = ${accountId} and channel_id = ${place.channelId} and version = ${place.version}
      and state <> 'disconnected' and not (${unlessConnected} and state = 'connected')
    returning 1`);
  return rows.length > 0;
}

/** Notifications that it is not connected are read by themselves. */
export async function noteConnected(tx: Tx, accountId: string, channelId: string): Promise<void> {
  await tx.query(
    insertLiveChanges(accountId, sql`select 'connector.connected', ${channelId}::text, null::uuid`),
  );
}

export async function noteOutbound(db: Db, accountId: string, channelId: string, now: number): Promise<void> {
  await db.autocommit(sql`
    update connectors set last_outbound_at = ${now}
    where account_id = ${accountId} and channel_id = ${channelId}`);
}

export interface Rejections {
  accountId: string;
  channelId: string;
  count: number;
  /** Of the last one. */
  at: number;
}

export async function addRejections(db: Db, all: readonly Rejections[]): Promise<void> {
  await db.autocommit(sql`
    update connectors c
    set rejected_count = c.rejected_count + r.count, last_rejected_at = greatest(c.last_rejected_at, r.at)
    from unnest(${all.map((one) => one.accountId)}::uuid[], ${all.map((one) => one.channelId)}::uuid[],
      ${all.map((one) => one.count)}::bigint[], ${all.map((one) => one.at)}::bigint[])
      as r (account_id, channel_id, count, at)
    where c.account_id = r.account_id and c.channel_id = r.channel_id`);
}
