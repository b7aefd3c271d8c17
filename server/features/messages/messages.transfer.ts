/** Moving a conversation to another agent or board, and giving it its card there. */
import type { Channel } from '../../../contract/channels.ts';
import type { Record } from '../../../contract/records.ts';
import type { Tx } from '../../platform/db.ts';
import { newId } from '../../platform/ids.ts';
import type { FrozenEvent } from '../../platform/outbox.ts';
import type { Actor } from '../accounts/accounts.ts';
import type { Directory } from '../channels/channels.ts';
import type { Definitions, KanbanDefinition } from '../kanbans/kanbans.ts';
import { fitsField, newRecordFor, recordCreated } from '../records/records.ts';
import { findSessionRecord, type SessionState, suppressReplies, type Target } from '../sessions/sessions.ts';
import type { NewMessage } from './messages.sql.ts';

export interface MoveContext {
  actor: Actor;
  now: number;
  definitions: Definitions;
  directory: Directory;
}

export interface Move {
  /** Null: the conversation is new. */
  before: SessionState | null;
  /** Changed in place to where it goes. */
  session: SessionState;
  channel: Channel;
  target: Target;
  /** The message whose reply caused the move: its permission stays. */
  keepReplyTo?: string;
}

/** What the move adds to the conversation's next commit. Nothing, when the target is where it is already. */
export async function moveSession(
  tx: Tx,
  context: MoveContext,
  { before, session, channel, target, keepReplyTo }: Move,
): Promise<{ messages: NewMessage[]; events: FrozenEvent[]; record: Record | null }> {
  const { accountId } = context.actor;
  const messages: NewMessage[] = [];
  const events: FrozenEvent[] = [];
  let record: Record | null = null;
  if (before && (before.agentId !== target.agentId || before.kanbanId !== target.kanban.id)) {
    messages.push(transferMessage(context, before, target, session));
    await suppressReplies(tx, accountId, session.sessionId, 'session transferred', context.now, keepReplyTo);
  }
  if (!before || before.kanbanId !== target.kanban.id) {
    const existing = before
      ? await findSessionRecord(tx, accountId, session.sessionId, target.kanban.id)
      : null;
    if (!existing) {
      record = recordOf(context, session, channel, target.kanban);
      events.push(recordCreated(record, context.now));
    }
    session.recordId = existing ?? record!.recordId;
  }
  session.agentId = target.agentId;
  session.kanbanId = target.kanban.id;
  return { messages, events, record };
}

function transferMessage(
  { directory, definitions, now }: MoveContext,
  before: SessionState,
  target: Target,
  session: SessionState,
): NewMessage {
  const place = (agentId: string, kanbanId: string) => {
    const agent = directory.agents.get(agentId)?.name ?? 'a former agent';
    const kanban = definitions.kanbans.get(kanbanId)?.name ?? 'a former board';
    return `${agent} (${kanban})`;
  };
  const from = place(before.agentId, before.kanbanId);
  const to = place(target.agentId, target.kanban.id);
  return {
    id: newId(now),
    position: ++session.messageCount,
    role: 'system',
    content: `Conversation transferred from ${from} to ${to}`,
    timestamp: now,
  };
}

/** The card of the conversation: its title, the channel, and the fields that are bound to the channel. */
function recordOf(
  { actor, now }: MoveContext,
  session: SessionState,
  channel: Channel,
  kanban: KanbanDefinition,
): Record {
  const { externalUserId } = session;
  const names = [session.sessionName, externalUserId, session.sessionId];
  const title = names.find((text) => text?.trim()) ?? session.sessionId;
  const bound = [...kanban.fields.values()].filter(
    (field) =>
      externalUserId !== null &&
      (field.boundToChannels.includes(channel.name) || field.boundToChannels.includes(channel.type)) &&
      fitsField(field, externalUserId),
  );
  const customFields = Object.fromEntries(bound.map((field) => [field.id, externalUserId!]));
  return newRecordFor(actor, now, kanban, { title: title.trim(), channelId: channel.id, customFields });
}
