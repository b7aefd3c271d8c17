import type { Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';
import { type DemoObjects, isMadeHere } from './demo.sql.ts';

/** It covers thousands of rows. */
const long = { timeoutMs: 60_000 };

export async function selectSessionIds(tx: Tx, accountId: string, channelIds: string[]): Promise<string[]> {
  const rows = await tx.query<{ session_id: string }>(sql`
    select session_id from sessions where account_id = ${accountId} and channel_id = any(${channelIds}::uuid[])
    order by session_id for update`);
  return rows.map((row) => row.session_id);
}

/**
 * Records that others put on its boards, or that its conversations got on other boards; messages since it was
 * created.
 */
export async function countAdded(
  tx: Tx,
  accountId: string,
  { kanbanIds }: DemoObjects,
  sessionIds: string[],
): Promise<{ records: number; messages: number }> {
  const [row] = await tx.query<{ records: number; messages: number }>(sql`
    select (select count(*) from records
        where account_id = ${accountId} and created_by <> 'demo' and (kanban_id = any(${kanbanIds}::uuid[])
          or id in (select record_id from session_records
            where account_id = ${accountId} and session_id = any(${sessionIds}))))::int as records,
      (select count(*) from messages m join demos d on d.account_id = m.account_id
        where m.account_id = ${accountId} and m.session_id = any(${sessionIds})
          and m.created_at > d.filled_at)::int as messages`);
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

/** Messages, permissions and the log of replies are removed with their conversation; files are removed as unused. */
export async function deleteConversations(
  tx: Tx,
  accountId: string,
  { kanbanIds }: DemoObjects,
  sessionIds: string[],
): Promise<void> {
  await tx.query(
    sql`
    update attachments set used_at = null
    where account_id = ${accountId} and file_key in (
      select (file ->> 'fileKey')::uuid from messages, jsonb_array_elements(attachments) as file
      where account_id = ${accountId} and session_id = any(${sessionIds}) and attachments <> '[]')`,
    long,
  );
  // A card that the conversation got on a board outside the demo.
  await tx.query(sql`
    with gone as (
      delete from records where account_id = ${accountId} and not kanban_id = any(${kanbanIds}::uuid[])
        and id in (select record_id from session_records
          where account_id = ${accountId} and session_id = any(${sessionIds}))
      returning account_id, id),
    events_gone as (
      delete from events e using gone g where e.account_id = g.account_id and e.subject_id = g.id::text),
    moves_gone as (
      delete from record_status_changes c using gone g where c.account_id = g.account_id and c.record_id = g.id)
    insert into record_deletions (account_id, record_id) select account_id, id from gone`);
  for (const [table, column] of [
    [sql`events`, sql`subject_id`],
    [sql`notifications`, sql`subject_id`],
    [sql`early_receipts`, sql`session_id`],
    [sql`jobs`, sql`payload ->> 'sessionId'`],
    [sql`sessions`, sql`session_id`],
  ] as const) {
    await tx.query(
      sql`delete from ${table} where account_id = ${accountId} and ${column} = any(${sessionIds})`,
      long,
    );
  }
  // The removal of conversations is reported live; that of each message would be thousands of events.
  await tx.query(sql`
    delete from live_changes
    where account_id = ${accountId} and type = 'message.deleted' and ${isMadeHere}`);
}

/** A real conversation that was moved onto the demo returns to its channel's default. */
export async function moveConversationsAway(
  tx: Tx,
  accountId: string,
  { kanbanIds, agentIds }: DemoObjects,
): Promise<void> {
  await tx.query(sql`
    update channels set allowed_agent_ids = array(
        select one from unnest(allowed_agent_ids) as one where not one = any(${agentIds}::uuid[])),
      agent_kanban_configs = coalesce((
        select jsonb_object_agg(key, value) from jsonb_each_text(agent_kanban_configs)
        where not key = any(${agentIds}) and not value = any(${kanbanIds})), '{}')
    where account_id = ${accountId} and (allowed_agent_ids && ${agentIds}::uuid[] or exists (
      select from jsonb_each_text(agent_kanban_configs) where key = any(${agentIds}) or value = any(${kanbanIds})))`);
  await tx.query(sql`
    update sessions s set
      agent_id = case when s.agent_id = any(${agentIds}::uuid[]) then c.default_agent_id else s.agent_id end,
      kanban_id = case when s.kanban_id = any(${kanbanIds}::uuid[])
        then (select id from kanbans where account_id = ${accountId} and is_default) else s.kanban_id end,
      record_id = case when s.kanban_id = any(${kanbanIds}::uuid[]) then null else s.record_id end
    from channels c
    where s.account_id = ${accountId} and c.account_id = s.account_id and c.id = s.channel_id
      and (s.agent_id = any(${agentIds}::uuid[]) or s.kanban_id = any(${kanbanIds}::uuid[]))`);
  await tx.query(sql`
    delete from session_records where account_id = ${accountId} and kanban_id = any(${kanbanIds}::uuid[])`);
}

/** Statuses, fields, groups, members, views, saved replies and logins are removed with their board or user. */
export async function deleteDemo(
  tx: Tx,
  accountId: string,
  { all, kanbanIds, userIds, channelIds, agentIds }: DemoObjects,
): Promise<number> {
  // With a tombstone each, so that a running service's search drops them at once.
  const records = await tx.query(
    sql`
    with gone as (
      delete from records where account_id = ${accountId} and kanban_id = any(${kanbanIds}::uuid[])
      returning account_id, id)
    insert into record_deletions (account_id, record_id) select account_id, id from gone returning 1`,
    long,
  );
  await tx.query(
    sql`delete from events where account_id = ${accountId} and kanban_id = any(${kanbanIds}::uuid[])`,
    long,
  );
  for (const [table, ids] of [
    [sql`channels`, channelIds],
    // The endpoints of the channels.
    [sql`webhooks`, channelIds],
    [sql`agents`, agentIds],
    [sql`kanbans`, kanbanIds],
    [sql`users`, userIds],
  ] as const) {
    await tx.query(
      sql`delete from ${table} where account_id = ${accountId} and id = any(${ids}::uuid[])`,
      long,
    );
  }
  await tx.query(sql`delete from demos where account_id = ${accountId}`);
  await tx.query(sql`
    delete from audit_log where account_id = ${accountId} and (actor_id = 'demo' or target_id = any(${all}::text[])
      or (action = 'record.deleted' and changes -> 'kanbanId' ->> 'from' = any(${kanbanIds}::text[])))`);
  return records.length;
}
