/** Lists of conversations, by what they have and in several orders. */
import type { Session, SessionStatus, sessionSorts } from '../../../contract/messaging/sessions.ts';
import { type PeopleTerm, phoneSeparators } from '../../../contract/shapes/people-search.ts';
import type { Reader } from '../../platform/db/db.ts';
import { empty, join, type Sql, sql, unnamed } from '../../platform/db/sql.ts';
import { hasLabel, type LabelCondition } from './sessions.labels.sql.ts';
import { type SessionRow, sessionColumns, sessionTables, toSession, waitingSince } from './sessions.sql.ts';

export interface SessionFilterAt {
  /** Of the conversation `s`: everything that may match. */
  possible: Sql;
  /** What certainly matches; the rest of what is possible is decided by `refused`. */
  certain: Sql;
  /** Whether the two are the same. */
  isExact: boolean;
  /** Those that do not match. */
  refused(sessionIds: readonly string[]): Promise<Set<string>>;
}

export interface ListFilter {
  channelId?: string;
  kanbanId?: string;
  agentId?: string;
  recordId?: string;
  contactId?: string;
  aiPaused?: boolean;
  needsAttention?: boolean;
  unread?: boolean;
  statuses?: readonly SessionStatus[];
  /** Null: those without an owner. */
  assignedUserId?: string | null;
  teamId?: string | null;
  label?: LabelCondition;
  sla?: 'due' | 'breached';
  /** All of them must match. */
  people: readonly PeopleTerm[];
  visibleKanbanIds: string[] | null;
  /** Null: none was given. */
  conditions: SessionFilterAt | null;
}

/** Where a page ends: the time that the part is ordered by, and the conversation. */
export interface ListPlace {
  at: number;
  sessionId: string;
}

/** A list is its parts, one after the other. */
interface ListPart {
  where: Sql;
  at: Sql;
  order: Sql;
  after(place: ListPlace): Sql;
}

/** The index has the minute: an index on the time would have to be written with each message. */
const newest = (where = empty): ListPart => ({
  where,
  at: sql`s.last_message_at`,
  order: sql`s.last_minute desc, s.last_message_at desc, s.session_id desc`,
  after: ({ at, sessionId }) => sql`and s.last_minute <= ${minuteOf(at)}
    and (s.last_message_at, s.session_id) < (${at}, ${sessionId})`,
});
const oldest: ListPart = {
  where: empty,
  at: sql`s.last_message_at`,
  order: sql`s.last_minute, s.last_message_at, s.session_id`,
  after: ({ at, sessionId }) => sql`and s.last_minute >= ${minuteOf(at)}
    and (s.last_message_at, s.session_id) > (${at}, ${sessionId})`,
};
const ascending = (at: Sql, where: Sql): ListPart => ({
  where,
  at,
  order: sql`${at}, s.session_id`,
  after: (place) => sql`and (${at}, s.session_id) > (${place.at}, ${place.sessionId})`,
});
const minuteOf = (at: number) => Math.floor(at / 60_000);

const due = ascending(sql`s.sla_due`, sql`and s.sla_due is not null`);
/** The statuses as constants: the indexes on open and on snoozed conversations are found by them. */
const waiting = ascending(
  sql`s.waiting_since`,
  sql`and (s.status = 'open' or s.status = 'snoozed') and s.waiting_since is not null`,
);

export const listParts: { readonly [sort in (typeof sessionSorts)[number]]: readonly ListPart[] } = {
  latest: [newest()],
  newest: [newest()],
  oldest: [oldest],
  due_next: [due],
  due: [due, newest(sql`and s.sla_due is null`)],
  waiting: [waiting, newest(sql`and (${waitingSince}) is null`)],
};

const searched = sql`(s.search_text || coalesce(' ' || s.customer_email, ''))`;

function isFoundBy({ words, digits }: PeopleTerm): Sql {
  const hasAll = join(
    words.map((word) => sql`strpos(${searched}, ${word}) > 0`),
    ' and ',
  );
  if (digits === null) return hasAll;
  return sql`(strpos(translate(${searched}, ${phoneSeparators}, ''), ${digits}) > 0 or (${hasAll}))`;
}

export interface ListedSession extends Session {
  /** What the part is ordered by. */
  listedAt: number;
  /** Whether it is still to be decided if the conditions match it. */
  isOpen: boolean;
}

export async function selectSessions(
  db: Reader,
  accountId: string,
  filter: ListFilter,
  part: ListPart,
  after: ListPlace | null,
  limit: number,
): Promise<ListedSession[]> {
  const { channelId, kanbanId, agentId, recordId, contactId, aiPaused, needsAttention, unread } = filter;
  const { statuses, assignedUserId, teamId, label, people, visibleKanbanIds, sla, conditions } = filter;
  const isOpen =
    conditions === null || conditions.isExact ? sql`false` : sql`(${conditions.certain}) is not true`;
  const statement = sql`
    select ${sessionColumns}, ${part.at} as "listedAt", ${isOpen} as "isOpen" from ${sessionTables}
    where s.account_id = ${accountId}
      ${channelId === undefined ? empty : sql`and s.channel_id = ${channelId}`}
      ${kanbanId === undefined ? empty : sql`and s.kanban_id = ${kanbanId}`}
      ${agentId === undefined ? empty : sql`and s.agent_id = ${agentId}`}
      ${recordId === undefined ? empty : sql`and s.record_id = ${recordId}`}
      ${contactId === undefined ? empty : sql`and s.contact_id = ${contactId}`}
      ${aiPaused === undefined ? empty : sql`and s.ai_paused = ${aiPaused}`}
      ${needsAttention === undefined ? empty : sql`and s.needs_attention = ${needsAttention}`}
      ${unread === undefined ? empty : sql`and s.is_unread = ${unread}`}
      ${statuses === undefined ? empty : hasStatus(statuses)}
      ${assignedUserId === undefined ? empty : sql`and s.assigned_user_id ${isOrNull(assignedUserId)}`}
      ${teamId === undefined ? empty : sql`and s.team_id ${isOrNull(teamId)}`}
      ${label === undefined ? empty : hasLabel(label)}
      ${people.length === 0 ? empty : sql`and ${join(people.map(isFoundBy), ' and ')}`}
      ${onBoards(visibleKanbanIds)}
      ${sla === undefined ? empty : sql`and s.sla_due is not null`}
      ${sla === 'breached' ? isBreached : empty}
      ${conditions === null ? empty : sql`and ${conditions.possible}`}
      ${part.where}
      ${after === null ? empty : part.after(after)}
    order by ${part.order}
    limit ${limit}`;
  const rows = await db.query<SessionRow & Pick<ListedSession, 'listedAt' | 'isOpen'>>(
    conditions === null ? statement : unnamed(statement),
  );
  return rows.map(toSession);
}

/** How many match, each up to `max`; null: all. In one statement. */
export async function countSessions(
  db: Reader,
  accountId: string,
  visibleKanbanIds: string[] | null,
  filters: readonly (SessionFilterAt | null)[],
  max: number,
): Promise<number[]> {
  if (filters.length === 0) return [];
  const counts = filters.map(
    (filter) => sql`(select count(*)::int from (
      select from sessions s where s.account_id = ${accountId} ${onBoards(visibleKanbanIds)}
        ${filter === null ? empty : sql`and ${filter.possible}`} limit ${max}) found)`,
  );
  const [row] = await db.query<{ counts: number[] }>(
    unnamed(sql`select array[${join(counts, ', ')}] as counts`),
    { timeoutMs: 10_000 },
  );
  return row!.counts;
}

/** In the order of their ids. */
export async function selectPossibleIds(
  db: Reader,
  accountId: string,
  visibleKanbanIds: string[] | null,
  { possible, certain }: SessionFilterAt,
  after: string,
  limit: number,
): Promise<{ sessionId: string; isOpen: boolean }[]> {
  return db.query(
    unnamed(sql`
      select s.session_id as "sessionId", (${certain}) is not true as "isOpen" from sessions s
      where s.account_id = ${accountId} ${onBoards(visibleKanbanIds)} and s.session_id > ${after} and ${possible}
      order by s.session_id limit ${limit}`),
    { timeoutMs: 10_000 },
  );
}

const onBoards = (visible: string[] | null): Sql =>
  visible === null ? empty : sql`and s.kanban_id = any(${visible}::uuid[])`;

/** Also one that is late since a moment. */
const isBreached = sql`and s.sla_due < (extract(epoch from now()) * 1000)::bigint`;

const isOrNull = (id: string | null): Sql => (id === null ? sql`is null` : sql`= ${id}`);

/** One of them as a constant: the index on open conversations is only used for a condition that names it. */
function hasStatus(statuses: readonly SessionStatus[]): Sql {
  const [only, ...more] = statuses;
  if (only === 'open' && more.length === 0) return sql`and s.status = 'open'`;
  if (only === 'snoozed' && more.length === 0) return sql`and s.status = 'snoozed'`;
  return sql`and s.status = any(${statuses}::text[])`;
}
