/** What the board and the record panel read. */
import type { Activity, BoardSummary, Card, InboxCounts, InboxSession } from '../../../contract/dashboard.ts';
import type { Reader } from '../../platform/db/db.ts';
import { empty, limitTo, type Sql, sql } from '../../platform/db/sql.ts';
import { lookupKey, type RecordRow, toRecord } from '../records/records.ts';

export interface CardFilter {
  kanbanId: string;
  status?: string;
  assignedUserId?: string;
  field?: { id: string; value: string };
  /** Where a text was found; undefined: no text was given. */
  ids?: string[];
}

function conditions({ kanbanId, status, assignedUserId, field, ids }: CardFilter): Sql {
  return sql`and kanban_id = ${kanbanId}
    ${status === undefined ? empty : sql`and status = ${status}`}
    ${
      assignedUserId === undefined
        ? empty
        : sql`and assigned_user_ids @> array[${assignedUserId}::uuid] and assigned_user_ids <> '{}'`
    }
    ${field === undefined ? empty : sql`and lookup_keys @> array[${lookupKey(field.id, field.value)}::bigint]`}
    ${ids === undefined ? empty : sql`and id = any(${ids}::uuid[])`}`;
}

interface CardRow extends RecordRow {
  session_id: string | null;
  unread: number;
  needs_attention: boolean;
  last_message_at: number;
  window_closes_at: number | null;
  last_role: 'user' | 'assistant' | 'operator' | 'system' | null;
  last_text: string;
}

interface TasksRow {
  open_tasks: number;
  next_due_at: number | null;
}

/** Of a record r. */
const openTasks = sql`left join lateral (
    select count(*)::int as open_tasks, min(due_at) as next_due_at from tasks
    where account_id = r.account_id and record_id = r.id and done_at is null) t on true`;

const tasksOf = (row: TasksRow): Card['tasks'] => ({ open: row.open_tasks, nextDueAt: row.next_due_at });

/** `withConversations` false omits them: a caller that may read records may not be allowed to read messages. */
export async function selectCards(
  db: Reader,
  accountId: string,
  filter: CardFilter,
  after: { createdAt: number; id: string } | null,
  limit: number,
  withConversations: boolean,
): Promise<Card[]> {
  const page = sql`
    select ${cardColumns}
    from records
    where account_id = ${accountId} ${conditions(filter)}
      ${after ? sql`and (created_at, id) < (${after.createdAt}, ${after.id})` : empty}
    order by created_at desc, id desc ${limitTo(limit)}`;
  return readCards(db, page, withConversations);
}

/** In the order of the ids; those that no longer exist are left out. */
export async function selectCardsByIds(
  db: Reader,
  accountId: string,
  ids: readonly string[],
  withConversations: boolean,
): Promise<Card[]> {
  if (ids.length === 0) return [];
  const page = sql`
    select ${cardColumns} from records where account_id = ${accountId} and id = any(${ids}::uuid[])`;
  const cards = new Map((await readCards(db, page, withConversations)).map((card) => [card.recordId, card]));
  return ids.flatMap((id) => cards.get(id) ?? []);
}

const cardColumns = sql`account_id, id, kanban_id, title, status, custom_fields, assigned_user_ids::text[],
  label_ids::text[], channel_id, created_by, updated_by, created_at, updated_at, client_id,
  unverified_fields::text[]`;

async function readCards(db: Reader, page: Sql, withConversations: boolean): Promise<Card[]> {
  if (!withConversations) {
    const rows = await db.query<RecordRow & TasksRow>(sql`
      select r.*, t.open_tasks, t.next_due_at from (${page}) r ${openTasks} order by r.created_at desc, r.id desc`);
    return rows.map((row) => ({ ...toRecord(row), conversation: null, tasks: tasksOf(row) }));
  }
  const rows = await db.query<CardRow & TasksRow>(sql`
    select r.*, s.session_id, s.unread, s.needs_attention, s.last_message_at, s.window_closes_at, m.role as last_role,
      m.text as last_text, t.open_tasks, t.next_due_at
    from (${page}) r
    left join lateral (
      select session_id, unread, needs_attention, last_message_at,
        case when exists (select from channels c where c.account_id = l.account_id and c.id = l.channel_id
          and c.window_ms is not null) then window_closes_at end as window_closes_at
      from sessions l
      where account_id = r.account_id and record_id = r.id order by last_message_at desc limit 1) s on true
    left join lateral (
      select role, left(content, 160) as text from messages
      where account_id = r.account_id and session_id = s.session_id and not is_note and not held and role <> 'system'
      order by position desc limit 1) m on true
    ${openTasks}
    order by r.created_at desc, r.id desc`);
  return rows.map((row) => ({ ...toRecord(row), conversation: conversationOf(row), tasks: tasksOf(row) }));
}

function conversationOf(row: CardRow): Card['conversation'] {
  if (row.session_id === null) return null;
  return {
    sessionId: row.session_id,
    unread: row.unread,
    needsAttention: row.needs_attention,
    lastMessageAt: row.last_message_at,
    windowClosesAt: row.window_closes_at,
    lastMessage: row.last_role === null ? null : { role: row.last_role, text: row.last_text },
  };
}

export async function countColumns(
  db: Reader,
  accountId: string,
  filter: CardFilter,
  sumFieldId: string | null,
): Promise<BoardSummary['columns']> {
  const total = sumFieldId
    ? sql`coalesce(sum((custom_fields ->> ${sumFieldId}::text)::float8)
        filter (where jsonb_typeof(custom_fields -> ${sumFieldId}::text) = 'number'), 0)`
    : sql`null::float8`;
  return db.query<BoardSummary['columns'][number]>(sql`
    select status, count(*)::int as count, ${total} as total from records
    where account_id = ${accountId} ${conditions(filter)} group by status`);
}

export async function countInbox(
  db: Reader,
  accountId: string,
  visibleKanbanIds: string[] | null,
): Promise<InboxCounts> {
  const visible = visibleKanbanIds === null ? empty : sql`and kanban_id = any(${visibleKanbanIds}::uuid[])`;
  const [row] = await db.query<InboxCounts>(sql`
    select (select count(*)::int from sessions where account_id = ${accountId} and is_unread and status <> 'snoozed' ${visible}) as unread,
      (select count(*)::int from sessions where account_id = ${accountId} and needs_attention and status <> 'snoozed' ${visible})
        as "needsAttention"`);
  return row!;
}

type InboxExtra = Pick<InboxSession, 'sessionId' | 'blocked' | 'lastMessage'>;

/**
 * What the inbox shows of each conversation besides itself. `sessionKey` is the contact key of its own id, by which a
 * conversation without a customer's identifier is blocked.
 */
export async function selectInboxExtras(
  db: Reader,
  accountId: string,
  wanted: readonly { sessionId: string; sessionKey: string }[],
): Promise<InboxExtra[]> {
  return db.query<InboxExtra>(sql`
    select s.session_id as "sessionId",
      (exists (select from contact_blocks b where b.account_id = s.account_id and b.contact_id = s.contact_id)
        or exists (select from blocked_contacts b where b.account_id = s.account_id and b.contact_key =
          case when c.type in ('web', 'chatbot') then c.type || ':' else '' end
          || case when s.external_user_id is not null then s.contact_key else w.session_key end)) as blocked,
      m.message as "lastMessage"
    from unnest(${wanted.map((one) => one.sessionId)}::text[], ${wanted.map((one) => one.sessionKey)}::text[])
      as w (session_id, session_key)
    join sessions s on s.account_id = ${accountId} and s.session_id = w.session_id
    join channels c on c.account_id = s.account_id and c.id = s.channel_id
    left join lateral (
      select jsonb_build_object('role', role, 'text', left(content, 160),
        'fileType', attachments -> 0 ->> 'contentType') as message from messages
      where account_id = s.account_id and session_id = s.session_id and not is_note and not held and role <> 'system'
      order by position desc limit 1) m on true`);
}

interface ActivityRow {
  id: string;
  sequence: number;
  at: number;
  by: string;
  field_id: string;
  field_name: string;
  old_value: unknown;
  new_value: unknown;
}

/** Newest first. `sequence` orders the changes of several fields by one update. */
export async function selectChanges(
  db: Reader,
  accountId: string,
  recordId: string,
  before: number | null,
  limit: number,
): Promise<(Omit<Activity, 'by'> & { by: string; sequence: number })[]> {
  const rows = await db.query<ActivityRow>(sql`
    select id, sequence, created_at as at, field_id, data ->> 'changedBy' as by, data ->> 'fieldName' as field_name,
      data -> 'oldValue' as old_value, data -> 'newValue' as new_value
    from (
      select id, sequence, created_at, field_id, body::jsonb -> 'data' as data from events
      where account_id = ${accountId} and subject_id = ${recordId} and event = 'crm_field_update'
        ${before === null ? empty : sql`and sequence < ${before}`}
      order by sequence desc limit ${limit}) changes
    order by sequence desc`);
  return rows.map((row) => ({
    id: row.id,
    kind: 'changed',
    at: row.at,
    by: row.by,
    fieldId: row.field_id,
    fieldName: row.field_name,
    oldValue: row.old_value,
    newValue: row.new_value,
    text: null,
    sequence: row.sequence,
  }));
}

export interface CardActivityRow {
  id: string;
  kind: 'task_created' | 'task_done' | 'comment';
  at: number;
  by: string;
  text: string;
}

/** Tasks created and completed, and comments; newest first. */
export async function selectCardActivity(
  db: Reader,
  accountId: string,
  recordId: string,
  before: { at: number; id: string } | null,
  limit: number,
): Promise<CardActivityRow[]> {
  return db.query<CardActivityRow>(sql`
    select * from (
      select id || ':created' as id, 'task_created' as kind, created_at as at, created_by as by, title as text from tasks
      where account_id = ${accountId} and record_id = ${recordId}
      union all
      select id || ':done', 'task_done', done_at, done_by, title from tasks
      where account_id = ${accountId} and record_id = ${recordId} and done_at is not null
      union all
      select id::text, 'comment', created_at, created_by, left(content, 300) from record_comments
      where account_id = ${accountId} and record_id = ${recordId}) a
    ${before === null ? empty : sql`where (at, id) < (${before.at}, ${before.id})`}
    order by at desc, id desc limit ${limit}`);
}

/** Users, tokens, agents and rules by their ids. */
export async function selectNames(
  db: Reader,
  accountId: string,
  ids: string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.query<{ id: string; name: string }>(sql`
    select id::text, name from users where account_id = ${accountId} and id = any(${ids}::uuid[])
    union all select id::text, name from api_tokens where account_id = ${accountId} and id = any(${ids}::uuid[])
    union all select id::text, name from agents where account_id = ${accountId} and id = any(${ids}::uuid[])
    union all select id::text, name from automations where account_id = ${accountId} and id = any(${ids}::uuid[])`);
  return new Map(rows.map(({ id, name }) => [id, name]));
}
