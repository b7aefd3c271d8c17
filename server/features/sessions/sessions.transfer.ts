/** Which agent and kanban a message goes to. */
import type { Channel } from '../../../contract/channels.ts';
import { AppError, notFound } from '../../platform/http/errors.ts';
import type { Actor } from '../accounts/accounts.ts';
import { allowsAgent, type Directory } from '../channels/channels.ts';
import { type Definitions, type KanbanDefinition, maySee } from '../kanbans/kanbans.ts';

export interface Target {
  agentId: string;
  kanban: KanbanDefinition;
}

export interface TargetInput {
  actor: Actor;
  directory: Directory;
  definitions: Definitions;
  channel: Channel;
  /** Null: a new conversation. */
  current: { agentId: string; kanbanId: string } | null;
  agentId: string | undefined;
  kanbanId: string | undefined;
}

export function resolveTarget({
  actor,
  directory,
  definitions,
  channel,
  current,
  ...asked
}: TargetInput): Target {
  const { agentId, kanbanId } = asked;
  if (agentId !== undefined && !directory.agents.has(agentId)) throw notFound('agent');
  const kanban = kanbanId === undefined ? undefined : definitions.kanbans.get(kanbanId);
  if (kanbanId !== undefined && (!kanban || !maySee(actor, kanban))) throw notFound('kanban');
  if (agentId !== undefined && !allowsAgent(channel, agentId)) {
    throw new AppError(400, 'AGENT_NOT_ALLOWED', 'agentId is not allowed on this channel');
  }
  const configured = (agent: string) => definitions.kanbans.get(channel.agentKanbanConfigs[agent] ?? '');
  if (!current) {
    const agent = agentId ?? channel.defaultAgentId;
    return { agentId: agent, kanban: kanban ?? configured(agent) ?? definitions.defaultKanban };
  }
  const stays: Target = {
    agentId: current.agentId,
    kanban: definitions.kanbans.get(current.kanbanId) ?? definitions.defaultKanban,
  };
  const differs =
    (agentId !== undefined && agentId !== current.agentId) ||
    (kanbanId !== undefined && kanbanId !== current.kanbanId);
  if (!differs) return stays;
  if (agentId === undefined) return { agentId: channel.defaultAgentId, kanban: kanban! };
  return { agentId, kanban: kanban ?? configured(agentId) ?? stays.kanban };
}
