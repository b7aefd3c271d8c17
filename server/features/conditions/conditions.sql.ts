/** Which ids that conditions name exist, and what conditions read of conversations, records and messages. */
import type { Reader } from '../../platform/db/db.ts';
import { empty, type Sql, sql } from '../../platform/db/sql.ts';

/** Of users, teams and labels, as `user <id>`. */
export async function selectKnownIds(
  db: Reader,
  accountId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const among = sql`account_id = ${accountId} and id = any(${ids}::uuid[])`;
  const rows = await db.query<{ known: string }>(sql`
    select 'user ' || id as known from users where ${among}
    union all select 'team ' || id from teams where ${among}
    union all select 'label ' || id from labels where ${among}`);
  return new Set(rows.map(({ known }) => known));
}

export interface SubjectKey {
  /** When left out with a record: the record's latest conversation. */
  sessionId?: string | null;
  /** When left out: the card of the conversation. */
  recordId?: string | null;
  messageId?: string | null;
}

/** What only some conditions need, and takes a look at another table each. */
export interface SubjectNeeds {
  contact: boolean;
  sessionCount: boolean;
  language: boolean;
  rating: boolean;
  record: boolean;
  message: boolean;
}

export interface SubjectRow {
  sessionId: string | null;
  status: string | null;
  channelId: string | null;
  channelType: string | null;
  channelName: string | null;
  agentId: string | null;
  agentName: string | null;
  assignedUserId: string | null;
  assignedUserName: string | null;
  teamId: string | null;
  teamName: string | null;
  labelIds: string[] | null;
  aiPaused: boolean | null;
  unread: number | null;
  createdAt: number | null;
  lastMessageAt: number | null;
  waitingSince: number | null;
  rating?: number | null;
  /** The latest first. */
  customerTexts?: string[] | null;
  contact?: {
    name: string | null;
    emails: string[];
    phones: string[];
    blocked: boolean;
    createdAt: number;
  } | null;
  sessionCount?: number | null;
  record?: SubjectRecord | null;
  message?: { content: string; hasAttachment: boolean; isFirst: boolean } | null;
}

export interface SubjectRecord {
  recordId: string;
  kanbanId: string;
  title: string;
  status: string;
  customFields: { [fieldId: string]: unknown };
  assignedUserIds: string[];
  labelIds: string[];
  createdAt: number;
  updatedAt: number;
}

/** Of the conversation `s`. */
export const waitingSince = sql`case when s.status <> 'resolved' then s.waiting_since end`;

/** Of the message `m`. */
const isOfCustomer = sql`m.role = 'user' and not m.is_echo`;
const isCounted = sql`not m.is_note and not m.held and m.role <> 'system'`;

const identifiersOf = (kind: 'email' | 'phone') => sql`(
  select coalesce(json_agg(i.value order by i.added_at, i.key), '[]') from contact_identifiers i
  where i.account_id = c.account_id and i.contact_id = c.id and i.kind = ${kind}::text)`;

const contact = sql`, (
  select json_build_object('name', c.name, 'emails', ${identifiersOf('email')}, 'phones', ${identifiersOf('phone')},
    'blocked', exists (select from contact_blocks b where b.account_id = c.account_id and b.contact_id = c.id),
    'createdAt', c.created_at)
  from contacts c where c.account_id = s.account_id and c.id = s.contact_id) as contact`;

const sessionCount = sql`, case when s.contact_id is not null then (
  select count(*)::int from sessions o
  where o.account_id = s.account_id and o.contact_id = s.contact_id) end as "sessionCount"`;

const rating = sql`, (
  select score::int from session_ratings r where r.account_id = s.account_id and r.session_id = s.session_id
  order by r.resolved_at desc limit 1) as rating`;

const customerTexts = (count: number) => sql`, (
  select json_agg(l.content order by l.position desc) from (
    select m.content, m.position from messages m
    where m.account_id = s.account_id and m.session_id = s.session_id and ${isOfCustomer} and ${isCounted}
    order by m.position desc limit ${count}) l) as "customerTexts"`;

const record = (accountId: string) => sql`, (
  select json_build_object('recordId', r.id, 'kanbanId', r.kanban_id, 'title', r.title, 'status', r.status,
    'customFields', r.custom_fields, 'assignedUserIds', r.assigned_user_ids, 'labelIds', r.label_ids,
    'createdAt', r.created_at, 'updatedAt', r.updated_at)
  from records r
  where r.account_id = ${accountId} and r.id = coalesce(k.record_id, s.record_id)) as record`;

/** First among the customer's messages, or among those of the team. */
const message = (accountId: string) => sql`, (
  select json_build_object('content', m.content, 'hasAttachment', m.attachments <> '[]', 'isFirst', not exists (
      select from messages e
      where e.account_id = m.account_id and e.session_id = m.session_id and e.position < m.position
        and not e.is_note and not e.held and e.role <> 'system'
        and (e.role = 'user' and not e.is_echo) = (${isOfCustomer})))
  from messages m where m.account_id = ${accountId} and m.id = k.message_id) as message`;

/** In the order of the keys. */
export async function selectSubjects(
  db: Reader,
  accountId: string,
  keys: readonly SubjectKey[],
  needs: SubjectNeeds,
  languageMessages: number,
): Promise<SubjectRow[]> {
  const part = (isNeeded: boolean, read: Sql) => (isNeeded ? read : empty);
  return db.query<SubjectRow>(sql`
    select s.session_id as "sessionId", s.status, s.channel_id as "channelId", h.type as "channelType",
      h.name as "channelName", s.agent_id as "agentId", a.name as "agentName", s.assigned_user_id as "assignedUserId",
      u.name as "assignedUserName", s.team_id as "teamId", t.name as "teamName", s.label_ids::text[] as "labelIds",
      s.ai_paused as "aiPaused", s.unread, s.created_at as "createdAt", s.last_message_at as "lastMessageAt",
      ${waitingSince} as "waitingSince"
      ${part(needs.contact, contact)} ${part(needs.sessionCount, sessionCount)} ${part(needs.rating, rating)}
      ${part(needs.language, customerTexts(languageMessages))} ${part(needs.record, record(accountId))}
      ${part(needs.message, message(accountId))}
    from unnest(${keys.map(({ sessionId = null }) => sessionId)}::text[],
        ${keys.map(({ recordId = null }) => recordId)}::uuid[],
        ${keys.map(({ messageId = null }) => messageId)}::uuid[])
      with ordinality as k (session_id, record_id, message_id, place)
    left join sessions s on s.account_id = ${accountId} and s.session_id = coalesce(k.session_id, (
      select o.session_id from sessions o where o.account_id = ${accountId} and o.record_id = k.record_id
      order by o.last_message_at desc, o.session_id desc limit 1))
    left join channels h on h.account_id = s.account_id and h.id = s.channel_id
    left join agents a on a.account_id = s.account_id and a.id = s.agent_id
    left join users u on u.account_id = s.account_id and u.id = s.assigned_user_id
    left join teams t on t.account_id = s.account_id and t.id = s.team_id
    order by k.place`);
}

/** Of labels and users, for people. */
export async function selectNames(
  db: Reader,
  accountId: string,
  ids: readonly string[],
): Promise<{ id: string; name: string }[]> {
  const named = sql`account_id = ${accountId} and id = any(${ids}::uuid[])`;
  return db.query(
    sql`select id, name from labels where ${named} union all select id, name from users where ${named}`,
  );
}
