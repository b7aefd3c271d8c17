/** Messages to the customer: an operator's reply, an agent's reply, a released one. */
import { isMailAddress, type MailInput, type MessageMail } from '../../../contract/messaging/mail.ts';
import type { AttachmentRef, MessageAttachment } from '../../../contract/messaging/messages.ts';
import type { Tx } from '../../platform/db/db.ts';
import { emitFrozen, type FrozenEvent } from '../../platform/events/outbox.ts';
import { badRequest, channelDisabled, conflict, notFound } from '../../platform/http/errors.ts';
import { isId, newId } from '../../platform/ids.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import type { Actor } from '../accounts/accounts.ts';
import { attachFiles, checkFiles, fileReaderOf } from '../attachments/attachments.ts';
import type { Directory } from '../channels/channels.ts';
import { withCurrentAudience } from '../knowledge/knowledge.ts';
import {
  applyAiPaused,
  assignTaker,
  changeLifecycle,
  changerOf,
  requireOpenSession,
  type SessionState,
  sessionUpdated,
  stillNeedsAttention,
  updateSession,
} from '../sessions/sessions.ts';
import { type ConversationChange, commitConversations } from './messages.commit.sql.ts';
import { queueOutbound } from './messages.connectors.sql.ts';
import { messageEvent } from './messages.events.ts';
import { quotedMessage } from './messages.quotes.ts';
import {
  deleteMessage,
  findMessage,
  type NewMessage,
  releaseHeld,
  type StoredMessage,
  selectQuestionAfter,
} from './messages.sql.ts';
import { awaitConversion, convertJobKind, voiceWork } from './messages.voice.ts';
import { requireWindow } from './outgoing/messages.window.ts';

export interface ReplyContext {
  actor: Actor;
  now: number;
  directory: Directory;
  visible: string[] | null;
}

export interface OperatorMessage {
  content?: string;
  attachments?: AttachmentRef[];
  pauseAi?: boolean;
  replyToMessageId?: string | null;
  /** Only on channels of e-mail. */
  mail?: MailInput;
  clientId?: string;
}

/**
 * `content` of the message is its text with the parameters filled in. It may be sent at any time. Never a part of
 * OperatorMessage: bodies of requests are passed as one, and may have more fields than their schema names.
 */
export interface MessageTemplate {
  name: string;
  language: string;
  parameters: readonly string[];
}

export async function sendOperatorReply(
  tx: Tx,
  context: ReplyContext,
  place: { channelId: string; sessionId: string },
  input: OperatorMessage,
  template: MessageTemplate | null = null,
): Promise<NewMessage> {
  const { actor, visible } = context;
  const { state, requireNotBlocked } = await requireOpenSession(tx, actor, visible, place.sessionId);
  if (state.channelId !== place.channelId) throw notFound('session');
  checkOperatorMessage(input);
  requireNotBlocked();
  return replyIn(tx, context, state, input, { template });
}

export function checkOperatorMessage({ content, attachments = [] }: OperatorMessage): void {
  if (!content?.trim() && attachments.length === 0) throw badRequest('content or attachments required');
  checkFiles(attachments);
}

/** Into a conversation that is open for writing. With `reopen`, one that is snoozed or resolved is opened again. */
export async function replyIn(
  tx: Tx,
  context: ReplyContext,
  found: SessionState,
  input: OperatorMessage,
  {
    reopen = false,
    definitionsVersion = null,
    template = null,
  }: { reopen?: boolean; definitionsVersion?: number | null; template?: MessageTemplate | null } = {},
): Promise<NewMessage> {
  const { actor, directory } = context;
  const { accountId } = actor;
  let state = found;
  requireEnabled(directory, state.channelId);
  checkMail(directory, state.channelId, input.mail);
  const isByRule = actor.kind === 'rule';
  if (!template) requireWindow(directory, state, isByRule ? 'agent' : 'person', context.now);
  const now = Math.max(context.now, state.lastMessageAt);
  const replyToMessageId = await quotedMessage(tx, accountId, state.sessionId, input.replyToMessageId);
  const position = state.messageCount + 1;
  const quoting = { ...input, replyToMessageId };
  const message = await operatorMessage(tx, { ...context, now }, position, quoting, template);
  if (input.pauseAi) state = await assignTaker(tx, actor, now, state);
  if (input.pauseAi && !state.aiPaused) {
    state = await applyAiPaused(tx, accountId, now, state, true, { id: actor.id, isAgent: false });
  }
  const reopened = changeLifecycle(state, now, changerOf(actor), reopen ? { status: 'open' } : {});
  // Nobody has read the conversation for a rule's reply.
  const session = isByRule
    ? reopened.state
    : {
        ...reopened.state,
        unread: 0,
        needsAttention: await stillNeedsAttention(tx, accountId, state, now),
      };
  const { change } = reopened;
  const events = change ? [sessionUpdated(accountId, session, change)] : [];
  const outgoing = { session, message, agentId: null, sessionChange: change, events };
  await commitOutgoing(tx, accountId, now, directory, outgoing, definitionsVersion);
  return message;
}

export function requireEnabled({ channels }: Directory, channelId: string): void {
  if (channels.get(channelId)?.enabled === false) throw channelDisabled();
}

export function checkMail({ channels }: Directory, channelId: string, mail: MailInput | undefined): void {
  if (!mail) return;
  if (channels.get(channelId)?.type !== 'email') {
    throw badRequest('mail is only supported on channels of the type email');
  }
  if (typeof mail.to === 'string' && !isMailAddress(mail.to)) {
    throw badRequest('mail.to must be an e-mail address');
  }
  for (const name of ['to', 'cc'] as const) {
    const wrong = [mail[name] ?? []].flat().findIndex((address) => !isMailAddress(address));
    if (wrong !== -1) throw badRequest(`mail.${name}[${wrong}] must be an e-mail address`);
  }
  if (mail.subject !== undefined && (/\p{Cc}/u.test(mail.subject) || mail.subject.trim() === '')) {
    throw badRequest('mail.subject must be one line of text');
  }
}

/** As asked for; the connector adds what the thread tells before it sends. */
export function mailData({ to = [], cc = [], subject = '' }: MailInput): { mail: MessageMail } {
  const addresses = (list: string | string[]) =>
    [list].flat().map((address) => ({ name: null, address: address.toLowerCase() }));
  return {
    mail: { subject, from: null, to: addresses(to), cc: addresses(cc), hasHtml: false, hasQuoted: false },
  };
}

export async function operatorMessage(
  tx: Tx,
  { actor, now, visible }: Omit<ReplyContext, 'directory'>,
  position: number,
  { content = '', attachments, replyToMessageId, mail, clientId }: OperatorMessage,
  template: MessageTemplate | null = null,
): Promise<NewMessage> {
  return {
    id: newId(now),
    position,
    role: 'operator',
    content,
    timestamp: now,
    attachments: await attachFiles(tx, actor.accountId, attachments, now, fileReaderOf(actor, visible)),
    ...writerOf(actor),
    replyToMessageId,
    clientId,
    ...(mail && { data: mailData(mail) }),
    ...(template && { data: { template } }),
  };
}

/** Of a message with the role `operator`. */
export function writerOf({ kind, id, name }: Actor): Pick<NewMessage, 'operator' | 'author'> {
  return kind === 'rule' ? { operator: null, author: { type: kind, id, name } } : { operator: { id, name } };
}

/** A message to the customer, and what else is committed with it. */
export interface Outgoing extends Partial<Omit<ConversationChange, 'messages' | 'reply' | 'voice'>> {
  session: SessionState;
  message: NewMessage;
  /** A line for the team, stored before it. */
  systemMessage?: NewMessage | null;
  /** Null: a person wrote it. */
  agentId: string | null;
}

/** Stores a reply and notifies the channel's webhook; a held one is not sent. */
export async function commitOutgoing(
  tx: Tx,
  accountId: string,
  now: number,
  directory: Directory,
  outgoing: Outgoing,
  /** Null: the current directory was read. */
  definitionsVersion: number | null = null,
): Promise<void> {
  await commitConversations(
    tx,
    accountId,
    [outgoingChange(accountId, now, directory, outgoing)],
    definitionsVersion,
  );
}

/** Nobody has seen a held one, and a rule's answers nothing. */
const isAnswer = ({ held, author }: NewMessage): boolean => !held && author === undefined;

/** What `commitOutgoing` writes. */
export function outgoingChange(
  accountId: string,
  now: number,
  directory: Directory,
  { session, message, systemMessage = null, agentId, events: earlier = [], ...more }: Outgoing,
): ConversationChange {
  const after: SessionState = {
    ...session,
    messageCount: message.position,
    waitingSince: isAnswer(message) ? null : session.waitingSince,
    lastMessageAt: now,
    updatedAt: now,
  };
  const events: FrozenEvent[] = [...earlier];
  const channel = directory.channels.get(session.channelId);
  const voice = voiceWork(channel, message);
  if (channel?.webhookUrl && !message.held) {
    const agent = agentId === null ? null : (directory.agents.get(agentId) ?? null);
    const sequence = ++after.eventSequence;
    const sent = messageEvent({
      accountId,
      event: 'message_created',
      direction: 'outgoing',
      session: after,
      channel,
      agent,
      message,
      sequence,
      now,
    });
    awaitConversion(voice, sent);
    events.push(sent);
  }
  return {
    isNewSession: false,
    record: null,
    ...more,
    session: after,
    messages: systemMessage ? [systemMessage, message] : [message],
    outboundMessageId: directory.connectedIds.has(session.channelId) && !message.held ? message.id : null,
    reply: null,
    voice,
    events,
  };
}

/** The customer may have written again while the answer was held. */
async function waitingAfter(
  tx: Tx,
  accountId: string,
  { sessionId, waitingSince }: SessionState,
  position: number,
): Promise<number | null> {
  if (waitingSince === null) return null;
  return selectQuestionAfter(tx, accountId, sessionId, { position, at: waitingSince });
}

/** Sends a held reply. */
export async function releaseMessage(
  tx: Tx,
  { actor, now, directory, visible }: ReplyContext,
  sessionId: string,
  messageId: string,
): Promise<StoredMessage> {
  const { accountId } = actor;
  const { state, requireNotBlocked } = await requireOpenSession(tx, actor, visible, sessionId);
  const message = await requireHeld(tx, accountId, sessionId, messageId);
  requireNotBlocked();
  requireEnabled(directory, state.channelId);
  requireWindow(directory, state, 'agent', now);
  await releaseHeld(tx, accountId, messageId, now);
  const channel = directory.channels.get(state.channelId);
  const needsAttention = await stillNeedsAttention(tx, accountId, state, now);
  const after: SessionState = {
    ...state,
    needsAttention,
    waitingSince: await waitingAfter(tx, accountId, state, message.position),
    updatedAt: now,
  };
  if (channel?.webhookUrl) {
    after.eventSequence++;
    const agent = message.agentId === null ? null : (directory.agents.get(message.agentId) ?? null);
    const [current] = await withCurrentAudience(tx, [message], () => accountId);
    const sent = { ...current!, attachments: message.attachments as MessageAttachment[] };
    const event = messageEvent({
      accountId,
      event: 'message_created',
      direction: 'outgoing',
      session: after,
      channel,
      agent,
      message: sent,
      sequence: after.eventSequence,
      now,
    });
    const voice = voiceWork(channel, sent);
    awaitConversion(voice, event);
    await emitFrozen(tx, event);
    // Its audio may have been converted while it was held: then this job only adds the result to the event.
    if (voice?.awaitedEventId) {
      const payload = { sessionId, messageId, awaitedEventId: voice.awaitedEventId };
      await enqueue(tx, { accountId, kind: convertJobKind, payload });
    }
  }
  if (directory.connectedIds.has(state.channelId)) {
    await queueOutbound(tx, accountId, { channelId: state.channelId, sessionId, messageId, now });
  }
  await updateSession(tx, accountId, after);
  return { ...message, held: false, statusReason: null };
}

export async function dropMessage(
  tx: Tx,
  { actor, now, visible }: Omit<ReplyContext, 'directory'>,
  sessionId: string,
  messageId: string,
): Promise<void> {
  const { state } = await requireOpenSession(tx, actor, visible, sessionId);
  await requireHeld(tx, actor.accountId, sessionId, messageId);
  await deleteMessage(tx, actor.accountId, messageId);
  const needsAttention = await stillNeedsAttention(tx, actor.accountId, state, now);
  const after: SessionState = { ...state, needsAttention, updatedAt: now };
  await updateSession(tx, actor.accountId, after);
}

async function requireHeld(tx: Tx, accountId: string, sessionId: string, id: string): Promise<StoredMessage> {
  const message = isId(id) ? await findMessage(tx, accountId, sessionId, id) : null;
  if (!message) throw notFound('message');
  if (!message.held) throw conflict('the message is not held');
  return message;
}
