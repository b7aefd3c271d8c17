/**
 * The tools acting on this customer's conversation: through the same rules as the API, only while the reply may still
 * be made, and with ids from the conversation, never from the model.
 */

import type { Channel } from '../../../contract/channels.ts';
import type { Clock } from '../../platform/db/clock.ts';
import type { Db, Reader, Tx } from '../../platform/db/db.ts';
import { AppError, badRequest, notFound } from '../../platform/http/errors.ts';
import { type Actor, systemActor } from '../accounts/accounts.ts';
import type { AccountConfig, AccountConfigCache, AgentDefinition } from '../channels/channels.ts';
import type { Definitions, KanbanDefinition } from '../kanbans/kanbans.ts';
import { commitConversations, moveSession } from '../messages/messages.ts';
import { hasPermission } from '../pending-replies/pending-replies.ts';
import { changeRecord, requireRecord } from '../records/records.ts';
import { openSession, resolveTarget, type SessionState } from '../sessions/sessions.ts';
import type { AgentTools } from './ai-replies.conversation.ts';
import { textsOfCards, unlessHidden, visibleFields } from './ai-replies.fields.ts';

export interface ToolPlace {
  accountId: string;
  sessionId: string;
  /** The message that is being answered. */
  messageId: string;
  agent: Pick<AgentDefinition, 'id' | 'name' | 'allowedKanbanIds'>;
}

/** The reply can no longer be made, so its tools may do nothing more. */
export class ReplySuppressed extends Error {}

export interface ToolContext {
  db: Db;
  clock: Clock;
  accountConfig: AccountConfigCache;
}

export function createAgentTools(context: ToolContext, place: ToolPlace): AgentTools {
  const { db, clock, accountConfig } = context;
  const { accountId, sessionId, messageId, agent } = place;
  const actor: Actor = { ...systemActor(accountId), id: agent.id as 'system', name: agent.name };

  /** Opens the conversation, makes sure that the reply is still wanted, and runs against the current configuration. */
  const act = <T>(run: (tx: Tx, state: SessionState, config: AccountConfig) => Promise<T>): Promise<T> =>
    db.transaction(async (tx) => {
      const { state } = await openSession(tx, accountId, sessionId);
      if (!state || !(await hasPermission(tx, accountId, sessionId, messageId))) throw new ReplySuppressed();
      return accountConfig.withAccountConfig(tx, accountId, (config) => run(tx, state, config));
    });
  const recordIdOf = (state: SessionState) => {
    if (!state.recordId) throw notFound('record');
    return state.recordId;
  };

  return {
    findRecord: () =>
      act((tx, state, { definitions }) => describeRecord(tx, actor, definitions, recordIdOf(state))),

    setField: (fieldName, value) =>
      act(async (tx, state, { definitions }) => {
        const field = visibleFields(definitions.kanbans.get(state.kanbanId)).find(
          (one) => one.name.toLowerCase() === fieldName.trim().toLowerCase(),
        );
        if (!field) throw badRequest(`there is no field named ${fieldName}`);
        const change = { customFields: { [field.id]: value } };
        const told = { isTold: true };
        await changeRecord(tx, actor, clock.now(), definitions, recordIdOf(state), change, told);
        return `${field.name} is set`;
      }),

    setStatus: (status) =>
      act(async (tx, state, { definitions }) => {
        const statuses = definitions.kanbans.get(state.kanbanId)?.statuses ?? [];
        const wanted = status.trim().toLowerCase();
        const found = statuses.find(
          (one) => one.value.toLowerCase() === wanted || one.label.toLowerCase() === wanted,
        );
        if (!found) throw badRequest(`status must be one of ${statuses.map((one) => one.value).join(', ')}`);
        await changeRecord(tx, actor, clock.now(), definitions, recordIdOf(state), { status: found.value });
        return `status is ${found.value}`;
      }),

    transfer: (target) =>
      act(async (tx, before, { definitions, directory }) => {
        const now = clock.now();
        const channel = directory.channels.get(before.channelId);
        if (!channel) throw notFound('channel');
        const agentId = idByName([...directory.agents.values()], target.agentName, 'agent');
        const boards = boardsToTransferTo(agent, channel, before, definitions);
        const kanbanId = idByName(boards, target.kanbanName, 'board');
        const goal = resolveTarget({
          actor,
          directory,
          definitions,
          channel,
          current: before,
          agentId,
          kanbanId,
        });
        // An agent may work on its own board: the conversation would follow it there.
        if (!boards.includes(goal.kanban))
          throw badRequest(`this agent may not transfer to the board ${goal.kanban.name}`);
        const session = { ...before, updatedAt: now };
        const moving = { actor, now, definitions, directory };
        const moved = await moveSession(tx, moving, {
          before,
          session,
          channel,
          target: goal,
          keepReplyTo: messageId,
        });
        if (moved.messages.length === 0) return 'the conversation is already there';
        await commitConversations(
          tx,
          accountId,
          [
            {
              session,
              isNewSession: false,
              ...moved,
              reply: null,
            },
          ],
          definitions.version,
        );
        return `transferred to ${directory.agents.get(goal.agentId)?.name} on ${goal.kanban.name}`;
      }),

    // The pause is part of the reply's commit: an earlier pause would revoke the permission to reply.
    handOver: async () => 'a person will take over after this reply',
  };
}

/** The card as a model sees it. */
export async function describeRecord(
  db: Reader,
  actor: Actor,
  definitions: Definitions,
  recordId: string,
): Promise<string> {
  const record = await requireRecord(db, actor, null, recordId);
  const kanban = definitions.kanbans.get(record.kanbanId);
  const shown = visibleFields(kanban);
  const fields = shown
    .filter(({ id }) => record.customFields[id] !== undefined)
    .map(({ id, name }) => [name, record.customFields[id]]);
  return JSON.stringify({
    title: unlessHidden(record.title, textsOfCards(definitions, [record])),
    board: kanban?.name,
    status: record.status,
    possibleStatuses: kanban?.statuses.map((status) => status.value),
    fields: Object.fromEntries(fields),
    fieldNames: shown.map((field) => field.name),
  });
}

/** Staying on its board is always possible. */
function boardsToTransferTo(
  { allowedKanbanIds }: ToolPlace['agent'],
  channel: Channel,
  session: SessionState,
  { kanbans, defaultKanban }: Definitions,
): KanbanDefinition[] {
  const ids = allowedKanbanIds.length > 0 ? allowedKanbanIds : Object.values(channel.agentKanbanConfigs);
  return [kanbans.get(session.kanbanId) ?? defaultKanban, ...ids.flatMap((id) => kanbans.get(id) ?? [])];
}

function idByName(
  candidates: readonly { id: string; name: string }[],
  name: string | undefined,
  what: string,
): string | undefined {
  if (name === undefined) return undefined;
  const found = candidates.find((one) => one.name.toLowerCase() === name.trim().toLowerCase());
  if (!found) throw new AppError(404, 'NOT_FOUND', `there is no ${what} named ${name}`);
  return found.id;
}
