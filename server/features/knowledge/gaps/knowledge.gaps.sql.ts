import type { KnowledgeGap } from '../../../../contract/knowledge-gaps.ts';
import { limits } from '../../../../contract/limits.ts';
import type { Db, Reader, Tx } from '../../../platform/db/db.ts';
import { empty, type Sql, sql } from '../../../platform/db/sql.ts';
import { hasSource } from '../knowledge.state.sql.ts';

export interface Unanswered {
  messageId: string;
  sessionId: string;
  question: string;
  at: number;
}

export async function insertUnanswered(
  tx: Tx,
  accountId: string,
  unanswered: readonly Unanswered[],
): Promise<void> {
  await tx.query(sql`
    insert into knowledge_unanswered (account_id, message_id, session_id, question, at)
    select m.account_id, m.id, m.session_id, u.question, u.at
    from json_to_recordset(${JSON.stringify(unanswered)}::json)
      as u ("messageId" uuid, "sessionId" text, question text, at bigint)
    join messages m on m.account_id = ${accountId} and m.id = u."messageId" and m.session_id = u."sessionId"
    on conflict do nothing`);
}

/** The last question of a customer that an agent answered, in a conversation without a person's answer. */
export async function findLastAnswered(
  tx: Tx,
  accountId: string,
  sessionId: string,
): Promise<Pick<Unanswered, 'messageId' | 'question'> | null> {
  const [row] = await tx.query<{ messageId: string; question: string }>(sql`
    select q.id as "messageId", q.content as question
    from messages a
    join messages q on q.account_id = a.account_id and q.id = a.in_reply_to and q.session_id = a.session_id
    where a.account_id = ${accountId} and a.session_id = ${sessionId} and a.role = 'assistant' and not a.held
      and not exists (
        select from messages o
        where o.account_id = a.account_id and o.session_id = a.session_id and o.role = 'operator' and not o.is_note
          and not o.by_rule)
    order by a.position desc limit 1`);
  return row ?? null;
}

export async function deleteUnanswered(
  tx: Tx,
  accountId: string,
  messageIds: readonly string[],
): Promise<void> {
  await tx.query(sql`
    delete from knowledge_unanswered where account_id = ${accountId} and message_id = any(${messageIds}::uuid[])`);
}

/** Those without a gap, the oldest first. */
export async function selectUngrouped(db: Reader, accountId: string, limit: number): Promise<Unanswered[]> {
  return db.query<Unanswered>(sql`
    select message_id as "messageId", session_id as "sessionId", question, at from knowledge_unanswered
    where account_id = ${accountId} and gap_id is null
    order by at, message_id limit ${limit}`);
}

export interface OpenGap {
  id: string;
  stems: string[];
}

/** The newest ones, with the stems of their oldest question. */
export async function selectOpenGaps(tx: Tx, accountId: string, limit: number): Promise<OpenGap[]> {
  return tx.query<OpenGap>(sql`
    select g.id, u.stems
    from knowledge_gaps g cross join lateral (
      select stems from knowledge_unanswered u
      where u.account_id = g.account_id and u.gap_id = g.id order by u.at, u.message_id limit 1) u
    where g.account_id = ${accountId} and g.state = 'open'
    order by g.created_at desc, g.id limit ${limit}`);
}

export async function insertGaps(
  tx: Tx,
  accountId: string,
  gaps: readonly { id: string; at: number }[],
): Promise<void> {
  await tx.query(sql`
    insert into knowledge_gaps (account_id, id, state, created_at)
    select ${accountId}::uuid, id, 'open', at
    from json_to_recordset(${JSON.stringify(gaps)}::json) as g (id uuid, at bigint)`);
}

export async function groupUnanswered(
  tx: Tx,
  accountId: string,
  grouped: readonly { messageId: string; gapId: string; stems: readonly string[] }[],
): Promise<void> {
  await tx.query(sql`
    update knowledge_unanswered u set gap_id = g."gapId", stems = g.stems
    from json_to_recordset(${JSON.stringify(grouped)}::json) as g ("messageId" uuid, "gapId" uuid, stems text[])
    where u.account_id = ${accountId} and u.message_id = g."messageId"`);
}

interface GapFilter {
  visible: string[] | null;
  state?: KnowledgeGap['state'];
  id?: string;
}

const readable = (visible: string[] | null): Sql =>
  visible === null
    ? empty
    : sql`join sessions s on s.account_id = u.account_id and s.session_id = u.session_id
        and s.kanban_id = any(${visible}::uuid[])`;

/**
 * The last asked ones first. One without a question that the caller may read is left out. All questions are counted, by
 * an index, and only those of the page are read.
 */
export async function selectGaps(
  db: Reader,
  accountId: string,
  { visible, state, id }: GapFilter,
  before: { lastAt: number; id: string } | null,
  limit: number,
): Promise<KnowledgeGap[]> {
  const ofGap = (gapId: Sql) => sql`
    from knowledge_unanswered u ${readable(visible)} where u.account_id = ${accountId} and u.gap_id = ${gapId}`;
  return db.query<KnowledgeGap>(sql`
    with asked as (
      select u.gap_id, count(*)::int as count, max(u.at) as last_at
      from knowledge_unanswered u ${readable(visible)}
      where u.account_id = ${accountId} and ${id === undefined ? sql`u.gap_id is not null` : sql`u.gap_id = ${id}::uuid`}
      group by u.gap_id
    ), page as (
      select g.id, g.state, g.document_id, asked.count, asked.last_at
      from knowledge_gaps g join asked on asked.gap_id = g.id
      where g.account_id = ${accountId}
        ${state === undefined ? empty : sql`and g.state = ${state}`}
        ${before === null ? empty : sql`and (asked.last_at, g.id) < (${before.lastAt}::bigint, ${before.id}::uuid)`}
      order by asked.last_at desc, g.id desc limit ${limit}
    )
    select page.id, (select u.question ${ofGap(sql`page.id`)} order by u.at, u.message_id limit 1) as question,
      page.count, page.last_at as "lastAt",
      (select json_agg(json_build_object('sessionId', session_id, 'messageId', message_id, 'question', question,
          'at', at) order by at desc, message_id desc)
        from (
          select u.session_id, u.message_id, u.question, u.at ${ofGap(sql`page.id`)}
          order by u.at desc, u.message_id desc limit ${limits.knowledgeGapExamples}) newest) as examples,
      page.state, page.document_id as "documentId"
    from page order by page.last_at desc, page.id desc`);
}

/** The conversation that the question of the gap comes from. */
export async function findFirstSession(
  tx: Tx,
  accountId: string,
  gapId: string,
  visible: string[] | null,
): Promise<string | null> {
  const [row] = await tx.query<{ sessionId: string }>(sql`
    select u.session_id as "sessionId" from knowledge_unanswered u ${readable(visible)}
    where u.account_id = ${accountId} and u.gap_id = ${gapId}::uuid
    order by u.at, u.message_id limit 1`);
  return row?.sessionId ?? null;
}

export interface GapAnswer {
  sessionId: string;
  question: string;
  answer: string;
}

/** What people wrote to the customer after the newest question that they answered. Never notes. */
export async function findAnswer(
  db: Reader,
  accountId: string,
  gapId: string,
  visible: string[] | null,
): Promise<GapAnswer | null> {
  const [row] = await db.query<GapAnswer>(sql`
    select u.session_id as "sessionId", u.question, answered.answer
    from knowledge_unanswered u ${readable(visible)}
    join messages q on q.account_id = u.account_id and q.id = u.message_id
    cross join lateral (
      select min(o.position) as begin from messages o
      where o.account_id = u.account_id and o.session_id = u.session_id and o.position > q.position
        and ${isAnswer}) first
    cross join lateral (
      select string_agg(o.content, E'\n\n' order by o.position) as answer from messages o
      where o.account_id = u.account_id and o.session_id = u.session_id and o.position >= first.begin and ${isAnswer}
        and o.position < coalesce((
          select min(c.position) from messages c
          where c.account_id = u.account_id and c.session_id = u.session_id and c.role = 'user'
            and c.position > first.begin), o.position + 1)) answered
    where u.account_id = ${accountId} and u.gap_id = ${gapId}::uuid and answered.answer is not null
    order by u.at desc limit 1`);
  return row ?? null;
}

const isAnswer = sql`o.role = 'operator' and not o.is_note and not o.by_rule and not o.held and o.deleted_at is null and o.content <> ''`;

export async function updateGap(
  tx: Tx,
  accountId: string,
  id: string,
  {
    state,
    documentId,
    draftedFrom,
  }: Pick<KnowledgeGap, 'state' | 'documentId'> & { draftedFrom: string | null },
): Promise<void> {
  await tx.query(sql`
    update knowledge_gaps set state = ${state}, document_id = ${documentId}::uuid, drafted_from = ${draftedFrom}
    where account_id = ${accountId} and id = ${id}`);
}

/** When each document was last changed. */
export async function selectChangedAt(
  db: Reader,
  accountId: string,
  documentIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (documentIds.length === 0) return new Map();
  const rows = await db.query<{ id: string; updatedAt: number }>(sql`
    select id, updated_at as "updatedAt" from knowledge_documents
    where account_id = ${accountId} and id = any(${documentIds}::uuid[])`);
  return new Map(rows.map(({ id, updatedAt }) => [id, updatedAt]));
}

/** Their articles are gone. */
export async function reopenGaps(tx: Tx, accountId: string): Promise<void> {
  await tx.query(sql`
    update knowledge_gaps g set state = 'open', document_id = null, drafted_from = null
    where g.account_id = ${accountId} and g.document_id is not null and not exists (
      select from knowledge_documents d where d.account_id = g.account_id and d.id = g.document_id
        and d.${hasSource(accountId)})`);
}

/** The articles whose text comes from a conversation. */
export async function draftsFrom(
  db: Reader,
  accountId: string,
  sessionIds: readonly string[],
): Promise<string[]> {
  const rows = await db.query<{ documentId: string | null }>(sql`
    select document_id as "documentId" from knowledge_gaps
    where account_id = ${accountId} and drafted_from = any(${sessionIds})`);
  return rows.flatMap(({ documentId }) => documentId ?? []);
}

export async function takeDraftsOf(tx: Tx, accountId: string, sessionId: string): Promise<string[]> {
  const rows = await tx.query<{ documentId: string | null }>(sql`
    update knowledge_gaps set drafted_from = null
    where account_id = ${accountId} and drafted_from = ${sessionId}
    returning document_id as "documentId"`);
  return rows.flatMap(({ documentId }) => documentId ?? []);
}

/** Except for those whose conversation an article comes from: an erasure looks for it there. */
export async function deleteEmptyGaps(db: Db | Tx, accountId: string): Promise<void> {
  await db.query(sql`
    delete from knowledge_gaps g
    where g.account_id = ${accountId} and g.drafted_from is null and not exists (
      select from knowledge_unanswered u where u.account_id = g.account_id and u.gap_id = g.id)`);
}
