/** What happened in conversations and to records, as far as triggers ask for it. Much is read at once. */
import type { Trigger } from '../../../../contract/automation/triggers.ts';
import type { Reader } from '../../../platform/db/db.ts';
import { empty, type Sql, sql } from '../../../platform/db/sql.ts';

const long = { timeoutMs: 60_000 };

const onBoards = (column: Sql, visible: readonly string[] | null) =>
  visible === null ? empty : sql`and ${column} = any(${visible}::uuid[])`;

export interface SessionPageRow {
  id: string;
  channelId: string;
  teamId: string | null;
  createdAt: number;
}

/** Those that changed since then, in the order of their ids. */
export async function selectSessionPage(
  db: Reader,
  accountId: string,
  visible: readonly string[] | null,
  changedSince: number,
  after: string,
  limit: number,
): Promise<SessionPageRow[]> {
  return db.query<SessionPageRow>(
    sql`
    select s.session_id as id, s.channel_id as "channelId", s.team_id as "teamId", s.created_at as "createdAt"
    from sessions s
    where s.account_id = ${accountId} and s.session_id > ${after} and s.updated_at >= ${changedSince}
      ${onBoards(sql`s.kanban_id`, visible)}
    order by s.session_id limit ${limit}`,
    long,
  );
}

export interface PastMessageRow {
  sessionId: string;
  position: number;
  id: string;
  at: number;
  author: 'customer' | 'person' | 'agent' | 'rule' | null;
  content: string | null;
  hasAttachment: boolean;
  isFirst: boolean;
}

/** As the causes of rules are made of messages. `withContent`: conditions compare it. */
export async function selectMessages(
  db: Reader,
  accountId: string,
  sessionIds: readonly string[],
  since: number,
  withContent: boolean,
): Promise<PastMessageRow[]> {
  const isCustomers = (m: Sql) => sql`(${m}.role = 'user' and not ${m}.is_echo)`;
  const counts = (m: Sql) => sql`not ${m}.is_note and not ${m}.held and ${m}.role <> 'system'`;
  const first = (side: Sql) => sql`(select e.position from messages e
    where e.account_id = ${accountId} and e.session_id = w.id and ${counts(sql`e`)} and ${side}
    order by e.position limit 1)`;
  return db.query<PastMessageRow>(
    sql`
    select m.session_id as "sessionId", m.position, m.id, m.created_at as at,
      case when not (${counts(sql`m`)}) then null
        when m.is_echo then 'person'
        when m.role = 'user' then 'customer'
        when m.role = 'assistant' then 'agent'
        when m.by_rule then 'rule'
        else 'person' end as author,
      ${withContent ? sql`m.content` : sql`null`} as content, m.attachments <> '[]' as "hasAttachment",
      m.position = case when ${isCustomers(sql`m`)} then w.first_asked else w.first_answered end as "isFirst"
    from (
      select w.id, ${first(isCustomers(sql`e`))} as first_asked, ${first(sql`not ${isCustomers(sql`e`)}`)} as first_answered
      from unnest(${sessionIds}::text[]) as w (id)) w
    join messages m on m.account_id = ${accountId} and m.session_id = w.id
    where m.created_at >= ${since}
    order by m.session_id, m.position`,
    long,
  );
}

export interface PastChangeRow {
  sessionId: string;
  at: number;
  changes: { field: string; oldValue: unknown; newValue: unknown }[];
}

export async function selectChanges(
  db: Reader,
  accountId: string,
  sessionIds: readonly string[],
  since: number,
): Promise<PastChangeRow[]> {
  return db.query<PastChangeRow>(
    sql`
    select c.session_id as "sessionId", c.at, c.changes from session_changes c
    where c.account_id = ${accountId} and c.session_id = any(${sessionIds}::text[]) and c.at >= ${since}
    order by c.session_id, c.sequence`,
    long,
  );
}

/** When an agent paused itself. */
export async function selectHandovers(
  db: Reader,
  accountId: string,
  sessionIds: readonly string[],
  since: number,
): Promise<{ sessionId: string; at: number }[]> {
  return db.query(
    sql`
    select p.session_id as "sessionId", p.at from ai_pauses p
    where p.account_id = ${accountId} and p.session_id = any(${sessionIds}::text[]) and p.at >= ${since}
      and p.paused and p.by_agent
    order by p.session_id, p.sequence`,
    long,
  );
}

export async function selectRatings(
  db: Reader,
  accountId: string,
  sessionIds: readonly string[],
  since: number,
): Promise<{ sessionId: string; at: number; score: number }[]> {
  return db.query(
    sql`
    select r.session_id as "sessionId", r.created_at as at, r.score::int from session_ratings r
    where r.account_id = ${accountId} and r.session_id = any(${sessionIds}::text[]) and r.created_at >= ${since}
    order by r.session_id, r.created_at`,
    long,
  );
}

/** Stored events of conversations or records. */
export async function selectEvents(
  db: Reader,
  accountId: string,
  subjectIds: readonly string[],
  event: string,
  fieldId: string | null,
  since: number,
): Promise<{ subjectId: string; at: number }[]> {
  return db.query(
    sql`
    select e.subject_id as "subjectId", e.created_at as at from events e
    where e.account_id = ${accountId} and e.subject_id = any(${subjectIds}::text[]) and e.event = ${event}
      and e.created_at >= ${since} ${fieldId === null ? empty : sql`and e.field_id = ${fieldId}`}
    order by e.subject_id, e.sequence`,
    long,
  );
}

export interface RecordPageRow {
  id: string;
  kanbanId: string;
  createdAt: number;
  /** Of a trigger about a date. */
  value: unknown;
}

/** Those that the trigger may be about, in the order of their ids. */
export async function selectRecordPage(
  db: Reader,
  accountId: string,
  visible: readonly string[] | null,
  { on, kanbanId, fieldId }: Trigger,
  since: number,
  after: string,
  limit: number,
): Promise<RecordPageRow[]> {
  const isMeant: { [on: string]: Sql } = {
    record_created: sql`and r.created_at >= ${since}`,
    record_moved: sql`and r.updated_at >= ${since}`,
    field_changed: sql`and r.updated_at >= ${since}`,
    task_due: sql`and exists (select from tasks t where t.account_id = r.account_id and t.record_id = r.id
      and t.due_at >= ${since})`,
    comment_added: sql`and exists (select from record_comments c
      where c.account_id = r.account_id and c.record_id = r.id and c.created_at >= ${since})`,
    date_field: sql`and r.custom_fields ? ${fieldId ?? ''}`,
  };
  return db.query<RecordPageRow>(
    sql`
    select r.id, r.kanban_id as "kanbanId", r.created_at as "createdAt",
      r.custom_fields -> ${fieldId ?? ''} as value
    from records r
    where r.account_id = ${accountId} and r.id > ${after}::uuid ${isMeant[on] ?? empty}
      ${kanbanId === undefined ? empty : sql`and r.kanban_id = ${kanbanId}`} ${onBoards(sql`r.kanban_id`, visible)}
    order by r.id limit ${limit}`,
    long,
  );
}

export async function selectMoves(
  db: Reader,
  accountId: string,
  recordIds: readonly string[],
  since: number,
): Promise<{ recordId: string; at: number; from: string; to: string }[]> {
  return db.query(
    sql`
    select c.record_id as "recordId", c.at, c.from_status as from, c.to_status as to
    from records r join record_status_changes c
      on c.account_id = r.account_id and c.kanban_id = r.kanban_id and c.record_id = r.id
    where r.account_id = ${accountId} and r.id = any(${recordIds}::uuid[]) and c.at >= ${since}
      and c.to_status is not null
    order by c.record_id, c.sequence`,
    long,
  );
}

/** Tasks that were open when they were due, or comments. */
export async function selectTimesOfRecords(
  db: Reader,
  accountId: string,
  recordIds: readonly string[],
  of: 'tasks' | 'comments',
  since: number,
  until: number,
): Promise<{ recordId: string; at: number }[]> {
  const ofTasks = sql`
    select t.record_id as "recordId", t.due_at as at from tasks t
    where t.account_id = ${accountId} and t.record_id = any(${recordIds}::uuid[]) and t.due_at >= ${since}
      and t.due_at < ${until} and (t.done_at is null or t.done_at > t.due_at)`;
  const ofComments = sql`
    select c.record_id as "recordId", c.created_at as at from record_comments c
    where c.account_id = ${accountId} and c.record_id = any(${recordIds}::uuid[]) and c.created_at >= ${since}`;
  return db.query(sql`${of === 'tasks' ? ofTasks : ofComments} order by 1, 2`, long);
}

/** How far back an account keeps messages and events, in days. Null: for ever. */
export async function findKeptDays(
  db: Reader,
  accountId: string,
): Promise<{ messages: number | null; events: number }> {
  const [row] = await db.query<{ messages: number | null; events: number }>(sql`
    select r.message_days as messages, a.webhook_log_days as events
    from accounts a left join retention r on r.account_id = a.id where a.id = ${accountId}`);
  return row!;
}
