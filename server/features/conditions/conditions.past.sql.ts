/** The history of what conditions compare: of conversations, their contacts and their cards, many at once. */
import type { Reader } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';

/** Much is read at once. */
const long = { timeoutMs: 60_000 };

export interface PastChange {
  id: string;
  at: number;
  field: string;
  oldValue: unknown;
}

/** Later than `since`, in their order. */
export async function selectSessionChanges(
  db: Reader,
  accountId: string,
  sessionIds: readonly string[],
  since: number,
): Promise<PastChange[]> {
  return db.query<PastChange>(
    sql`
    select * from (
      select c.session_id as id, c.at, c.sequence, e ->> 'field' as field, e -> 'oldValue' as "oldValue"
      from session_changes c cross join jsonb_array_elements(c.changes) e
      where c.account_id = ${accountId} and c.session_id = any(${sessionIds}::text[]) and c.at > ${since}
      union all
      select p.session_id, p.at, p.sequence, 'aiPaused', to_jsonb(not p.paused) from ai_pauses p
      where p.account_id = ${accountId} and p.session_id = any(${sessionIds}::text[]) and p.at > ${since}) c
    order by c.sequence`,
    long,
  );
}

/** By event, and by what is kept of statuses when the events are gone. */
export async function selectRecordChanges(
  db: Reader,
  accountId: string,
  recordIds: readonly string[],
  since: number,
): Promise<PastChange[]> {
  return db.query<PastChange>(
    sql`
    select * from (
      select e.subject_id as id, e.created_at as at, e.sequence, e.field_id as field,
        e.body::jsonb -> 'data' -> 'oldValue' as "oldValue"
      from events e
      where e.account_id = ${accountId} and e.subject_id = any(${recordIds}::text[]) and e.event = 'crm_field_update'
        and e.field_id <> 'status' and e.created_at > ${since}
      union all
      select s.record_id::text, s.at, s.sequence, 'status', to_jsonb(s.from_status)
      from records r join record_status_changes s
        on s.account_id = r.account_id and s.kanban_id = r.kanban_id and s.record_id = r.id
      where r.account_id = ${accountId} and r.id = any(${recordIds}::uuid[]) and s.at > ${since}) c
    order by c.sequence`,
    long,
  );
}

export interface PastSaid {
  sessionId: string;
  at: number;
  /** Null: not of the customer. */
  text: string | null;
}

export async function selectSaid(
  db: Reader,
  accountId: string,
  sessionIds: readonly string[],
): Promise<PastSaid[]> {
  return db.query<PastSaid>(
    sql`
    select m.session_id as "sessionId", m.created_at as at,
      case when m.role = 'user' and not m.is_echo then left(m.content, 2000) end as text
    from messages m
    where m.account_id = ${accountId} and m.session_id = any(${sessionIds}::text[])
      and not m.is_note and not m.held and m.role <> 'system'
    order by m.session_id, m.position`,
    long,
  );
}

export interface PastContact {
  sessionId: string;
  identifiers: { kind: string; value: string; at: number }[];
  /** When each of the contact's conversations began. */
  begun: number[];
}

export async function selectPastContacts(
  db: Reader,
  accountId: string,
  sessionIds: readonly string[],
): Promise<PastContact[]> {
  return db.query<PastContact>(
    sql`
    select s.session_id as "sessionId",
      (select coalesce(json_agg(json_build_object('kind', i.kind, 'value', i.value, 'at', i.added_at)
          order by i.added_at, i.key), '[]') from contact_identifiers i
        where i.account_id = s.account_id and i.contact_id = s.contact_id and i.kind in ('email', 'phone')) as identifiers,
      array(select o.created_at from sessions o
        where o.account_id = s.account_id and o.contact_id = s.contact_id) as begun
    from sessions s
    where s.account_id = ${accountId} and s.session_id = any(${sessionIds}::text[]) and s.contact_id is not null`,
    long,
  );
}

export async function selectPastRatings(
  db: Reader,
  accountId: string,
  sessionIds: readonly string[],
): Promise<{ sessionId: string; at: number; score: number }[]> {
  return db.query(
    sql`
    select session_id as "sessionId", created_at as at, score::int from session_ratings
    where account_id = ${accountId} and session_id = any(${sessionIds}::text[]) order by resolved_at`,
    long,
  );
}
