import type { Tx } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { DemoObjects } from './demo.sql.ts';

/** It covers thousands of rows. */
const long = { timeoutMs: 60_000 };

export async function selectSessionIds(tx: Tx, accountId: string, channelIds: string[]): Promise<string[]> {
  const rows = await tx.query<{ session_id: string }>(sql`
    select session_id from sessions where account_id = ${accountId} and channel_id = any(${channelIds}::uuid[])
    order by session_id for update`);
  return rows.map((row) => row.session_id);
}

interface Added {
  records: number;
  documents: number;
  messages: number;
}

/**
 * Records that others put on its boards, or that its conversations got on other boards; articles of it that others
 * have changed; messages since it was created.
 */
export async function countAdded(
  tx: Tx,
  accountId: string,
  { kanbanIds, sourceIds }: DemoObjects,
  sessionIds: string[],
): Promise<Added> {
  const [row] = await tx.query<Added>(sql`
    select (select count(*) from records
        where account_id = ${accountId} and created_by <> 'demo' and (kanban_id = any(${kanbanIds}::uuid[])
          or id in (select record_id from session_records
            where account_id = ${accountId} and session_id = any(${sessionIds}))))::int as records,
      (select count(*) from messages m join demos d on d.account_id = m.account_id
        where m.account_id = ${accountId} and m.session_id = any(${sessionIds})
          and m.created_at > d.filled_at)::int as messages,
      (select count(*) from knowledge_documents d where d.account_id = ${accountId}
        and source_id = any(${sourceIds}::uuid[]) and updated_by <> 'demo' and exists (
          select from knowledge_versions v where v.account_id = d.account_id and v.document_id = d.id
            and v.created_by = 'demo'))::int as documents`);
  return row!;
}

export async function isOneOfThemDefault(tx: Tx, accountId: string, kanbanIds: string[]): Promise<boolean> {
  const rows = await tx.query(sql`
    select from kanbans where account_id = ${accountId} and is_default and id = any(${kanbanIds}::uuid[])`);
  return rows.length > 0;
}

/** The name of a channel outside the demo that depends on one of the demo's agents. */
export async function findChannelOfDemoAgent(
  tx: Tx,
  accountId: string,
  { agentIds, channelIds }: DemoObjects,
): Promise<string | null> {
  const [row] = await tx.query<{ name: string }>(sql`
    select name from channels
    where account_id = ${accountId} and default_agent_id = any(${agentIds}::uuid[])
      and not id = any(${channelIds}::uuid[])
    order by id limit 1`);
  return row?.name ?? null;
}

/** Records on other boards assigned to users of the demo. */
export async function selectAssignedElsewhere(
  tx: Tx,
  accountId: string,
  { kanbanIds, userIds }: DemoObjects,
): Promise<{ id: string; assignedUserIds: string[] }[]> {
  return tx.query<{ id: string; assignedUserIds: string[] }>(sql`
    select id, assigned_user_ids::text[] as "assignedUserIds" from records
    where account_id = ${accountId} and assigned_user_ids && ${userIds}::uuid[] and assigned_user_ids <> '{}'
      and not kanban_id = any(${kanbanIds}::uuid[])`);
}

/** Of the demo's boards, with the cards that its conversations got on boards of others. */
export async function selectRecordIds(
  tx: Tx,
  accountId: string,
  { kanbanIds }: DemoObjects,
  sessionIds: string[],
): Promise<{ onBoards: string[]; elsewhere: string[] }> {
  const rows = await tx.query<{ id: string; own: boolean }>(
    sql`
    select id, kanban_id = any(${kanbanIds}::uuid[]) as own from records
    where account_id = ${accountId} and (kanban_id = any(${kanbanIds}::uuid[])
      or id in (select record_id from session_records
        where account_id = ${accountId} and session_id = any(${sessionIds})))`,
    long,
  );
  const idsOf = (own: boolean) => rows.filter((row) => row.own === own).map((row) => row.id);
  return { onBoards: idsOf(true), elsewhere: idsOf(false) };
}

/** About conversations, and about tasks and comments of records. */
export async function deleteNotifications(
  tx: Tx,
  accountId: string,
  sessionIds: string[],
  recordIds: string[],
): Promise<void> {
  await tx.query(
    sql`delete from notifications
      where account_id = ${accountId} and (subject_id = any(${sessionIds}) or record_id = any(${recordIds}::uuid[]))`,
    long,
  );
}

export async function deleteDemo(tx: Tx, accountId: string): Promise<void> {
  await tx.query(sql`delete from demos where account_id = ${accountId}`);
}
