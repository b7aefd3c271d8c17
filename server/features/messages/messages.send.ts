/** A customer's message comes in, through the intake. Errors are looked for in the order that the contract gives. */

import type { Channel } from '../../../contract/channels.ts';
import { channelTypes, type LanguageName } from '../../../contract/limits.ts';
import type {
  MessageAccepted,
  MessageAttachment,
  MessageSend,
} from '../../../contract/messaging/messages.ts';
import type { Tx } from '../../platform/db/db.ts';
import { badRequest, channelDisabled, conflict, notFound } from '../../platform/http/errors.ts';
import { newId } from '../../platform/ids.ts';
import { attachFiles, checkFiles, fileReaderOf } from '../attachments/attachments.ts';
import { findChannel } from '../channels/channels.ts';
import { contactChange, customerOf, customerOfSession, type ToldCustomer } from '../contacts/contacts.ts';
import { maySee, visibleTo } from '../kanbans/kanbans.ts';
import {
  type ChangedSession,
  changeLifecycle,
  customer,
  newLifecycle,
  type OpenedSession,
  openSession,
  type RequestCustomer,
  requestPerson,
  resolveTarget,
  type SessionState,
  sessionUpdated,
  type Target,
  visitorName,
} from '../sessions/sessions.ts';
import { type ConversationChange, commitConversations } from './messages.commit.sql.ts';
import type { InboundItem } from './messages.connectors.sql.ts';
import { forwardedAs, messageEvent } from './messages.events.ts';
import { quotedMessage } from './messages.quotes.ts';
import { lockMessageByProvider, type NewMessage, type StoredMessage } from './messages.sql.ts';
import { type MoveContext, type Moved, moveSession, withErasedKeys } from './messages.transfer.ts';
import { awaitConversion, voiceWork } from './messages.voice.ts';
import { cancelledMessages } from './outgoing/messages.cancelled.ts';
import { windowAfter } from './outgoing/messages.window.ts';

/** What can be told from the request alone; before the transaction. */
export function checkSend(input: MessageSend): void {
  const attachments = input.attachments ?? [];
  if (!input.content?.trim() && attachments.length === 0) throw badRequest('content or attachments required');
  checkFiles(attachments);
  if (input.channelType !== undefined && !channelTypes.includes(input.channelType as never)) {
    throw badRequest(`channelType must be one of ${channelTypes.join(', ')}`);
  }
  if (input.isEcho && input.externalUserId === undefined) throw badRequest('externalUserId is required');
}

export interface SendDetails {
  /**
   * The sender's own id of the message. One that is sent again with it, because the answer was lost, is answered with the
   * first. It is found under the conversation's lock, so that two tries at once cannot both miss it.
   */
  providerMsgId?: string;
  /** Names a conversation that begins with this message. */
  nameNew?: (language: LanguageName) => string | undefined;
  /** The AI does not answer this message. */
  withoutAi?: boolean;
  /** The network address of a visitor of the widget: replies of the AI are limited by it. */
  address?: string;
  /** By the provider's clock; left out: now. */
  sentAt?: number;
  /** Of the message, such as `providerPayload`. */
  data?: Record<string, unknown>;
  /** The conversation needs a person's attention, unless people answer in it already. */
  needsPerson?: boolean;
  /** The customer asks for a person with this message; both are stored together. */
  requestsPerson?: boolean;
  /** In lower case. It is stored with a new conversation, and with one that has begun if it `replaces` what is there. */
  customerEmail?: { address: string; replaces: boolean };
  /**
   * Who the provider says that the customer is. Identifiers told together are those of one contact. `externalUserId` of
   * the message should be one of them.
   */
  customer?: ToldCustomer;
  /** The connector's item that it came as. It is done with the message, if this is sent with others. */
  item?: InboundItem;
}

export interface Sent {
  accepted: MessageAccepted;
  /** Of the message in its conversation. */
  position: number;
  /** It had been sent before. */
  isRepeated: boolean;
}

export async function sendMessage(
  tx: Tx,
  context: MoveContext,
  given: MessageSend,
  { nameNew, requestsPerson, customerEmail, customer, item: _item, ...details }: SendDetails = {},
): Promise<Sent> {
  const { actor, definitions } = context;
  const { accountId } = actor;
  const { providerMsgId } = details;
  const channel = requireChannel(context, given);
  const sessionId = given.sessionId ?? newId(context.now);
  const asked = withErasedKeys(context, customerOf(channel, { ...given, sessionId }, customer));
  const { opened, customer: person } = await openFor(tx, accountId, channel, sessionId, asked);
  if (providerMsgId !== undefined && opened.state) {
    const earlier = await lockMessageByProvider(tx, accountId, sessionId, providerMsgId);
    if (earlier) return repeated(sessionId, earlier);
  }
  const sessionName = given.sessionName ?? (opened.state ? undefined : nameNew?.(definitions.language));
  const input = { ...given, sessionName };
  const arrival = receive(context, input, channel, sessionId, opened);
  const { now } = arrival;
  if (customerEmail && (!opened.state || customerEmail.replaces)) {
    arrival.session.customerEmail = customerEmail.address;
  }
  const replyToMessageId = await quotedMessage(tx, accountId, sessionId, given.replyToMessageId);
  const moved = await moveSession(tx, { ...context, now }, { ...arrival, customer: person });
  const sender = fileReaderOf(actor, visibleTo(actor, definitions));
  const attachments = await attachFiles(tx, accountId, input.attachments, now, sender);
  const { change, sent } = conclude(
    context,
    input,
    arrival,
    { ...moved, attachments },
    { ...details, replyToMessageId },
  );
  if (change.cancelsScheduled) {
    change.messages.push(...(await cancelledMessages(tx, accountId, change.session, now)));
  }
  const isMadeUp = sessionName === visitorName(definitions.language, sessionId);
  change.contact = contactChange(opened, person, {
    name: customer?.name?.trim() || null,
    sessionName: isMadeUp ? null : change.session.sessionName,
    channelId: channel.id,
    messageId: sent.accepted.userMessage.id,
    now,
  });
  change.session.contactId ??= change.contact?.contactId ?? null;
  await commitConversations(tx, accountId, [change], definitions.version);
  // A second change of the row: operators are notified by it.
  if (requestsPerson) await requestPerson(tx, accountId, now, change.session);
  return sent;
}

/** A conversation that got no contact yet, because it is older or was blocked, is looked up by its own customer. */
async function openFor(
  tx: Tx,
  accountId: string,
  channel: Channel,
  sessionId: string,
  asked: RequestCustomer | null,
): Promise<{ opened: OpenedSession; customer: RequestCustomer | null }> {
  const opened = await openSession(tx, accountId, sessionId, asked);
  const { state } = opened;
  if (asked || !state || state.contactId !== null || state.channelId !== channel.id) {
    return { opened, customer: asked };
  }
  const customer = customerOfSession(channel, state);
  if (!customer) return { opened, customer };
  return { opened: await openSession(tx, accountId, sessionId, customer), customer };
}

function repeated(sessionId: string, { id, role, content, timestamp, position }: StoredMessage): Sent {
  const accepted = {
    sessionId,
    isNewSession: false,
    userMessage: { id, role, content, timestamp },
    message: 'message accepted',
  };
  return { accepted, position, isRepeated: true };
}

export function requireChannel({ directory }: MoveContext, input: MessageSend): Channel {
  const channel = findChannel(directory, input.fromChannelIdentifier, input.channelType ?? 'api');
  if (!channel) throw notFound('channel');
  if (!channel.enabled) throw channelDisabled();
  return channel;
}

/** Where a message has come to: the conversation as it was found and as it will be, before anything is written. */
export interface Arrival {
  channel: Channel;
  /** Null: the conversation is new. */
  before: SessionState | null;
  session: SessionState;
  target: Target;
  now: number;
}

export function receive(
  context: MoveContext,
  input: MessageSend,
  channel: Channel,
  sessionId: string,
  opened: OpenedSession,
): Arrival {
  const { actor, definitions, directory } = context;
  opened.requireNotBlocked();
  const before = opened.state;
  // The time was taken before the lock: a message that waited must not get an earlier time than the one before it.
  const now = Math.max(context.now, before?.lastMessageAt ?? 0);
  const { agentId, kanbanId } = input;
  // On a conversation of another channel the target is only checked; the conflict is reported last.
  const sameChannel = before !== null && before.channelId === channel.id;
  const current = sameChannel ? before : null;
  const board = current && definitions.kanbans.get(current.kanbanId);
  if (board && !maySee(actor, board)) throw notFound('session');
  const target = resolveTarget({ actor, directory, definitions, channel, current, agentId, kanbanId });
  if (before && !sameChannel) throw conflict('the session belongs to another channel');

  const session = before
    ? { ...before }
    : newSession(sessionId, channel, target, opened.contactKey, input, now);
  session.sessionName = input.sessionName ?? session.sessionName;
  if (session.externalUserId === null && input.externalUserId !== undefined) {
    session.externalUserId = input.externalUserId;
    session.contactKey = opened.contactKey;
  }
  return { channel, before, session, target, now };
}

/** The message itself, behind what its move adds, and everything that follows from it. */
export function conclude(
  { actor: { accountId }, directory }: MoveContext,
  input: MessageSend,
  arrival: Arrival,
  { messages, record, attachments, ...moved }: Moved & { attachments: MessageAttachment[] },
  {
    providerMsgId,
    withoutAi,
    needsPerson,
    data,
    sentAt,
    address,
    replyToMessageId,
  }: Pick<SendDetails, 'providerMsgId' | 'withoutAi' | 'needsPerson' | 'data' | 'sentAt' | 'address'> & {
    replyToMessageId?: string | null;
  } = {},
): { change: ConversationChange; sent: Sent } {
  const { channel, before, now } = arrival;
  const isEcho = input.isEcho === true;
  const events = [...moved.events];
  // Of a resolved conversation nobody waits any more: it begins anew.
  const waitingSince = arrival.session.status === 'resolved' ? null : arrival.session.waitingSince;
  const { state: session, change: sessionChange } = isEcho ? asItIs(arrival) : reopened(arrival);
  if (sessionChange) events.push(sessionUpdated(accountId, session, sessionChange));
  const userMessage: NewMessage = {
    id: newId(now),
    position: ++session.messageCount,
    role: 'user',
    content: input.content ?? '',
    timestamp: now,
    isEcho,
    attachments,
    providerMsgId,
    replyToMessageId,
    data,
  };
  session.lastMessageAt = now;
  session.updatedAt = now;
  session.waitingSince = isEcho ? null : (waitingSince ?? now);
  if (!isEcho) {
    session.unread++;
    const window = directory.windows.get(channel.id);
    session.windowClosesAt = windowAfter(window, session.windowClosesAt, sentAt ?? now);
    session.cancelsOnReply = false;
  }
  // On a channel that people answer, nobody else will.
  const isForPeople = before === null && session.aiPaused && !isEcho;
  if (isForPeople || (needsPerson && !session.aiPaused)) session.needsAttention = true;
  const direction = forwardedAs(channel, isEcho);
  const agent = directory.agents.get(session.agentId)!;
  const voice = voiceWork(channel, userMessage);
  if (direction) {
    const forwarded = messageEvent({
      accountId,
      event: 'message_created',
      direction,
      session,
      channel,
      agent,
      message: userMessage,
      sequence: ++session.eventSequence,
      now,
    });
    awaitConversion(voice, forwarded);
    events.push(forwarded);
  }
  const answers = !isEcho && !session.aiPaused && !withoutAi;
  const { id, position, role, content, timestamp } = userMessage;
  return {
    change: {
      session,
      isNewSession: before === null,
      before,
      messages: [...messages, userMessage],
      record,
      reply: answers
        ? {
            messageId: id,
            position,
            agentId: agent.id,
            delayMs: agent.batchWindowMs,
            address: address ?? null,
          }
        : null,
      voice,
      sessionChange,
      cancelsScheduled: !isEcho && before?.cancelsOnReply === true,
      events,
    },
    sent: {
      accepted: {
        sessionId: session.sessionId,
        isNewSession: before === null,
        userMessage: { id, role, content, timestamp },
        message: isEcho
          ? 'message stored'
          : answers
            ? 'message accepted'
            : 'message stored; the AI is paused',
      },
      position,
      isRepeated: false,
    },
  };
}

const asItIs = ({ session }: Arrival): ChangedSession => ({ state: session, change: null });

/** A customer who writes opens a conversation that was snoozed or resolved. */
const reopened = (arrival: Arrival) =>
  arrival.session.status === 'open'
    ? asItIs(arrival)
    : changeLifecycle(arrival.session, arrival.now, customer, { status: 'open' });

export function newSession(
  sessionId: string,
  channel: Channel,
  target: Target,
  contactKey: string,
  input: Pick<MessageSend, 'sessionId' | 'sessionName' | 'externalUserId'>,
  now: number,
): SessionState {
  return {
    sessionId,
    sessionName: input.sessionName ?? null,
    channelId: channel.id,
    externalUserId: input.externalUserId ?? null,
    contactKey,
    contactId: null,
    agentId: target.agentId,
    kanbanId: target.kanban.id,
    recordId: null,
    aiPaused: channel.settings.answersFirst === 'people',
    needsAttention: false,
    unread: 0,
    ...newLifecycle,
    windowClosesAt: null,
    cancelsOnReply: false,
    waitingSince: null,
    lastMessageAt: now,
    createdAt: now,
    updatedAt: now,
    messageCount: 0,
    eventSequence: 0,
    hasGeneratedId: input.sessionId === undefined,
  };
}
