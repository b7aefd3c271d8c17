/** POST /messages: a customer's message comes in. Errors are looked for in the order that the contract gives. */

import type { Channel } from '../../../contract/channels.ts';
import { channelTypes } from '../../../contract/limits.ts';
import type { MessageAccepted, MessageSend } from '../../../contract/messages.ts';
import type { Tx } from '../../platform/db.ts';
import { badRequest, conflict, notFound } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { attachFiles, checkFiles } from '../attachments/attachments.ts';
import { findChannel } from '../channels/channels.ts';
import { maySee } from '../kanbans/kanbans.ts';
import { openSession, resolveTarget, type SessionState, type Target } from '../sessions/sessions.ts';
import { commitConversation } from './messages.commit.sql.ts';
import { forwardedAs, messageEvent } from './messages.events.ts';
import type { NewMessage } from './messages.sql.ts';
import { type MoveContext, moveSession } from './messages.transfer.ts';
import { voiceWork } from './messages.voice.ts';

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

export async function sendMessage(
  tx: Tx,
  context: MoveContext,
  input: MessageSend,
): Promise<MessageAccepted> {
  const { actor, definitions, directory } = context;
  const { accountId } = actor;
  const channel = findChannel(directory, input.fromChannelIdentifier, input.channelType ?? 'api');
  if (!channel) throw notFound('channel');
  const sessionId = input.sessionId ?? newId(context.now);
  const opened = await openSession(tx, accountId, sessionId, input.externalUserId ?? null);
  opened.requireNotBlocked();
  const before = opened.state;
  // The moment was taken before the lock: whoever waited must not stand in the chat with an earlier time.
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
  const { messages, events, record } = await moveSession(
    tx,
    { ...context, now },
    { before, session, channel, target },
  );

  const isEcho = input.isEcho === true;
  const userMessage: NewMessage = {
    id: newId(now),
    position: ++session.messageCount,
    role: 'user',
    content: input.content ?? '',
    timestamp: now,
    isEcho,
    attachments: await attachFiles(tx, accountId, input.attachments, now),
  };
  messages.push(userMessage);
  session.lastMessageAt = now;
  session.updatedAt = now;
  if (!isEcho) session.unread++;
  const direction = forwardedAs(channel, isEcho);
  const agent = directory.agents.get(session.agentId)!;
  if (direction) {
    const sequence = ++session.eventSequence;
    events.push(
      messageEvent({
        accountId,
        event: 'message_created',
        direction,
        session,
        channel,
        agent,
        message: userMessage,
        sequence,
        now,
      }),
    );
  }
  const answers = !isEcho && !session.aiPaused;
  await commitConversation(tx, accountId, {
    session,
    isNewSession: before === null,
    messages,
    record,
    reply: answers
      ? {
          messageId: userMessage.id,
          position: userMessage.position,
          agentId: agent.id,
          delayMs: agent.batchWindowMs,
        }
      : null,
    voice: voiceWork(channel, userMessage),
    events,
    definitionsVersion: definitions.version,
  });
  const { id, role, content, timestamp } = userMessage;
  return {
    sessionId,
    isNewSession: before === null,
    userMessage: { id, role, content, timestamp },
    message: isEcho ? 'message stored' : answers ? 'message accepted' : 'message stored; the AI is paused',
  };
}

function newSession(
  sessionId: string,
  channel: Channel,
  target: Target,
  contactKey: string,
  input: MessageSend,
  now: number,
): SessionState {
  return {
    sessionId,
    sessionName: input.sessionName ?? null,
    channelId: channel.id,
    externalUserId: input.externalUserId ?? null,
    contactKey,
    agentId: target.agentId,
    kanbanId: target.kanban.id,
    recordId: null,
    aiPaused: false,
    needsAttention: false,
    unread: 0,
    lastMessageAt: now,
    createdAt: now,
    updatedAt: now,
    messageCount: 0,
    eventSequence: 0,
  };
}
