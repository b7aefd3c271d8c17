/**
 * Events are rows written together with the change they tell of. The body's bytes are frozen here: every
 * delivery, retry and replay sends exactly these. `sequence` counts per subject (a record or a session) and is
 * counted by the subject's own row, under the lock that the change holds anyway.
 */
import type { EventBody, EventName } from '../../contract/events.ts';
import type { EmittedEvent, Tx } from './db.ts';
import { newId } from './ids.ts';
import { type Sql, sql } from './sql.ts';

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
  /** Members that stand beside the envelope's own (message webhooks). */
  topLevel?: object;
  timestamp: number;
}

export interface FrozenEvent extends EmittedEvent {
  event: EventName;
  accountId: string;
  subjectId: string;
  sequence: number;
  kanbanId: string | null;
  fieldId: string | null;
  timestamp: number;
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
  };
}

/**
 * The outbox's part of a larger statement: `with change as (…), ${insertEvents(tx, events, 'change')} select …`.
 * Nothing is inserted when `change` came out empty, so an event can never stand without its change.
 */
export function insertEvents(tx: Tx, events: readonly FrozenEvent[], change: ChangeName): Sql {
  for (const event of events) tx.emitted.push({ id: event.id, event: event.event, body: event.body });
  return sql`new_events as (
    insert into events (account_id, id, event, subject_id, sequence, kanban_id, field_id, created_at, body)
    select ${events[0]?.accountId}::uuid, e.id, e.event, e.subject_id, e.sequence, e.kanban_id, e.field_id, e.created_at, e.body
    from unnest(
      ${events.map((e) => e.id)}::uuid[], ${events.map((e) => e.event)}::text[],
      ${events.map((e) => e.subjectId)}::text[], ${events.map((e) => e.sequence)}::int[],
      ${events.map((e) => e.kanbanId)}::uuid[], ${events.map((e) => e.fieldId)}::text[],
      ${events.map((e) => e.timestamp)}::bigint[], ${events.map((e) => e.body)}::text[]
    ) as e (id, event, subject_id, sequence, kanban_id, field_id, created_at, body)
    where exists (select from ${changeNames[change]})
    returning id
  )`;
}

type ChangeName = keyof typeof changeNames;
/** Names cannot be parameters; a closed list keeps them out of reach of any input. */
const changeNames = { change: sql`change` } as const;

/** An event on its own, for changes that are not a single hot statement. */
export async function emit(tx: Tx, event: OutboxEvent): Promise<FrozenEvent> {
  const frozen = freeze(event);
  await tx.query(
    sql`with change as (select 1), ${insertEvents(tx, [frozen], 'change')} select from new_events`,
  );
  return frozen;
}
