import type { Channel } from '../../../contract/channels.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';
import { deleteChannelEndpoints } from '../../platform/events/endpoints.ts';
import type { SendWindow } from './channels.directory.ts';

export async function insertChannel(tx: Tx, accountId: string, channel: Channel): Promise<void> {
  await tx.query(sql`
    insert into channels (account_id, id, name, identifier, type, enabled, default_agent_id, allowed_agent_ids,
      agent_kanban_configs, webhook_url, forward_incoming, settings, assignment_mode, assignment_team_id, hours_id,
      created_at, updated_at)
    values (${accountId}, ${channel.id}, ${channel.name}, ${channel.identifier}, ${channel.type}, ${channel.enabled},
      ${channel.defaultAgentId}, ${channel.allowedAgentIds}::uuid[], ${JSON.stringify(channel.agentKanbanConfigs)},
      ${channel.webhookUrl}, ${channel.forwardIncoming}, ${JSON.stringify(channel.settings)},
      ${channel.assignment.mode}, ${channel.assignment.teamId}, ${channel.hoursId}, ${channel.createdAt}, ${channel.updatedAt})`);
}

export async function updateChannel(tx: Tx, accountId: string, channel: Channel): Promise<void> {
  await tx.query(sql`
    update channels set name = ${channel.name}, identifier = ${channel.identifier}, type = ${channel.type},
      enabled = ${channel.enabled}, default_agent_id = ${channel.defaultAgentId}, allowed_agent_ids = ${channel.allowedAgentIds}::uuid[],
      agent_kanban_configs = ${JSON.stringify(channel.agentKanbanConfigs)}, webhook_url = ${channel.webhookUrl},
      forward_incoming = ${channel.forwardIncoming}, settings = ${JSON.stringify(channel.settings)},
      assignment_mode = ${channel.assignment.mode}, assignment_team_id = ${channel.assignment.teamId},
      hours_id = ${channel.hoursId},
      updated_at = ${channel.updatedAt}
    where account_id = ${accountId} and id = ${channel.id}`);
}

/** By the provider of its connector; null: free text may always be sent. */
export async function setChannelWindow(
  tx: Tx,
  accountId: string,
  id: string,
  window: SendWindow | null,
): Promise<void> {
  await tx.query(sql`
    update channels set window_ms = ${window?.agentMs ?? null}, person_window_ms = ${window?.personMs ?? null},
      window_templates = ${window?.hasTemplates ?? false}
    where account_id = ${accountId} and id = ${id}`);
}

export async function setChannelHours(
  tx: Tx,
  accountId: string,
  id: string,
  hoursId: string | null,
): Promise<void> {
  await tx.query(sql`
    update channels set hours_id = ${hoursId} where account_id = ${accountId} and id = ${id}`);
}

export async function selectChannelsWithHours(
  db: Reader,
  accountId: string,
  hoursId: string,
): Promise<{ id: string; name: string }[]> {
  return db.query<{ id: string; name: string }>(sql`
    select id, name from channels where account_id = ${accountId} and hours_id = ${hoursId} order by name, id`);
}

export async function deleteChannel(tx: Tx, accountId: string, id: string): Promise<void> {
  await tx.query(sql`delete from channels where account_id = ${accountId} and id = ${id}`);
}

/** Conversations keep their channel and their agent: neither can be deleted while there are any. */
export async function sessionsExist(
  db: Reader,
  accountId: string,
  of: { channelId: string } | { agentId: string },
): Promise<boolean> {
  const condition = 'channelId' in of ? sql`channel_id = ${of.channelId}` : sql`agent_id = ${of.agentId}`;
  const rows = await db.query(
    sql`select 1 from sessions where account_id = ${accountId} and ${condition} limit 1`,
  );
  return rows.length > 0;
}

interface RemovedObjects {
  agentIds: string[];
  kanbanIds: string[];
}

/** Agents and boards that are about to go: no channel allows or binds them any longer. */
export async function unbindFromChannels(
  tx: Tx,
  accountId: string,
  { agentIds, kanbanIds }: RemovedObjects,
): Promise<void> {
  await tx.query(sql`
    update channels set allowed_agent_ids = array(
        select one from unnest(allowed_agent_ids) as one where not one = any(${agentIds}::uuid[])),
      agent_kanban_configs = coalesce((
        select jsonb_object_agg(key, value) from jsonb_each_text(agent_kanban_configs)
        where not key = any(${agentIds}) and not value = any(${kanbanIds})), '{}')
    where account_id = ${accountId} and (allowed_agent_ids && ${agentIds}::uuid[] or exists (
      select from jsonb_each_text(agent_kanban_configs) where key = any(${agentIds}) or value = any(${kanbanIds})))`);
}

/** Of channels without conversations, and of agents that none answers through. */
export async function eraseChannels(
  tx: Tx,
  accountId: string,
  { channelIds, agentIds }: { channelIds: string[]; agentIds: string[] },
): Promise<void> {
  const long = { timeoutMs: 60_000 };
  await tx.query(
    sql`delete from channels where account_id = ${accountId} and id = any(${channelIds}::uuid[])`,
    long,
  );
  await deleteChannelEndpoints(tx, accountId, channelIds, long);
  await tx.query(
    sql`delete from agents where account_id = ${accountId} and id = any(${agentIds}::uuid[])`,
    long,
  );
}
