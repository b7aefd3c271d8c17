import type { BusinessHours } from '../../../contract/business-hours.ts';
import type { Channel } from '../../../contract/channels.ts';
import type { Reader } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';
import type { AgentDefinition, SendWindow } from './channels.directory.ts';

interface DirectoryRows {
  version: number;
  channels: Channel[];
  hours: BusinessHours[];
  teamHours: { teamId: string; hoursId: string }[];
  connectedIds: string[];
  windows: ({ channelId: string } & SendWindow)[];
  agents: AgentDefinition[];
}

export async function selectDirectory(db: Reader, accountId: string): Promise<DirectoryRows> {
  const [row] = await db.query<DirectoryRows>(sql`
    select a.definitions_version as version,
      (select coalesce(json_agg(c), '[]') from (
        select id, name, identifier, type, enabled, default_agent_id as "defaultAgentId",
          allowed_agent_ids as "allowedAgentIds", agent_kanban_configs as "agentKanbanConfigs",
          webhook_url as "webhookUrl", forward_incoming as "forwardIncoming", settings,
          json_build_object('mode', assignment_mode, 'teamId', assignment_team_id) as assignment,
          hours_id as "hoursId",
          created_at as "createdAt", updated_at as "updatedAt"
        from channels where account_id = a.id order by id) c) as channels,
      (select coalesce(json_agg(h), '[]') from (
        select id, name, is_default as "isDefault", time_zone as "timeZone", week, closed_dates as "closedDates", names
        from business_hours where account_id = a.id) h) as hours,
      (select coalesce(json_agg(t), '[]') from (
        select id as "teamId", hours_id as "hoursId" from teams
        where account_id = a.id and hours_id is not null) t) as "teamHours",
      (select coalesce(json_agg(channel_id), '[]') from connectors where account_id = a.id) as "connectedIds",
      (select coalesce(json_agg(w), '[]') from (
        select id as "channelId", window_ms as "agentMs", coalesce(person_window_ms, window_ms) as "personMs",
          window_templates as "hasTemplates"
        from channels where account_id = a.id and window_ms is not null) w) as windows,
      (select coalesce(json_agg(g), '[]') from (
        select id, name, provider, model, base_url as "baseUrl", api_key as "apiKey", instructions, knowledge, tools,
          batch_window_ms as "batchWindowMs",
          (select coalesce(json_agg(k.kanban_id order by k.position), '[]') from agent_kanbans k
            where k.account_id = agents.account_id and k.agent_id = agents.id) as "allowedKanbanIds",
          (select coalesce(json_agg(k.tool_id order by k.position), '[]') from agent_tools k
            where k.account_id = agents.account_id and k.agent_id = agents.id) as "toolIds",
          (select coalesce(json_agg(k.source_id order by k.position), '[]') from agent_knowledge_sources k
            where k.account_id = agents.account_id and k.agent_id = agents.id) as "knowledgeSourceIds",
          may_use_internal as "mayUseInternal", answer_only_from_knowledge as "answerOnlyFromKnowledge",
          price, mask_for_model as "maskForModel", limits, blocked_patterns as "blockedPatterns",
          publish_gate as "publishGate", version,
          exists (select from agent_drafts d where d.account_id = agents.account_id and d.agent_id = agents.id)
            as "hasDraft",
          created_at as "createdAt", updated_at as "updatedAt"
        from agents where account_id = a.id order by id) g) as agents
    from accounts a where a.id = ${accountId}`);
  if (!row) throw new Error(`account ${accountId} does not exist`);
  return row;
}
