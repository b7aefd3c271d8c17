/** An operator writes to a customer first: a new conversation, or the one that the customer already has on the channel. */
import type { Channel } from '../../../contract/channels.ts';
import type { ConversationStart } from '../../../contract/messaging/messages.ts';
import type { Tx } from '../../platform/db/db.ts';
import type { FrozenEvent } from '../../platform/events/outbox.ts';
import { badRequest, conflict, notFound } from '../../platform/http/errors.ts';
import { isId, newId } from '../../platform/ids.ts';
import { contactKey } from '../blocked-contacts/blocked-contacts.ts';
import { contactChange, customerOf } from '../contacts/contacts.ts';
import { maySee, visibleTo } from '../kanbans/kanbans.ts';
import { requireRecord } from '../records/records.ts';
import {
  changeLifecycle,
  changerOf,
  findContactSession,
  lockStart,
  type OpenedSession,
  openSession,
  pauseEvent,
  type RequestCustomer,
  resolveTarget,
  type SessionChange,
  type SessionState,
  sessionUpdated,
  type Target,
} from '../sessions/sessions.ts';
import {
  checkOperatorMessage,
  commitOutgoing,
  type OperatorMessage,
  operatorMessage,
  type ReplyContext,
  replyIn,
} from './messages.reply.ts';
import { newSession } from './messages.send.ts';
import type { NewMessage } from './messages.sql.ts';
import { type MoveContext, type Moved, moveSession, withErasedKeys } from './messages.transfer.ts';
import { requireWindow } from './outgoing/messages.window.ts';

export interface Started {
  sessionId: string;
  isNewSession: boolean;
  message: NewMessage;
}

/** What the request alone shows; before the transaction. */
export function checkStart(input: ConversationStart): void {
  if (input.externalUserId === undefined && input.sessionId === undefined) {
    throw badRequest('externalUserId or sessionId is required');
  }
  for (const name of ['externalUserId', 'sessionId'] as const) {
    if (input[name] !== undefined && input[name].trim() === '') throw badRequest(`${name} must not be blank`);
  }
  checkOperatorMessage(input);
}

/** Only what the schema names: the body may have more, which nothing has checked. */
const messageIn = ({ content, attachments, pauseAi, clientId }: ConversationStart): OperatorMessage => ({
  content,
  attachments,
  pauseAi,
  clientId,
});

/** In the conversation that `chooseSession` has chosen. */
export async function startConversation(
  tx: Tx,
  context: MoveContext,
  { channelId, sessionId }: { channelId: string; sessionId: string },
  input: ConversationStart,
): Promise<Started> {
  const { actor, definitions, directory } = context;
  const channel = directory.channels.get(channelId);
  if (!channel) throw notFound('channel');
  if (channel.type === 'web') {
    throw conflict('a visitor of a web chat cannot be written to first; choose another channel');
  }
  const visible = visibleTo(actor, definitions);
  const { externalUserId } = input;
  const customer = withErasedKeys(context, customerOf(channel, { sessionId, externalUserId }));
  const opened = await openSession(tx, actor.accountId, sessionId, customer);
  opened.requireNotBlocked();
  const { state } = opened;
  if (!state) return begin(tx, context, channel, visible, sessionId, { opened, customer }, input);
  const board = definitions.kanbans.get(state.kanbanId);
  if (board && !maySee(actor, board)) throw notFound('session');
  if (state.channelId !== channel.id) throw conflict('the session belongs to another channel');
  const options = { reopen: true, definitionsVersion: definitions.version };
  const message = await replyIn(tx, { ...context, visible }, state, messageIn(input), options);
  return { sessionId, isNewSession: false, message };
}

/** The one that the customer has on the channel, or a new id. Before the account's configuration is locked. */
export async function chooseSession(
  tx: Tx,
  { actor: { accountId }, now, visible }: Omit<ReplyContext, 'directory'>,
  channelId: string,
  { sessionId, externalUserId }: ConversationStart,
): Promise<string> {
  if (sessionId !== undefined) return sessionId;
  if (!isId(channelId)) return newId(now);
  const key = contactKey(externalUserId!);
  await lockStart(tx, accountId, channelId, key);
  return (await findContactSession(tx, accountId, channelId, key, visible)) ?? newId(now);
}

async function begin(
  tx: Tx,
  context: MoveContext,
  channel: Channel,
  visible: string[] | null,
  sessionId: string,
  { opened, customer }: { opened: OpenedSession; customer: RequestCustomer | null },
  input: ConversationStart,
): Promise<Started> {
  const { actor, now, directory, definitions } = context;
  const { accountId } = actor;
  // Nothing that the customer wrote has opened it.
  requireWindow(directory, { channelId: channel.id, windowClosesAt: null }, 'person', now);
  const target = await targetFor(tx, context, channel, visible, input);
  let session = newSession(sessionId, channel, target, opened.contactKey, input, now);
  const { recordId: linkedRecordId } = input;
  const moved = linkedRecordId
    ? linkTo(session, linkedRecordId)
    : await moveSession(tx, context, { before: null, session, channel, target });
  const message = await operatorMessage(tx, { ...context, visible }, 1, messageIn(input));
  const events: FrozenEvent[] = [...moved.events];
  let aiPause: SessionState | null = null;
  let sessionChange: SessionChange | null = null;
  if (input.pauseAi && actor.kind === 'user') {
    // As a reply that takes over does: otherwise it would be assigned to somebody else.
    const owned = changeLifecycle(session, now, changerOf(actor), { assignedUserId: actor.id });
    ({ state: session, change: sessionChange } = owned);
    if (sessionChange) events.push(sessionUpdated(accountId, session, sessionChange));
  }
  if (input.pauseAi) {
    session = { ...session, aiPaused: true, eventSequence: session.eventSequence + 1 };
    aiPause = session;
    events.push(pauseEvent(accountId, session, actor.id));
  }
  const contact = contactChange(opened, customer, {
    name: null,
    sessionName: session.sessionName,
    channelId: channel.id,
    messageId: message.id,
    now,
  });
  session.contactId = contact?.contactId ?? null;
  await commitOutgoing(
    tx,
    accountId,
    now,
    directory,
    {
      session,
      message,
      agentId: null,
      isNewSession: true,
      record: moved.record,
      linkedRecordId,
      aiPause,
      sessionChange,
      events,
      contact,
    },
    definitions.version,
  );
  return { sessionId, isNewSession: true, message };
}

function linkTo(session: SessionState, recordId: string): Moved {
  session.recordId = recordId;
  return { messages: [], events: [], record: null };
}

async function targetFor(
  tx: Tx,
  { actor, directory, definitions }: MoveContext,
  channel: Channel,
  visible: string[] | null,
  { agentId, kanbanId, recordId }: ConversationStart,
): Promise<Target> {
  const target = resolveTarget({ actor, directory, definitions, channel, current: null, agentId, kanbanId });
  if (recordId !== undefined) {
    const record = await requireRecord(tx, actor, visible, recordId);
    if (kanbanId !== undefined && kanbanId !== record.kanbanId) {
      throw badRequest('kanbanId must be the board of recordId');
    }
    return { agentId: target.agentId, kanban: definitions.kanbans.get(record.kanbanId)! };
  }
  if (!maySee(actor, target.kanban)) {
    throw badRequest('kanbanId is required: you do not have access to the default board of this channel');
  }
  return target;
}
