import type { Session, SessionChanger, SessionStatus } from '../../../contract/messaging/sessions.ts';
import { peopleText } from '../../../contract/shapes/people-search.ts';
import { type Column, type Columns, tableOf } from '../../platform/db/columns.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { empty, type Sql, sql } from '../../platform/db/sql.ts';
import { insertLiveChanges } from '../../platform/events/live-changes.ts';
import { type SlaRow, shownSla, slaColumns } from './sessions.sla.sql.ts';

/** A conversation under its lock. */
export interface SessionState {
  sessionId: string;
  sessionName: string | null;
  channelId: string;
  externalUserId: string | null;
  contactKey: string;
  /** The person; null: the conversation has no identifier of a customer, or has not got its contact yet. */
  contactId: string | null;
  agentId: string;
  kanbanId: string;
  recordId: string | null;
  aiPaused: boolean;
  needsAttention: boolean;
  unread: number;
  status: SessionStatus;
  snoozedUntil: number | null;
  statusChangedAt: number | null;
  statusChangedBy: SessionChanger | null;
  assignedUserId: string | null;
  teamId: string | null;
  /** Sorted. */
  labelIds: string[];
  /** When free text can no longer be sent; null: the customer has not written, or the channel has no such limit. */
  windowClosesAt: number | null;
  /** It has scheduled messages that a message of the customer cancels. */
  cancelsOnReply: boolean;
  /** Since when the customer waits. It stays when the conversation is resolved, and means nothing then. */
  waitingSince: number | null;
  lastMessageAt: number;
  createdAt: number;
  updatedAt: number;
  messageCount: number;
  eventSequence: number;
  /** The service generated the id. Only set for a new conversation; for others see selectHasGeneratedId. */
  hasGeneratedId?: boolean;
  /** Only set where it is to be stored; otherwise it stays as it is. */
  customerEmail?: string | null;
}

const ownedColumns = sql`s.status, s.snoozed_until as "snoozedUntil", s.status_changed_at as "statusChangedAt",
  s.status_changed_by as "statusChangedBy", s.assigned_user_id as "assignedUserId", s.team_id as "teamId",
  s.label_ids::text[] as "labelIds"`;
export const stateColumns = sql`s.session_name as "sessionName", s.channel_id as "channelId",
  s.external_user_id as "externalUserId", s.contact_key as "contactKey",
  s.contact_id as "contactId", s.agent_id as "agentId", s.kanban_id as "kanbanId", s.record_id as "recordId", s.ai_paused as "aiPaused",
  s.needs_attention as "needsAttention", s.unread, s.last_message_at as "lastMessageAt", s.created_at as "createdAt",
  s.updated_at as "updatedAt", s.message_count as "messageCount", s.event_sequence as "eventSequence",
  s.window_closes_at as "windowClosesAt", s.cancels_on_reply as "cancelsOnReply", s.waiting_since as "waitingSince",
  ${ownedColumns}`;

/** The lock that open_session takes first. */
export async function takeSessionLock(tx: Tx, accountId: string, sessionId: string): Promise<void> {
  await tx.query(sql`
    select pg_advisory_xact_lock(hashtextextended(${accountId}::text || '/session/' || ${sessionId}::text, 0))`);
}

const newColumns = {
  sessionId: ['session_id', 'text'],
  channelId: ['channel_id', 'uuid'],
  createdAt: ['created_at', 'bigint'],
  hasGeneratedId: [
    { name: 'has_generated_id', type: 'boolean', value: ({ hasGeneratedId = false }) => hasGeneratedId },
  ],
} as const satisfies Columns<Pick<SessionState, 'sessionId' | 'channelId' | 'createdAt' | 'hasGeneratedId'>>;

/** Not cleared by a state that does not have it. */
const keptColumns = {
  contactId: ['contact_id', 'uuid'],
  customerEmail: ['customer_email', 'text'],
} as const;

/** A change that waited for the lock may have an earlier time than the one before it: the version never goes back. */
const versionColumn = { updatedAt: ['updated_at', 'bigint'] } as const;
const newerVersion = sql`updated_at = greatest(s.updated_at, g.updated_at)`;

/** What any message may change. */
const countedColumns = {
  needsAttention: ['needs_attention', 'boolean'],
  unread: ['unread', 'int'],
  windowClosesAt: ['window_closes_at', 'bigint'],
  cancelsOnReply: ['cancels_on_reply', 'boolean'],
  waitingSince: ['waiting_since', 'bigint'],
  lastMessageAt: ['last_message_at', 'bigint'],
  messageCount: ['message_count', 'bigint'],
  eventSequence: ['event_sequence', 'int'],
} as const;

type Counted = Pick<SessionState, keyof typeof countedColumns>;
type Decided = Omit<
  SessionState,
  keyof typeof newColumns | keyof typeof keptColumns | keyof typeof versionColumn | keyof Counted
>;

/** What most messages leave as it is. */
const decidedColumns: Columns<Decided> = {
  sessionName: ['session_name', 'text'],
  externalUserId: ['external_user_id', 'text'],
  contactKey: ['contact_key', 'text'],
  agentId: ['agent_id', 'uuid'],
  kanbanId: ['kanban_id', 'uuid'],
  recordId: ['record_id', 'uuid'],
  aiPaused: ['ai_paused', 'boolean'],
  status: ['status', 'text'],
  snoozedUntil: ['snoozed_until', 'bigint'],
  statusChangedAt: ['status_changed_at', 'bigint'],
  statusChangedBy: ['status_changed_by', 'jsonb'],
  assignedUserId: ['assigned_user_id', 'uuid'],
  teamId: ['team_id', 'uuid'],
  labelIds: ['label_ids', 'uuid[]'],
};

const searchText: Column<SessionState> = {
  name: 'search_text',
  type: 'text',
  value: searchTextOf,
};

const states = tableOf<SessionState>(
  { ...newColumns, ...keptColumns, ...versionColumn, ...countedColumns, ...decidedColumns },
  [searchText],
);
const changed = tableOf<Counted & Decided, SessionState>({ ...countedColumns, ...decidedColumns }, [
  searchText,
]);
const counted = tableOf<Counted, SessionState>(countedColumns);
const counts = tableOf<Counted & Pick<SessionState, 'sessionId' | 'updatedAt'>, SessionState>({
  sessionId: newColumns.sessionId,
  ...versionColumn,
  ...countedColumns,
});

/** New conversations; part of a larger statement, which may add `where` or `returning`. */
export function insertSessions(accountId: string, sessions: readonly SessionState[]): Sql {
  return sql`
    insert into sessions (account_id, ${states.names})
    select ${accountId}::uuid, ${states.names} from ${states.rows(sessions)}`;
}

interface WrittenSession {
  session: SessionState;
  /** As it was found, if the caller knows it: what has stayed the same is not written again. */
  before?: SessionState | null;
}

/** Conversations that are there and locked; part of a larger statement, which may add `and` or `returning`. */
export function updateSessions(accountId: string, updates: readonly WrittenSession[]): Sql {
  const sessions = updates.map(({ session }) => session);
  const isHere = sql`s.account_id = ${accountId} and s.session_id = g.session_id`;
  if (updates.every(isOnlyCounted)) {
    return sql`
      update sessions s set (${counted.names}) = row(${counted.namesOf('g')}), ${newerVersion}
      from ${counts.rows(sessions, 'g')}
      where ${isHere}`;
  }
  return sql`
    update sessions s set (${changed.names}) = row(${changed.namesOf('g')}),
      customer_email = coalesce(g.customer_email, s.customer_email),
      contact_id = coalesce(s.contact_id, g.contact_id),
      ${newerVersion}
    from ${states.rows(sessions, 'g')}
    where ${isHere}`;
}

const decided = [...Object.keys(decidedColumns), ...Object.keys(keptColumns)] as (keyof SessionState)[];

const isOnlyCounted = ({ before, session }: WrittenSession): boolean =>
  !!before && decided.every((name) => before[name] === session[name]);

/** An entry of a conversation's history. */
export interface SessionChange {
  sequence: number;
  at: number;
  changedBy: SessionChanger;
  changes: { field: string; oldValue: unknown; newValue: unknown }[];
}

/** May be part of a larger statement, which then has a `session_row`. */
export function insertSessionChange(
  accountId: string,
  sessionId: string,
  { sequence, at, changedBy, changes }: SessionChange,
  from: Sql = sql`(select 1)`,
): Sql {
  return sql`
    insert into session_changes (account_id, session_id, sequence, at, changed_by, changes)
    select ${accountId}::uuid, ${sessionId}::text, ${sequence}::int, ${at}::bigint,
      ${JSON.stringify(changedBy)}::jsonb, ${JSON.stringify(changes)}::jsonb
    where exists (select from ${from} one)`;
}

/** Each new owner gets a notification of it. */
export async function noteAssigned(
  tx: Tx,
  accountId: string,
  assigned: readonly { sessionId: string; userId: string }[],
): Promise<void> {
  if (assigned.length === 0) return;
  const rows = sql`unnest(${assigned.map((one) => one.sessionId)}::text[],
    ${assigned.map((one) => one.userId)}::uuid[]) as a (session_id, user_id)`;
  await tx.query(
    insertLiveChanges(accountId, sql`select 'owner.assigned', a.session_id, a.user_id from ${rows}`),
  );
}

/** The conversation's card on a board, for when it comes back there; part of a larger statement. */
export function linkRecord(
  accountId: string,
  sessionId: string,
  kanbanId: string,
  recordId: string,
  from: Sql,
): Sql {
  return sql`
    insert into session_records (account_id, session_id, kanban_id, record_id)
    select ${accountId}::uuid, ${sessionId}::text, ${kanbanId}::uuid, ${recordId}::uuid
    where exists (select from ${from})
    on conflict (account_id, session_id, kanban_id) do update set record_id = excluded.record_id`;
}

/** What the list's search looks at. */
export function searchTextOf(
  session: Pick<SessionState, 'sessionId' | 'sessionName' | 'externalUserId'>,
): string {
  return peopleText([session.sessionName, session.externalUserId, session.sessionId]);
}

export async function updateSession(tx: Tx, accountId: string, state: SessionState): Promise<void> {
  await tx.query(updateSessions(accountId, [{ session: state }]));
}

export interface SessionRow extends Omit<Session, 'sla'>, SlaRow {}

export const toSession = <Row extends SessionRow>({ storedSla, slaHours, readAt, ...session }: Row) => ({
  ...session,
  sla: shownSla({ storedSla, slaHours, readAt }),
});

/** A customer who has not written has opened no window: it was closed from the beginning. */
const windowColumns = sql`
  case when c.window_ms is not null then coalesce(s.window_closes_at, s.created_at) end as "windowClosesAt",
  case when c.window_ms is not null then coalesce(s.window_closes_at - c.window_ms + coalesce(c.person_window_ms,
    c.window_ms), s.created_at) end as "personWindowClosesAt"`;

/** Of a conversation s. */
export const waitingSince = sql`case when s.status <> 'resolved' then s.waiting_since end`;

/** A record deleted since is not shown as the conversation's. */
export const sessionColumns = sql`s.session_id as "sessionId", s.session_name as "sessionName", s.channel_id as "channelId",
  c.type as "channelType", s.external_user_id as "externalUserId", s.contact_id as "contactId",
  s.customer_email as "customerEmail", s.agent_id as "agentId", s.kanban_id as "kanbanId",
  (select r.id from records r where r.account_id = s.account_id and r.id = s.record_id) as "recordId",
  s.ai_paused as "aiPaused", s.needs_attention as "needsAttention", s.unread, ${ownedColumns}, ${windowColumns},
  ${slaColumns}, ${waitingSince} as "waitingSince",
  s.last_message_at as "lastMessageAt", s.created_at as "createdAt", s.updated_at as "updatedAt"`;
export const sessionTables = sql`sessions s join channels c on c.account_id = s.account_id and c.id = s.channel_id`;

export async function findSession(db: Reader, accountId: string, sessionId: string): Promise<Session | null> {
  const [row] = await db.query<SessionRow>(sql`
    select ${sessionColumns} from ${sessionTables} where s.account_id = ${accountId} and s.session_id = ${sessionId}`);
  return row ? toSession(row) : null;
}

/** The board whose people see that the customer types; null: there is no such conversation, or the customer is blocked. */
export async function findTypingBoard(
  db: Reader,
  accountId: string,
  sessionId: string,
): Promise<string | null> {
  const [row] = await db.query<{ kanbanId: string }>(sql`
    select kanban_id as "kanbanId" from sessions
    where account_id = ${accountId} and session_id = ${sessionId} and not is_session_blocked(${accountId}, ${sessionId})`);
  return row?.kanbanId ?? null;
}

/** Of several accounts at once, for the live feed: by account and id. */
export async function selectSessionsByKeys(
  db: Reader,
  keys: readonly { accountId: string; id: string }[],
): Promise<(Session & { accountId: string })[]> {
  const rows = await db.query<SessionRow & { accountId: string }>(sql`
    select s.account_id as "accountId", ${sessionColumns}
    from unnest(${keys.map((key) => key.accountId)}::uuid[], ${keys.map((key) => key.id)}::text[])
      as wanted (account_id, session_id)
    join ${sessionTables} on s.account_id = wanted.account_id and s.session_id = wanted.session_id`);
  return rows.map(toSession);
}

/** The session's existing record on a kanban it was on before. */
export async function findSessionRecord(
  db: Reader,
  accountId: string,
  sessionId: string,
  kanbanId: string,
): Promise<string | null> {
  const [row] = await db.query<{ record_id: string }>(sql`
    select sr.record_id from session_records sr
    join records r on r.account_id = sr.account_id and r.id = sr.record_id
    where sr.account_id = ${accountId} and sr.session_id = ${sessionId} and sr.kanban_id = ${kanbanId}`);
  return row?.record_id ?? null;
}

export async function selectHasGeneratedId(
  db: Reader,
  accountId: string,
  sessionId: string,
): Promise<boolean> {
  const [row] = await db.query<{ generated: boolean }>(sql`
    select has_generated_id as generated from sessions
    where account_id = ${accountId} and session_id = ${sessionId}`);
  return row?.generated ?? false;
}

export async function selectCustomerEmail(
  db: Reader,
  accountId: string,
  sessionId: string,
): Promise<string | null> {
  const [row] = await db.query<{ email: string | null }>(sql`
    select customer_email as email from sessions where account_id = ${accountId} and session_id = ${sessionId}`);
  return row?.email ?? null;
}

export async function hasHeldReply(db: Reader, accountId: string, sessionId: string): Promise<boolean> {
  const [row] = await db.query<{ held: boolean }>(sql`
    select exists (select from messages
      where account_id = ${accountId} and session_id = ${sessionId} and held) as held`);
  return row!.held;
}

/**
 * Kept for reports: the event that tells of it is removed after a while. May be part of a larger statement, which then
 * has a `session_row`.
 */
export function insertAiPause(
  accountId: string,
  { sessionId, eventSequence, aiPaused, updatedAt }: SessionState,
  byAgent: boolean,
  from: Sql = sql`(select 1)`,
): Sql {
  return sql`
    insert into ai_pauses (account_id, session_id, sequence, at, paused, by_agent)
    select ${accountId}::uuid, ${sessionId}::text, ${eventSequence}::int, ${updatedAt}::bigint, ${aiPaused}::boolean,
      ${byAgent}::boolean
    where exists (select from ${from} one)`;
}

/** Two starts at once with the same customer must not both miss the other's conversation. */
export async function lockStart(
  tx: Tx,
  accountId: string,
  channelId: string,
  contactKey: string,
): Promise<void> {
  const key = `${accountId}/start/${channelId}/${contactKey}`;
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${key}::text, 0))`);
}

/** The customer's latest conversation on the channel, among those on the given boards. Null: all boards. */
export async function findContactSession(
  db: Reader,
  accountId: string,
  channelId: string,
  contactKey: string,
  visibleKanbanIds: string[] | null,
): Promise<string | null> {
  const [row] = await db.query<{ session_id: string }>(sql`
    select session_id from sessions s
    where s.account_id = ${accountId} and s.contact_key = ${contactKey} and s.channel_id = ${channelId}
      and s.external_user_id is not null
      ${visibleKanbanIds === null ? empty : sql`and s.kanban_id = any(${visibleKanbanIds}::uuid[])`}
    order by s.last_message_at desc, s.session_id desc limit 1`);
  return row?.session_id ?? null;
}
