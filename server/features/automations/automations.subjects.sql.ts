/** What rules are about: conversations, records, and what time triggers ask of them. */
import type { Reader } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';
import type { CauseRow } from './automations.causes.sql.ts';

export interface Place {
  sessionId: string | null;
  recordId: string | null;
}

/** The conversation with its card, or the record with its latest conversation, as they are now. */
export async function findPlace(
  db: Reader,
  accountId: string,
  { sessionId, recordId }: Pick<CauseRow, 'sessionId' | 'recordId'>,
): Promise<Place> {
  if (sessionId !== null) {
    const [row] = await db.query<{ recordId: string | null }>(sql`
      select record_id as "recordId" from sessions where account_id = ${accountId} and session_id = ${sessionId}`);
    return { sessionId: row ? sessionId : null, recordId: row?.recordId ?? null };
  }
  if (recordId === null) return { sessionId: null, recordId: null };
  const [row] = await db.query<Place>(sql`
    select r.id as "recordId", (select s.session_id from sessions s
      where s.account_id = r.account_id and s.record_id = r.id
      order by s.last_message_at desc, s.session_id desc limit 1) as "sessionId"
    from records r where r.account_id = ${accountId} and r.id = ${recordId}`);
  return row ?? { sessionId: null, recordId: null };
}

const isSent = sql`not m.is_note and not m.held and m.role <> 'system'`;
const isCustomers = sql`m.role = 'user' and not m.is_echo`;
/** An answer by a person, the AI or an echo; not by a rule. */
const isTeams = sql`(m.is_echo or m.role = 'assistant' or m.role = 'operator' and not m.by_rule)`;

export interface LastMessages {
  customer: { position: number; at: number } | null;
  team: { position: number; at: number } | null;
}

/** The last message of each side. */
export async function selectLastMessages(
  db: Reader,
  accountId: string,
  sessionId: string,
): Promise<LastMessages> {
  const last = (side: 'customer' | 'team') => sql`(
    select json_build_object('position', m.position, 'at', m.created_at) from messages m
    where m.account_id = ${accountId} and m.session_id = ${sessionId} and ${isSent}
      and ${side === 'customer' ? isCustomers : isTeams}
    order by m.position desc limit 1)`;
  const [row] = await db.query<LastMessages>(
    sql`select ${last('customer')} as customer, ${last('team')} as team`,
  );
  return row!;
}

/** For opening hours. */
export async function findHoursPlace(
  db: Reader,
  accountId: string,
  sessionId: string,
): Promise<{ channelId: string; teamId: string | null } | null> {
  const [row] = await db.query<{ channelId: string; teamId: string | null }>(sql`
    select channel_id as "channelId", team_id as "teamId" from sessions
    where account_id = ${accountId} and session_id = ${sessionId}`);
  return row ?? null;
}

export async function findFieldValue(
  db: Reader,
  accountId: string,
  recordId: string,
  fieldId: string,
): Promise<unknown> {
  const [row] = await db.query<{ value: unknown }>(sql`
    select custom_fields -> ${fieldId} as value from records
    where account_id = ${accountId} and id = ${recordId}`);
  return row?.value ?? null;
}

/** In the order of their ids. */
export async function selectFieldValues(
  db: Reader,
  accountId: string,
  fieldId: string,
  after: string,
  limit: number,
): Promise<{ recordId: string; value: unknown }[]> {
  return db.query<{ recordId: string; value: unknown }>(
    sql`
    select id as "recordId", custom_fields -> ${fieldId} as value from records
    where account_id = ${accountId} and id > ${after}::uuid and custom_fields ? ${fieldId}
    order by id limit ${limit}`,
    { timeoutMs: 60_000 },
  );
}

/** Records of a board, newest first. */
export async function selectRecordIds(
  db: Reader,
  accountId: string,
  before: { createdAt: number; id: string } | null,
  limit: number,
): Promise<{ id: string; createdAt: number }[]> {
  const { createdAt, id } = before ?? {
    createdAt: Number.MAX_SAFE_INTEGER,
    id: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  };
  return db.query<{ id: string; createdAt: number }>(sql`
    select id, created_at as "createdAt" from records
    where account_id = ${accountId} and (created_at, id) < (${createdAt}, ${id}::uuid)
    order by created_at desc, id desc limit ${limit}`);
}

export interface OpenTask {
  taskId: string;
  recordId: string;
  kanbanId: string;
  dueAt: number;
}

export async function findOpenTask(db: Reader, accountId: string, taskId: string): Promise<OpenTask | null> {
  const [row] = await db.query<OpenTask>(sql`
    select id as "taskId", record_id as "recordId", kanban_id as "kanbanId", due_at as "dueAt" from tasks
    where account_id = ${accountId} and id = ${taskId} and done_at is null and due_at is not null`);
  return row ?? null;
}

/** In the order of their ids. */
export async function selectOpenTasks(
  db: Reader,
  accountId: string,
  dueAfter: number,
  after: string,
  limit: number,
): Promise<OpenTask[]> {
  return db.query<OpenTask>(sql`
    select id as "taskId", record_id as "recordId", kanban_id as "kanbanId", due_at as "dueAt" from tasks
    where account_id = ${accountId} and id > ${after}::uuid and done_at is null and due_at > ${dueAfter}
    order by id limit ${limit}`);
}
