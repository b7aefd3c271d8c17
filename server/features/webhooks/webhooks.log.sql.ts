import type { Delivery, DeliveryStatus } from '../../../contract/webhooks.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { empty, type Sql, sql } from '../../platform/db/sql.ts';
import type { FilteredEvent, Filters } from './webhooks.filters.ts';

interface DeliveryRow {
  id: string;
  event_id: string;
  event: string;
  status: DeliveryStatus;
  attempts: Delivery['attempts'];
  next_attempt_at: number | null;
  created_at: number;
}

export async function selectDeliveries(
  db: Reader,
  accountId: string,
  webhookId: string,
  status: DeliveryStatus | undefined,
  after: { createdAt: number; id: string } | null,
  limit: number,
): Promise<Delivery[]> {
  const rows = await db.query<DeliveryRow>(sql`
    select d.id, d.event_id, e.event, d.status, d.created_at,
      case when d.status in ('pending', 'retrying')
        then (extract(epoch from d.next_attempt_at) * 1000)::bigint end as next_attempt_at,
      (select coalesce(json_agg(json_build_object('at', a.at, 'durationMs', a.duration_ms, 'statusCode', a.status_code,
          'error', a.error, 'response', a.response) order by a.at), '[]')
        from (
          select d.attempt_at as at, d.attempt_ms as duration_ms, d.attempt_status as status_code, d.attempt_error as error,
            d.attempt_response as response
          where d.attempt_at is not null
          union all
          select at, duration_ms, status_code, error, response from webhook_attempts
          where account_id = d.account_id and delivery_id = d.id) a) as attempts
    from webhook_deliveries d join events e on e.account_id = d.account_id and e.id = d.event_id
    where d.account_id = ${accountId} and d.webhook_id = ${webhookId}
      ${status === undefined ? empty : statusIs[status]}
      ${after ? sql`and (d.created_at, d.id) < (${after.createdAt}, ${after.id})` : empty}
    order by d.created_at desc, d.id desc limit ${limit}`);
  return rows.map((row) => ({
    id: row.id,
    eventId: row.event_id,
    event: row.event,
    status: row.status,
    attempts: row.attempts,
    nextAttemptAt: row.next_attempt_at,
    createdAt: row.created_at,
  }));
}

/** Constants, not parameters: only then can the planner prove that a partial index holds all such rows. */
const statusIs: { [status in DeliveryStatus]: Sql } = {
  pending: sql`and d.status = 'pending'`,
  retrying: sql`and d.status = 'retrying'`,
  delivered: sql`and d.status = 'delivered'`,
  exhausted: sql`and d.status = 'exhausted'`,
  held: sql`and d.status = 'held'`,
};

/** A channel's message webhook uses the channel's id. */
export async function endpointExists(db: Reader, accountId: string, id: string): Promise<boolean> {
  const rows = await db.query(sql`select 1 from webhooks where account_id = ${accountId} and id = ${id}`);
  return rows.length > 0;
}

export async function lockEndpoint(
  tx: Tx,
  accountId: string,
  id: string,
): Promise<{ enabled: boolean } | null> {
  const [row] = await tx.query<{ enabled: boolean }>(
    sql`select enabled from webhooks where account_id = ${accountId} and id = ${id} for no key update`,
  );
  return row ?? null;
}

/**
 * Starts a new round of attempts for everything in the time range. What is running or waiting for its first attempt
 * is sent anyway.
 */
export async function replayDeliveries(
  tx: Tx,
  accountId: string,
  webhookId: string,
  from: number,
  to: number,
): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    sql`
    with again as (
      update webhook_deliveries set status = 'pending', attempts = 0, next_attempt_at = now()
      where account_id = ${accountId} and webhook_id = ${webhookId} and created_at between ${from} and ${to}
        and status <> 'pending' and lease_token is null
      returning 1)
    select count(*) as count from again`,
    { timeoutMs: 60_000 },
  );
  return row!.count;
}

export async function findDelivery(
  db: Reader,
  accountId: string,
  id: string,
): Promise<{ webhookId: string; eventId: string } | null> {
  const [row] = await db.query<{ webhookId: string; eventId: string }>(sql`
    select webhook_id as "webhookId", event_id as "eventId" from webhook_deliveries
    where account_id = ${accountId} and id = ${id}`);
  return row ?? null;
}

export async function redeliver(tx: Tx, accountId: string, id: string): Promise<void> {
  await tx.query(sql`
    update webhook_deliveries set status = 'pending', attempts = 0, next_attempt_at = now()
    where account_id = ${accountId} and id = ${id} and lease_token is null`);
}

/** A test is sent even while the endpoint is disabled. */
export async function forceDelivery(tx: Tx, accountId: string, eventId: string): Promise<string> {
  const [row] = await tx.query<{ id: string }>(sql`
    update webhook_deliveries set forced = true, status = 'pending'
    where account_id = ${accountId} and event_id = ${eventId} returning id`);
  return row!.id;
}

export interface EventRow {
  id: string;
  event: string;
  kanbanId: string | null;
  fieldId: string | null;
  endpointId: string | null;
  timestamp: number;
  body: string;
}

export async function findEvent(db: Reader, accountId: string, id: string): Promise<EventRow | null> {
  const [row] = await db.query<EventRow>(sql`
    select id, event, kanban_id as "kanbanId", field_id as "fieldId", endpoint_id as "endpointId",
      created_at as timestamp, body
    from events where account_id = ${accountId} and id = ${id}`);
  return row ?? null;
}

export interface EndpointAtEvent {
  webhookId: string;
  status: DeliveryStatus | null;
  /** As of the event, and before it: an event may commit while they are being changed. */
  filters: Filters[];
}

export async function selectEndpointsAtEvent(
  db: Reader,
  accountId: string,
  event: { id: string; timestamp: number },
): Promise<EndpointAtEvent[]> {
  const rows = await db.query<{
    webhook_id: string;
    status: DeliveryStatus | null;
    filters: Filters[];
  }>(sql`
    select w.id as webhook_id, d.status, array(
      select jsonb_build_object('events', f.events, 'kanbanIds', f.kanban_ids, 'fieldIds', f.field_ids)
      from webhook_filters f
      where f.account_id = w.account_id and f.webhook_id = w.id and f.since <= ${event.timestamp}
      order by f.since desc limit 2) as filters
    from webhooks w
    left join webhook_deliveries d on d.account_id = w.account_id and d.webhook_id = w.id and d.event_id = ${event.id}
    where w.account_id = ${accountId} and (w.kind = 'webhook' or d.id is not null)
    order by w.id`);
  return rows.map((row) => ({ webhookId: row.webhook_id, status: row.status, filters: row.filters }));
}

/** In the order of the ids. */
export async function selectEvents(
  db: Reader,
  accountId: string,
  ids: readonly string[],
): Promise<(FilteredEvent & { body: string })[]> {
  return db.query(sql`
    select e.event, e.kanban_id as "kanbanId", e.field_id as "fieldId", e.body
    from unnest(${ids}::uuid[]) with ordinality as wanted (id, place)
    join events e on e.account_id = ${accountId} and e.id = wanted.id
    order by wanted.place`);
}
