import type { Static } from 'typebox';
import { Citation } from '../knowledge.ts';
import { limits } from '../limits.ts';
import { pageOf, pageQuery } from '../shapes/paging.ts';
import { Type } from '../shapes/type.ts';
import { ClientId, choice, EchoedClientId, nullable } from '../shapes/values.ts';
import { type ConvertedFile, fileProperties, type Transcript } from './attachments.ts';
import { MailInput } from './mail.ts';
import { sendLater } from './scheduled.ts';

export const messageRoles = ['user', 'assistant', 'operator', 'system'] as const;
export const messageStatuses = ['sent', 'delivered', 'read', 'failed'] as const;
export type MessageStatus = (typeof messageStatuses)[number];
const reactionActions = ['add', 'remove', 'upsert'] as const;
export const directions = ['incoming', 'outgoing', 'echo'] as const;
export type Direction = (typeof directions)[number];

const idLimits = { minLength: 1, maxLength: limits.nameLength };
const Id = Type.String(idLimits);
const Content = Type.String({ maxLength: limits.messageLength, examples: ['Hello'] });
const ProviderMsgId = Type.String({ minLength: 1, maxLength: limits.nameLength });

const ReplyToMessageId = nullable(
  Type.String({ description: 'The message of the same conversation that this one quotes.' }),
);

export const AttachmentRef = Type.Object({
  fileKey: Type.String({ minLength: 1, maxLength: 1_024 }),
  ...fileProperties,
});
export type AttachmentRef = Static<typeof AttachmentRef>;
/** As stored in a message: what was sent, and what was derived from it. */
export interface MessageAttachment extends AttachmentRef {
  converted?: ConvertedFile;
  transcript?: Transcript;
  /** The account does not keep files any longer. */
  removedAt?: number;
}
const Attachments = Type.Array(AttachmentRef, { maxItems: limits.attachmentsPerMessage });

export const MessageSend = Type.Object({
  content: Type.Optional(Content),
  fromChannelIdentifier: Type.String({ ...idLimits, examples: ['api'] }),
  channelType: Type.Optional(Type.String()),
  sessionId: Type.Optional(Id),
  sessionName: Type.Optional(Id),
  externalUserId: Type.Optional(Id),
  attachments: Type.Optional(Attachments),
  isEcho: Type.Optional(Type.Boolean()),
  agentId: Type.Optional(Type.String()),
  kanbanId: Type.Optional(Type.String()),
  replyToMessageId: Type.Optional(ReplyToMessageId),
});
export type MessageSend = Static<typeof MessageSend>;

export const MessageAccepted = Type.Object({
  sessionId: Type.String(),
  isNewSession: Type.Boolean(),
  userMessage: Type.Object({
    id: Type.String(),
    role: Type.String(),
    content: Type.String(),
    timestamp: Type.Number(),
  }),
  message: Type.String(),
});
export type MessageAccepted = Static<typeof MessageAccepted>;

export const Operator = Type.Object({ id: Type.String(), name: Type.String() });

/** Of a message that no person wrote in person. */
export const MessageAuthor = Type.Object({
  type: choice(['rule']),
  id: Type.String(),
  name: Type.String({ description: 'As it was called then.' }),
});
export type MessageAuthor = Static<typeof MessageAuthor>;

const Mention = Type.Object({
  ...Operator.properties,
  addedBy: Type.Optional({
    ...Operator,
    description: 'Who added the mention, if not the author of the note.',
  }),
});
const Mentions = Type.Array(Mention, {
  description:
    'For a note: the mentioned colleagues, with their names as in the text. Omitted if there are none.',
});
const MentionedUserIds = Type.Array(Type.String(), {
  maxItems: limits.mentionsPerNote,
  description: 'For a note: colleagues who may see the board. Each is notified once.',
});

export const Message = Type.Object({
  id: Type.String(),
  role: choice(messageRoles),
  content: Type.String(),
  timestamp: Type.Number(),
  isNote: Type.Boolean(),
  isNoteVisibleToAi: Type.Boolean(),
  isEcho: Type.Boolean(),
  held: Type.Boolean({ description: 'Not sent yet: an operator releases or drops it.' }),
  providerMsgId: nullable(Type.String()),
  status: nullable(choice(messageStatuses)),
  reactions: Type.Array(Type.String()),
  attachments: Type.Array(Type.Unknown()),
  agentId: nullable(Type.String()),
  operator: Type.Unsafe<Static<typeof Operator> | null>({ ...Operator, type: ['object', 'null'] }),
  author: Type.Optional({
    ...MessageAuthor,
    description: 'The rule that wrote it; `operator` is null then. Omitted if a person did.',
  }),
  inReplyTo: nullable(Type.String()),
  replyToMessageId: nullable(Type.String({ description: 'The message that this one quotes.' })),
  statusReason: nullable(
    Type.String({ description: 'Why it failed, or why it is held, as a sentence for a person.' }),
  ),
  editedAt: nullable(Type.Number({ description: 'When the customer edited it; content is the new text.' })),
  deletedAt: nullable(
    Type.Number({
      description:
        'When it was deleted: by the customer, then content is kept; or by an administrator, then it is empty.',
    }),
  ),
  data: Type.Unsafe<Record<string, unknown> | null>({
    type: ['object', 'null'],
    additionalProperties: true,
    description:
      'What has no field of its own, such as `providerPayload`: a location, a contact or a poll as the provider sent it; `mail`: subject and addresses of an e-mail; `referral`: the advertisement or link that led the customer here.',
  }),
  citations: Type.Optional(
    Type.Array(Citation, {
      description:
        'Of a reply by an agent: what it is based on. Those of internal documents only with `knowledge.view`.',
    }),
  ),
  mentions: Type.Optional(Mentions),
  clientId: EchoedClientId,
});
export type Message = Static<typeof Message>;

export const MessagesQuery = Type.Object({
  order: Type.Optional(choice(['asc', 'desc'])),
  around: Type.Optional(
    Type.String({
      description: 'The id of a message: the page that has it in its middle. Not with nextToken.',
    }),
  ),
  ...pageQuery(limits.listPage),
});

export const MessagesPage = Type.Object({
  ...pageOf(Message).properties,
  previousToken: Type.Optional(
    nullable(
      Type.String({
        description:
          'Only with around: the page before this one, as nextToken of a request in the opposite order. null: there is none.',
      }),
    ),
  ),
});
export type MessagesPage = Static<typeof MessagesPage>;

export const LinkBody = Type.Object({
  providerMsgId: ProviderMsgId,
  setStatusToSent: Type.Optional(Type.Boolean()),
});
export const StatusBody = Type.Object({ providerMsgId: ProviderMsgId, status: choice(messageStatuses) });
export const ReactionBody = Type.Object({
  providerMsgId: ProviderMsgId,
  action: choice(reactionActions),
  emoji: Type.Optional(
    nullable(
      Type.String({
        maxLength: 64,
        description: 'Omitted, null or empty: none. upsert without an emoji clears all reactions.',
        examples: ['👍'],
      }),
    ),
  ),
});
export const MessageReactionBody = Type.Object({
  action: choice(['add', 'remove']),
  emoji: Type.String({ minLength: 1, maxLength: 64, examples: ['👍'] }),
});
export const ReceiptAnswer = Type.Object({
  messageId: nullable(Type.String()),
  providerMsgId: nullable(Type.String()),
  status: nullable(Type.String()),
  reactions: Type.Array(Type.String()),
  applied: Type.Boolean(),
  message: Type.String(),
});
export type ReceiptAnswer = Static<typeof ReceiptAnswer>;

export const AgentMessageBody = Type.Object({
  content: Type.Optional(Content),
  attachments: Type.Optional(Attachments),
  isNote: Type.Optional(Type.Boolean({ examples: [true] })),
  isNoteVisibleToAi: Type.Optional(Type.Boolean()),
  replyToMessageId: Type.Optional(ReplyToMessageId),
  mentionedUserIds: Type.Optional(MentionedUserIds),
  mail: Type.Optional(MailInput),
  pauseAi: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'For a reply: also pauses the AI, as PATCH /sessions/{sessionId}/ai-paused does. Nothing is emitted if it is already paused.',
    }),
  ),
  clientId: Type.Optional(ClientId),
  ...sendLater,
});
export type AgentMessageBody = Static<typeof AgentMessageBody>;
const SentMessage = Type.Object({
  id: Type.String(),
  role: Type.String(),
  content: Type.String(),
  timestamp: Type.Number(),
  attachments: Type.Array(Type.Unknown()),
  clientId: EchoedClientId,
});
export const OperatorReply = Type.Object({ sessionId: Type.String(), message: SentMessage });

export const ConversationStart = Type.Object({
  externalUserId: Type.Optional(
    Type.String({
      ...idLimits,
      description:
        'How the channel reaches the customer, such as a phone number. A conversation with this customer on this channel is continued.',
      examples: ['+442079460958'],
    }),
  ),
  sessionId: Type.Optional(
    Type.String({
      ...idLimits,
      description: 'Your own id for the conversation; an existing one is continued.',
    }),
  ),
  sessionName: Type.Optional(Type.String({ ...idLimits, description: 'Names a new conversation.' })),
  recordId: Type.Optional(
    Type.String({
      description:
        'The card of a new conversation, instead of a new card. Its board becomes the conversation’s.',
    }),
  ),
  kanbanId: Type.Optional(Type.String({ description: 'The board of a new conversation.' })),
  agentId: Type.Optional(
    Type.String({ description: 'The agent of a new conversation. Default: the channel’s.' }),
  ),
  content: Type.Optional(Content),
  attachments: Type.Optional(Attachments),
  pauseAi: Type.Optional(Type.Boolean({ default: false, description: 'Also pauses the AI.' })),
  clientId: Type.Optional(ClientId),
});
export type ConversationStart = Static<typeof ConversationStart>;
export const ConversationStarted = Type.Object({
  sessionId: Type.String(),
  isNewSession: Type.Boolean({ description: 'false: an existing conversation was continued.' }),
  message: SentMessage,
});
export const Note = Type.Object({
  messageId: Type.String(),
  sessionId: Type.String(),
  channelId: Type.String(),
  content: Type.String(),
  isNote: Type.Boolean(),
  isNoteVisibleToAi: Type.Boolean(),
  operator: Operator,
  author: Type.Optional({
    ...MessageAuthor,
    description: 'The rule that wrote it; `operator` names it too. Omitted if a person did.',
  }),
  attachments: Type.Optional(
    Type.Array(AttachmentRef, { description: 'Omitted if there are none. Never sent to the customer.' }),
  ),
  mentions: Type.Optional(Mentions),
  clientId: EchoedClientId,
  createdAt: Type.Number(),
  updatedAt: Type.Number(),
});
export type Note = Static<typeof Note>;
export const NoteUpdate = Type.Object({
  content: Type.Optional(Content),
  isNoteVisibleToAi: Type.Optional(Type.Boolean()),
  mentionedUserIds: Type.Optional(MentionedUserIds),
});
export type NoteUpdate = Static<typeof NoteUpdate>;

export const handoverReasons = ['requested', 'no_knowledge', 'limit'] as const;
export type HandoverReason = (typeof handoverReasons)[number];
const replyOutcomes = ['sent', 'held', 'suppressed', 'failed', 'merged'] as const;
export const guardRules = ['note', 'hidden_field', 'blocked_pattern', 'window'] as const;
export type GuardRule = (typeof guardRules)[number];

export const ToolCall = Type.Object({
  name: Type.String(),
  kind: nullable(
    choice(['read', 'write'], { description: 'Whether it changes something. Null: there is no such tool.' }),
  ),
  arguments: Type.Unknown({ description: 'As the model gave them; their JSON, shortened, beyond 4 KB.' }),
  result: nullable(Type.String({ description: 'What the model read, shortened to 4 KB.' })),
  ms: Type.Integer(),
  error: nullable(Type.String({ description: 'Why the call was refused.' })),
});
export type ToolCall = Static<typeof ToolCall>;

export const LoggedReply = Type.Object({
  id: Type.String(),
  messageId: Type.String({ description: 'The message that asked for a reply.' }),
  replyId: nullable(Type.String()),
  agentId: nullable(Type.String()),
  outcome: choice(replyOutcomes),
  reason: nullable(Type.String()),
  provider: nullable(Type.String()),
  model: nullable(Type.String()),
  agentVersion: nullable(
    Type.Integer({ description: "The version of the agent's settings that the reply was made with." }),
  ),
  inputTokens: nullable(Type.Integer()),
  outputTokens: nullable(Type.Integer()),
  latencyMs: nullable(Type.Integer()),
  cost: Type.Unsafe<{ amount: number; currency: 'USD' } | null>({
    ...Type.Object({ amount: Type.Number(), currency: choice(['USD']) }),
    type: ['object', 'null'],
    description:
      "By the agent's own `price`, or by the model's public price when the reply was made. Null if neither is known.",
  }),
  retrieved: Type.Array(Citation, {
    description:
      'The passages that the agent was given; those of its own `knowledge` with an empty `excerpt`.',
  }),
  citations: Type.Array(Citation, { description: 'Those that the reply is based on.' }),
  toolCalls: Type.Array(ToolCall, { description: 'In their order.' }),
  guard: Type.Array(Type.Object({ rule: choice(guardRules), held: Type.Boolean() }), {
    description:
      'Which rules looked at the reply, and which of them held it: `note`: it repeats a note; `hidden_field`: it repeats the value of a field that is hidden from the AI; `blocked_pattern`: it says what the agent must never say; `window`: the channel took no free text any more. Empty if nothing was to be sent.',
  }),
  handover: Type.Unsafe<{ reason: HandoverReason } | null>({
    ...Type.Object({ reason: choice(handoverReasons) }),
    type: ['object', 'null'],
    description:
      'Why a person was asked for: `requested` by the customer or the agent; `no_knowledge`: the agent answers from knowledge only and its reply cited none; `limit`: the AI may not answer more.',
  }),
  createdAt: Type.Number(),
});
export type LoggedReply = Static<typeof LoggedReply>;
export const LoggedRepliesQuery = Type.Object({
  ...pageQuery(limits.listPage),
  replyId: Type.Optional(Type.String({ description: 'Only of this message of the agent.' })),
});
