/** The message webhook's events: to the channel's own endpoint, in the order of the conversation. */
import type { Channel } from '../../../contract/channels.ts';
import type { Direction, Message } from '../../../contract/messaging/messages.ts';
import { type FrozenEvent, freeze } from '../../platform/events/outbox.ts';
import { publicCitations } from '../knowledge/knowledge.ts';
import type { SessionState } from '../sessions/sessions.ts';
import type { NewMessage } from './messages.sql.ts';

export interface MessageEventInput {
  accountId: string;
  event: 'message_created' | 'message_transcribed' | 'message_converted' | 'message_updated';
  direction: Direction;
  session: SessionState;
  channel: Channel;
  agent: { id: string; name: string } | null;
  message: Pick<
    NewMessage,
    | 'id'
    | 'role'
    | 'content'
    | 'timestamp'
    | 'attachments'
    | 'inReplyTo'
    | 'replyToMessageId'
    | 'data'
    | 'citations'
    | 'author'
  >;
  /** Only in message_updated. */
  changed?: Pick<Message, 'providerMsgId' | 'status' | 'statusReason' | 'editedAt' | 'deletedAt'>;
  sequence: number;
  now: number;
}

export function messageEvent(input: MessageEventInput): FrozenEvent {
  const { session, channel, message, direction, changed } = input;
  const { id, role, content, timestamp, author, attachments = [] } = message;
  const { inReplyTo = null, replyToMessageId = null, data = null, citations = [] } = message;
  return freeze({
    event: input.event,
    accountId: input.accountId,
    subjectId: session.sessionId,
    sequence: input.sequence,
    kanbanId: session.kanbanId,
    fieldId: null,
    topLevel: { direction, externalUserId: session.externalUserId, sessionId: session.sessionId },
    data: {
      message: {
        id,
        role,
        content,
        timestamp,
        attachments,
        inReplyTo,
        replyToMessageId,
        data,
        ...(author && { author }),
        ...(role === 'assistant' && { citations: publicCitations(citations) }),
        ...changed,
      },
      channel: { id: channel.id, identifier: channel.identifier, type: channel.type, name: channel.name },
      agent: input.agent && { id: input.agent.id, name: input.agent.name },
    },
    timestamp: input.now,
    endpointId: channel.id,
    orderKey: session.sessionId,
  });
}

/** Whether the customer's own message goes to the channel's webhook, and as what. */
export function forwardedAs(channel: Channel, isEcho: boolean): Direction | null {
  if (!channel.webhookUrl || !channel.forwardIncoming) return null;
  if (!isEcho) return 'incoming';
  return channel.type === 'chatapp_no' ? 'echo' : null;
}
