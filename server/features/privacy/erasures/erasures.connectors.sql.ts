/** What connectors keep of a person besides the conversations. */
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';

/** It goes over thousands of rows. */
const long = { timeoutMs: 60_000 };

/** By what a provider's delivery is known. */
export interface ItemKey {
  channelId: string;
  key: string;
}

/** What connectors keep of the conversations. */
export async function deleteConnectorItems(
  tx: Tx,
  accountId: string,
  sessionIds: readonly string[],
): Promise<ItemKey[]> {
  return tx.query<ItemKey>(
    sql`delete from connector_items
      where account_id = ${accountId} and session_id = any(${sessionIds}::text[])
      returning channel_id as "channelId", key`,
    long,
  );
}

/** A provider may deliver the same again: it is recognised, although nothing else of it is kept. */
export async function saveErasedKeys(
  tx: Tx,
  accountId: string,
  keys: readonly { channelId: string; hash: string }[],
  now: number,
): Promise<void> {
  if (keys.length === 0) return;
  await tx.query(sql`
    insert into connector_erased_keys (account_id, channel_id, key_hash, erased_at)
    select ${accountId}::uuid, k.channel_id, k.hash, ${now}::bigint
    from unnest(${keys.map((one) => one.channelId)}::uuid[], ${keys.map((one) => one.hash)}::text[]) as k (channel_id, hash)
    on conflict do nothing`);
}

export interface ConnectorCustomer {
  channelId: string;
  /** Empty: the channel is gone. */
  type: string;
  customer: string;
}

/** Whom connectors know, in the order of channel and customer: in the items of their log, in the pace of sending. */
export async function selectConnectorCustomers(
  db: Reader,
  accountId: string,
  after: ConnectorCustomer | null,
  limit: number,
): Promise<ConnectorCustomer[]> {
  return db.query(
    sql`
    select k.channel_id as "channelId", coalesce(c.type, '') as type, k.customer from (
      select channel_id, customer from connector_items where account_id = ${accountId}
      union
      select channel_id, customer from connector_pace where account_id = ${accountId}) k
    left join channels c on c.account_id = ${accountId} and c.id = k.channel_id
    where ${after?.channelId ?? null}::uuid is null
      or (k.channel_id, k.customer) > (${after?.channelId ?? null}::uuid, ${after?.customer ?? null}::text)
    order by k.channel_id, k.customer limit ${limit}`,
    long,
  );
}

/** Returns the items. */
export async function deleteConnectorCustomers(
  tx: Tx,
  accountId: string,
  customers: readonly ConnectorCustomer[],
): Promise<ItemKey[]> {
  if (customers.length === 0) return [];
  const list = sql`unnest(${customers.map((one) => one.channelId)}::uuid[],
    ${customers.map((one) => one.customer)}::text[]) as k (channel_id, customer)`;
  const rows = await tx.query<ItemKey>(
    sql`delete from connector_items i using ${list}
      where i.account_id = ${accountId} and i.channel_id = k.channel_id and i.customer = k.customer
      returning i.channel_id as "channelId", i.key`,
    long,
  );
  await tx.query(sql`delete from connector_pace p using ${list}
    where p.account_id = ${accountId} and p.channel_id = k.channel_id and p.customer = k.customer`);
  return rows;
}
