/**
 * Events are rows written together with their change, and so are their deliveries: one for each endpoint that wants
 * the event at that moment. The bytes of the body are frozen here: every delivery, retry and replay sends exactly
 * these. `sequence` counts per subject (a record or a session) in the subject's own row, under the lock that the
 * change already holds.
 */
import type { EventBody, EventName } from '../../../contract/events.ts';
import type { Db, Tx } from '../db/db.ts';
import { empty, jsonSeparator, type Sql, sql } from '../db/sql.ts';
import { newId } from '../ids.ts';
import { currentTrace } from '../telemetry/tracing.ts';

export interface OutboxEvent {
  event: EventName;
  accountId: string;
  /** The record's or the session's id. */
  subjectId: string;
  sequence: number;
  /** For the webhooks' filters. */
  kanbanId: string | null;
  fieldId: string | null;
  data: object;
  /** Additional members of the envelope (message webhooks). */
  topLevel?: object;
  timestamp: number;
  /** Set: only for this endpoint. */
  endpointId?: string;
  /** Deliveries of one endpoint with the same key go out in the order of their sequence. */
  orderKey?: string;
}

export interface FrozenEvent {
  id: string;
  event: EventName;
  accountId: string;
  subjectId: string;
  sequence: number;
  kanbanId: string | null;
  fieldId: string | null;
  timestamp: number;
  endpointId: string | null;
  orderKey: string | null;
  /** Set: it waits this long for something that changes its body (events/awaited-event.ts). */
  deliverAfterMs?: number;
  /** The trace of the change; null: it has none. */
  traceparent: string | null;
  /** The bytes that every delivery sends. */
  body: string;
}

export function freeze(event: OutboxEvent): FrozenEvent {
  const id = newId(event.timestamp);
  const body: EventBody = {
    id,
    event: event.event,
    timestamp: event.timestamp,
    accountId: event.accountId,
    sequence: event.sequence,
    ...event.topLevel,
    data: event.data,
  };
  const { accountId, subjectId, sequence, kanbanId, fieldId, timestamp } = event;
  return {
    id,
    event: event.event,
    body: JSON.stringify(body),
    accountId,
    subjectId,
    sequence,
    kanbanId,
    fieldId,
    timestamp,
    endpointId: event.endpointId ?? null,
    orderKey: event.orderKey ?? null,
    traceparent: currentTrace(),
  };
}

/**
 * The outbox's part of a larger statement: `with change as (…), ${insertEvents(tx, events, 'change')} select …`.
 * Nothing is inserted if `change` is empty, so an event never exists without its change.
 */
export function insertEvents(tx: Tx, events: readonly FrozenEvent[], change: ChangeName): Sql {
  noteEvents(tx, events);
  return eventRows(events[0]?.accountId, events, change);
}

export function noteEvents(tx: Tx, events: readonly FrozenEvent[]): void {
  tx.emitted.push(...events.map(({ id }) => id));
  wakeDeliveries(tx);
}

/** Null: none has one, and the statement is the one without traces. */
function tracesOf(events: readonly FrozenEvent[]): string | null {
  if (!events.some(({ traceparent }) => traceparent !== null)) return null;
  return JSON.stringify(Object.fromEntries(events.map(({ id, traceparent }) => [id, traceparent])));
}

/** The same for a statement without a transaction, of events of one account. */
export function eventRows(
  accountId: string | undefined,
  events: readonly FrozenEvent[],
  change: ChangeName,
): Sql {
  const awaited = events.find((event) => event.deliverAfterMs !== undefined);
  const dueAt = awaited ? dueLater(awaited) : sql`now()`;
  const traces = tracesOf(events);
  return sql`new_events as (
    insert into events (account_id, id, event, subject_id, sequence, kanban_id, field_id, created_at, endpoint_id,
      order_key, body${traces === null ? empty : sql`, traceparent`})
    select ${accountId}::uuid, e.id, e.event, e.subject_id, e.sequence, e.kanban_id, e.field_id,
      e.created_at, e.endpoint_id, e.order_key, e.body
      ${traces === null ? empty : sql`, ${traces}::json ->> e.id::text`}
    from ${events.length === 1 ? oneRow(events[0]!) : manyRows(events)} as e (id, event, subject_id, sequence, kanban_id, field_id, created_at, endpoint_id, order_key, body)
    where exists (select from ${changeNames[change]})
    returning account_id, id, event, sequence, kanban_id, field_id, created_at, endpoint_id, order_key
  ), new_deliveries as (
    insert into webhook_deliveries (account_id, id, event_id, webhook_id, status, order_key, sequence, created_at,
      next_attempt_at)
    select e.account_id, gen_random_uuid(), e.id, w.id, case when w.enabled then 'pending' else 'held' end,
      e.order_key, e.sequence, e.created_at, ${dueAt}
    from new_events e join webhooks w on w.account_id = e.account_id
    where case when e.endpoint_id is not null then w.id = e.endpoint_id
      else w.kind = 'webhook' and e.event = any(w.events)
        and (w.kanban_ids = '{}' or e.kanban_id = any(w.kanban_ids))
        and (w.field_ids = '{}' or e.event <> 'crm_field_update' or e.field_id = any(w.field_ids)) end
    returning id
  )`;
}

function dueLater({ id, deliverAfterMs = 0 }: FrozenEvent): Sql {
  return sql`case when e.id = ${id}::uuid then now() + make_interval(secs => ${deliverAfterMs / 1000}::float8)
    else now() end`;
}

/** Most statements have one event, for which arrays would take 50 µs more. */
function oneRow(e: FrozenEvent): Sql {
  return sql`(values (${e.id}::uuid, ${e.event}::text, ${e.subjectId}::text, ${e.sequence}::int,
    ${e.kanbanId}::uuid, ${e.fieldId}::text, ${e.timestamp}::bigint, ${e.endpointId}::uuid, ${e.orderKey}::text,
    ${e.body}::text))`;
}

/**
 * One document, because arrays would be escaped element by element. The bodies are passed beside it: as strings of
 * the document they would be escaped here and parsed again there.
 */
function manyRows(events: readonly FrozenEvent[]): Sql {
  const rows = events.map((e) => ({
    id: e.id,
    event: e.event,
    subject_id: e.subjectId,
    sequence: e.sequence,
    created_at: e.timestamp,
    // What is left out is null, and takes no time.
    ...(e.kanbanId !== null && { kanban_id: e.kanbanId }),
    ...(e.fieldId !== null && { field_id: e.fieldId }),
    ...(e.endpointId !== null && { endpoint_id: e.endpointId }),
    ...(e.orderKey !== null && { order_key: e.orderKey }),
  }));
  const bodies = events.map((e) => e.body).join(jsonSeparator);
  return sql`rows from (
      json_to_recordset(${JSON.stringify(rows)}::json) as (id uuid, event text, subject_id text, sequence int,
        kanban_id uuid, field_id text, created_at bigint, endpoint_id uuid, order_key text),
      unnest(string_to_array(${bodies}, ${jsonSeparator}))
    )`;
}

type ChangeName = keyof typeof changeNames;
/** Names cannot be parameters; a closed list keeps input out. */
const changeNames = { change: sql`change` } as const;

const deliveriesWork = 'webhook deliveries';

export function onDeliveries(db: Db, wake: () => void): () => void {
  return db.onWake(deliveriesWork, wake);
}

/** After the commit: the delivery worker of this process and database, if there is one, before its next look. */
export function wakeDeliveries(by: Pick<Tx, 'wake'>): void {
  by.wake(deliveriesWork);
}

/** A single event, for changes that are not one hot statement. */
export async function emit(tx: Tx, event: OutboxEvent): Promise<FrozenEvent> {
  return emitFrozen(tx, freeze(event));
}

export async function emitFrozen(tx: Tx, frozen: FrozenEvent): Promise<FrozenEvent> {
  await emitAllFrozen(tx, [frozen]);
  return frozen;
}

export async function emitAllFrozen(tx: Tx, events: readonly FrozenEvent[]): Promise<void> {
  await tx.query(
    sql`with change as (select 1), ${insertEvents(tx, events, 'change')} select from new_events`,
  );
}

/** Takes back every delivery of what this transaction has emitted, for a past that is filled in. */
export async function takeBackDeliveries(tx: Tx, accountId: string): Promise<void> {
  await tx.query(
    sql`delete from webhook_deliveries where account_id = ${accountId} and event_id = any(${tx.emitted}::uuid[])`,
    { timeoutMs: 60_000 },
  );
}
