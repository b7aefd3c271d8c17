/** Moves a conversation to another agent or board, and gives it its card there. */
import type { Channel } from '../../../contract/channels.ts';
import type { CrmRecord } from '../../../contract/crm/records.ts';
import type { TransferBody } from '../../../contract/messaging/sessions.ts';
import type { Tx } from '../../platform/db/db.ts';
import type { FrozenEvent } from '../../platform/events/outbox.ts';
import { badRequest, notFound } from '../../platform/http/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { Actor } from '../accounts/accounts.ts';
import { type BlockHash, blockKey, toIdentifier } from '../blocked-contacts/blocked-contacts.ts';
import type { Directory } from '../channels/channels.ts';
import { customerOfSession } from '../contacts/contacts.ts';
import { type Definitions, isBoundTo, systemField } from '../kanbans/kanbans.ts';
import { suppressReplies } from '../pending-replies/pending-replies.ts';
import { fitsField, newRecordFor, recordCreated } from '../records/records.ts';
import {
  findSessionRecord,
  type RequestCustomer,
  releaseIfHidden,
  requireOpenSession,
  resolveTarget,
  type SessionState,
  selectCustomerEmail,
  selectHasGeneratedId,
  type Target,
  visitorName,
} from '../sessions/sessions.ts';
import { commitConversations } from './messages.commit.sql.ts';
import type { NewMessage } from './messages.sql.ts';

export interface MoveContext {
  actor: Actor;
  now: number;
  definitions: Definitions;
  directory: Directory;
  /** Given where a conversation may begin. */
  blockHash?: BlockHash;
}

/** A new conversation may be that of somebody who was erased and stays blocked. */
export function withErasedKeys(
  { actor, blockHash }: Pick<MoveContext, 'actor' | 'blockHash'>,
  customer: RequestCustomer | null,
): RequestCustomer | null {
  if (!customer || !blockHash) return customer;
  const erasedKeys = customer.identifiers.map(({ kind, value }) =>
    blockHash(actor.accountId, blockKey(kind, value)),
  );
  return { ...customer, erasedKeys };
}

export interface Move {
  /** Null: the conversation is new. */
  before: SessionState | null;
  /** Changed in place to its new target. */
  session: SessionState;
  channel: Channel;
  target: Target;
  /** The message whose reply caused the move: its permission stays. */
  keepReplyTo?: string;
  /** With the identifiers that the channel told; left out: those of the conversation. */
  customer?: RequestCustomer | null;
}

/** What a move adds to the conversation's next commit. */
export interface Moved {
  messages: NewMessage[];
  events: FrozenEvent[];
  record: CrmRecord | null;
}

/** Nothing is added if the target is the current one. */
export async function moveSession(tx: Tx, context: MoveContext, move: Move): Promise<Moved> {
  const { before, session, target, keepReplyTo } = move;
  const { accountId } = context.actor;
  const messages: NewMessage[] = [];
  const events: FrozenEvent[] = [];
  let record: CrmRecord | null = null;
  if (before && (before.agentId !== target.agentId || before.kanbanId !== target.kanban.id)) {
    messages.push(transferMessage(context, before, target, session));
    await suppressReplies(tx, accountId, session.sessionId, 'session transferred', context.now, keepReplyTo);
  }
  if (!before || before.kanbanId !== target.kanban.id) {
    const existing = before
      ? await findSessionRecord(tx, accountId, session.sessionId, target.kanban.id)
      : null;
    if (!existing) {
      const title = await titleOf(tx, context, before, session);
      const email = before ? await emailOf(tx, accountId, move) : (session.customerEmail ?? null);
      record = recordOf(context, move, title, email);
      events.push(recordCreated(record, context.now));
    }
    session.recordId = existing ?? record!.recordId;
  }
  session.agentId = target.agentId;
  session.kanbanId = target.kanban.id;
  if (before && before.kanbanId !== target.kanban.id) {
    Object.assign(session, await releaseIfHidden(tx, context.actor, context.now, session));
  }
  return { messages, events, record };
}

/** Requested by an operator, without a message of the customer. */
export async function transferSession(
  tx: Tx,
  context: MoveContext,
  visible: string[] | null,
  sessionId: string,
  { agentId, kanbanId }: TransferBody,
): Promise<void> {
  const { actor, definitions, directory } = context;
  const { state: before } = await requireOpenSession(tx, actor, visible, sessionId);
  if (agentId === undefined && kanbanId === undefined) throw badRequest('agentId or kanbanId required');
  const channel = directory.channels.get(before.channelId);
  if (!channel) throw notFound('channel');
  const target = resolveTarget({
    actor,
    directory,
    definitions,
    channel,
    current: before,
    agentId,
    kanbanId,
  });
  const now = Math.max(context.now, before.lastMessageAt);
  const session = { ...before, updatedAt: now };
  const moved = await moveSession(tx, { ...context, now }, { before, session, channel, target });
  if (moved.messages.length === 0) return;
  await commitConversations(
    tx,
    actor.accountId,
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

async function titleOf(
  tx: Tx,
  { actor, definitions }: MoveContext,
  before: SessionState | null,
  { sessionId, sessionName, externalUserId, hasGeneratedId }: SessionState,
): Promise<string> {
  const name = sessionName?.trim() || externalUserId?.trim();
  if (name) return name;
  const isGenerated = before ? await selectHasGeneratedId(tx, actor.accountId, sessionId) : hasGeneratedId;
  return isGenerated ? visitorName(definitions.language, sessionId) : sessionId.trim() || sessionId;
}

/** As the website gave it. Other channels know none beside the customer's identifiers. */
async function emailOf(tx: Tx, accountId: string, { session, channel }: Move): Promise<string | null> {
  if (channel.type !== 'web') return null;
  return session.customerEmail ?? selectCustomerEmail(tx, accountId, session.sessionId);
}

/** The card of the conversation: its title, the channel, the fields bound to the channel, and who the customer is. */
function recordOf(
  { actor, now }: MoveContext,
  { session, channel, target: { kanban }, customer = customerOfSession(channel, session) }: Move,
  title: string,
  email: string | null,
): CrmRecord {
  const { externalUserId } = session;
  const bound = [...kanban.fields.values()].filter(
    (field) => externalUserId !== null && isBoundTo(field, channel) && fitsField(field, externalUserId),
  );
  const customFields = Object.fromEntries(bound.map((field) => [field.id, externalUserId!]));
  const fill = (type: 'phone' | 'email', ...values: (string | null)[]): string | null => {
    const field = systemField(kanban, type);
    if (!field || customFields[field.id] !== undefined) return null;
    const value = values.find((one) => one !== null && fitsField(field, one));
    if (!value) return null;
    customFields[field.id] = value;
    return field.id;
  };
  for (const { kind, value } of customer?.identifiers ?? []) {
    if (kind !== 'phone' && kind !== 'email') continue;
    // As the customer is called, if it is the same: the id of a chat may look like a phone number.
    const isSame = externalUserId !== null && toIdentifier(kind, externalUserId, channel.id)?.value === value;
    fill(kind, isSame ? externalUserId : null, kind === 'phone' ? `+${value}` : value);
  }
  const filled = fill('email', email);
  // Without a signed identity it is what somebody typed.
  const unverifiedFieldIds = filled && externalUserId === null ? [filled] : [];
  return newRecordFor(actor, now, kanban, { title, channelId: channel.id, customFields, unverifiedFieldIds });
}
