/** Finds conversations by text, and who paused their AI. */
import type { AiPause } from '../../../contract/dashboard.ts';
import { type PeopleTerm, phoneSeparators } from '../../../contract/shapes/people-search.ts';
import type { Reader } from '../../platform/db/db.ts';
import { empty, join, type Sql, sql } from '../../platform/db/sql.ts';

/** Older ones are found by their customer's whole identifier or by their card. 20,000 are read in about 20 ms. */
const namesReach = 20_000;
const messagesReach = 300;
/** The characters of a message that are searched. */
const textReach = 2_000;

const onVisible = (visible: string[] | null): Sql =>
  visible === null ? empty : sql`and kanban_id = any(${visible}::uuid[])`;

const latest = (accountId: string, visible: string[] | null, reach: number): Sql => sql`(
  select account_id, session_id, search_text || coalesce(' ' || customer_email, '') as search_text, last_message_at
  from sessions
  where account_id = ${accountId} ${onVisible(visible)}
  order by last_minute desc, last_message_at desc, session_id desc limit ${reach})`;

const hasAll = (text: Sql, words: readonly string[]): Sql =>
  sql`not exists (select from unnest(${words}::text[]) as w (word) where strpos(${text}, w.word) = 0)`;

function isFoundBy({ words, digits }: PeopleTerm): Sql {
  const hasWords = hasAll(sql`s.search_text`, words);
  if (digits === null) return hasWords;
  return sql`(strpos(translate(s.search_text, ${phoneSeparators}, ''), ${digits}) > 0 or ${hasWords})`;
}

export async function selectSessionIdsByText(
  db: Reader,
  accountId: string,
  visible: string[] | null,
  terms: readonly PeopleTerm[],
  contactKey: string,
  limit: number,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from (
      select s.session_id as id, s.last_message_at as at from ${latest(accountId, visible, namesReach)} s
      where ${join(terms.map(isFoundBy), ' and ')}
      union select session_id, last_message_at from sessions
      where account_id = ${accountId} and contact_key = ${contactKey} ${onVisible(visible)}) found
    order by at desc, id desc limit ${limit}`);
  return rows.map((row) => row.id);
}

export async function selectSessionsByRecords(
  db: Reader,
  accountId: string,
  recordIds: readonly string[],
  limit: number,
): Promise<{ id: string; recordId: string; title: string }[]> {
  if (recordIds.length === 0) return [];
  return db.query(sql`
    select s.session_id as id, r.id as "recordId", r.title from sessions s
    join records r on r.account_id = s.account_id and r.id = s.record_id
    where s.account_id = ${accountId} and s.record_id = any(${recordIds}::uuid[])
    order by s.last_message_at desc limit ${limit}`);
}

export async function selectSessionsByLastMessage(
  db: Reader,
  accountId: string,
  visible: string[] | null,
  words: readonly string[],
  limit: number,
): Promise<{ id: string; text: string }[]> {
  return db.query(sql`
    select s.session_id as id, m.text from ${latest(accountId, visible, messagesReach)} s
    join lateral (
      select left(content, ${textReach}) as text from messages
      where account_id = s.account_id and session_id = s.session_id and not is_note and not held and role <> 'system'
      order by position desc limit 1) m on true
    where ${hasAll(sql`lower(m.text)`, words)}
    order by s.last_message_at desc limit ${limit}`);
}

export async function selectPauses(
  db: Reader,
  accountId: string,
  sessionId: string,
  limit: number,
): Promise<(Omit<AiPause, 'by'> & { by: string })[]> {
  return db.query(sql`
    select id, at, (data ->> 'aiPaused')::boolean as "aiPaused", data ->> 'changedBy' as by from (
      select id, sequence, created_at as at, body::jsonb -> 'data' as data from events
      where account_id = ${accountId} and subject_id = ${sessionId} and event = 'ai_pause'
      order by sequence desc limit ${limit}) pauses
    order by sequence`);
}
