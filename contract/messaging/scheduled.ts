/** Messages of people that are sent later. */
import type { Static } from 'typebox';
import { limits } from '../limits.ts';
import { pageOf } from '../shapes/paging.ts';
import { Type } from '../shapes/type.ts';
import { nullable } from '../shapes/values.ts';
import { MailInput } from './mail.ts';

const SendAt = Type.Integer({
  minimum: 0,
  maximum: limits.latestTime,
  description: 'When it is sent, in Unix epoch milliseconds: in the future, at most a year ahead.',
});
const CancelOnReply = Type.Boolean({
  description: 'A message of the customer that comes before sendAt cancels it.',
});

/** The first line of the system message that says so; the text that was to be sent follows. */
export const cancelledLine = 'Scheduled message cancelled: the customer wrote first.';

/** Of a reply or a template. */
export const sendLater = {
  sendAt: Type.Optional(SendAt),
  cancelOnReply: Type.Optional({ ...CancelOnReply, default: false }),
};

export const ScheduledMessage = Type.Object({
  id: Type.String(),
  sessionId: Type.String(),
  sendAt: Type.Number({ description: 'Unix epoch milliseconds.' }),
  content: Type.String(),
  attachments: Type.Array(Type.Unknown()),
  template: Type.Unsafe<{ name: string; language: string; parameters: readonly string[] } | null>({
    type: ['object', 'null'],
    additionalProperties: true,
    description: 'Name, language and parameters of a template; null: free text.',
  }),
  mail: Type.Unsafe<MailInput | null>({
    ...MailInput,
    // Without a type: the serialiser would turn a list into a text.
    properties: { ...MailInput.properties, to: { description: 'As it was sent: one address or a list.' } },
    type: ['object', 'null'],
    description: 'Recipients, copies and subject of a reply by e-mail; null: those of the thread.',
  }),
  replyToMessageId: nullable(Type.String({ description: 'The message that it quotes.' })),
  cancelOnReply: Type.Boolean(),
  pauseAi: Type.Boolean({ description: 'Pauses the AI when it is sent.' }),
  author: Type.Object(
    { id: Type.String(), name: Type.String() },
    { description: 'It is sent in their name: who scheduled it, or who changed it last.' },
  ),
  scheduledBy: nullable(
    Type.Object(
      { id: Type.String(), name: Type.String() },
      { description: 'Who scheduled it, if somebody else is its author now; otherwise null.' },
    ),
  ),
  createdAt: Type.Number(),
  updatedAt: Type.Number(),
});
export type ScheduledMessage = Static<typeof ScheduledMessage>;
export const ScheduledMessagesPage = pageOf(ScheduledMessage);

/** The response to a reply or a template with `sendAt`. */
export const ScheduledReply = Type.Object({
  sessionId: Type.String(),
  scheduledMessage: ScheduledMessage,
});
export type ScheduledReply = Static<typeof ScheduledReply>;

export const ScheduledMessageUpdate = Type.Object({
  content: Type.Optional(
    Type.String({ maxLength: limits.messageLength, description: 'Not of a template.', examples: ['Hello'] }),
  ),
  sendAt: Type.Optional(SendAt),
  cancelOnReply: Type.Optional(CancelOnReply),
});
export type ScheduledMessageUpdate = Static<typeof ScheduledMessageUpdate>;
