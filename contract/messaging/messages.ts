import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { pageOf, pageQuery } from '../shapes/paging.ts';
import { choice, nullable } from '../shapes/values.ts';
import { type ConvertedFile, fileProperties, type Transcript } from './attachments.ts';

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

export const AttachmentRef = Type.Object({
  fileKey: Type.String({ minLength: 1, maxLength: 1_024 }),
  ...fileProperties,
});
export type AttachmentRef = Static<typeof AttachmentRef>;
/** As stored in a message: what was sent, and what was derived from it. */
export interface MessageAttachment extends AttachmentRef {
  converted?: ConvertedFile;
  transcript?: Transcript;
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
  inReplyTo: nullable(Type.String()),
  mentions: Type.Optional(Mentions),
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

export const sessionStatuses = ['open', 'snoozed', 'resolved'] as const;
export type SessionStatus = (typeof sessionStatuses)[number];

/** Who changed a conversation. A message of the customer reopens it; the service does when a snooze ends. */
export const SessionChanger = Type.Object({
  type: choice(['user', 'token', 'customer', 'system']),
  id: nullable(Type.String({ description: 'Of the user or the token.' })),
  name: nullable(Type.String()),
});
export type SessionChanger = Static<typeof SessionChanger>;

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

export const Session = Type.Object({
  sessionId: Type.String(),
  sessionName: nullable(Type.String()),
  channelId: Type.String(),
  channelType: Type.String(),
  externalUserId: nullable(Type.String()),
  agentId: Type.String(),
  kanbanId: Type.String(),
  recordId: nullable(Type.String()),
  aiPaused: Type.Boolean(),
  needsAttention: Type.Boolean(),
  unread: Type.Integer(),
  status: choice(sessionStatuses),
  snoozedUntil: nullable(
    Type.Number({ description: 'null: not snoozed, or snoozed until the customer writes.' }),
  ),
  statusChangedAt: nullable(Type.Number()),
  statusChangedBy: nullable(SessionChanger),
  assignedUserId: nullable(Type.String()),
  teamId: nullable(Type.String()),
  lastMessageAt: Type.Number(),
  createdAt: Type.Number(),
  updatedAt: Type.Number(),
});
export type Session = Static<typeof Session>;

export const SessionsQuery = Type.Object({
  channelId: Type.Optional(Type.String()),
  kanbanId: Type.Optional(Type.String()),
  agentId: Type.Optional(Type.String()),
  recordId: Type.Optional(Type.String()),
  aiPaused: Type.Optional(Type.Boolean()),
  needsAttention: Type.Optional(Type.Boolean()),
  unread: Type.Optional(Type.Boolean({ description: 'true: only those with something unread.' })),
  status: Type.Optional(
    Type.String({ description: 'open, snoozed or resolved; several are separated by commas.' }),
  ),
  assignedUserId: Type.Optional(
    Type.String({ description: "A user's id, `me`, or `none` for conversations that nobody owns." }),
  ),
  teamId: Type.Optional(Type.String({ description: "A team's id, or `none`." })),
  q: Type.Optional(
    Type.String({
      description:
        'Words of the name, the customer or the id, each in part and in any order; phone numbers in any notation.',
    }),
  ),
  ...pageQuery(limits.listPage),
});
export type SessionsQuery = Static<typeof SessionsQuery>;
export const SessionCounts = Type.Object(
  {
    all: Type.Integer(),
    mine: Type.Integer({ description: 'Owned by the caller, or by the user that the token belongs to.' }),
    unassigned: Type.Integer({ description: 'Without an owner.' }),
    snoozed: Type.Integer({ description: 'Snoozed conversations; the other counts are of open ones.' }),
    teams: Type.Array(Type.Object({ teamId: Type.String(), count: Type.Integer() }), {
      description: 'Teams without an open conversation are left out.',
    }),
  },
  { description: 'Of the conversations that the caller may see.' },
);
export type SessionCounts = Static<typeof SessionCounts>;

export const SessionUpdate = Type.Object({
  sessionName: Type.Optional(Id),
  needsAttention: Type.Optional(
    Type.Boolean({
      description:
        'false has no effect while a held reply waits: release or drop it. The response is then true.',
    }),
  ),
  unread: Type.Optional(Type.Literal(0, { description: '0 marks the conversation as read.' })),
  status: Type.Optional(
    Type.Unsafe<SessionStatus>({
      type: 'string',
      enum: [...sessionStatuses],
      description:
        'resolved also marks the conversation as read and handled. A message of the customer opens it again.',
    }),
  ),
  snoozedUntil: Type.Optional(
    nullable(
      Type.Integer({
        minimum: 0,
        maximum: 8_640_000_000_000_000,
        description:
          'With status snoozed: opens again at this time, in milliseconds. null or absent: when the customer writes.',
      }),
    ),
  ),
  assignedUserId: Type.Optional(
    nullable(
      Type.String({
        description: 'A user who may see the board. null: nobody owns it. The new owner is notified.',
      }),
    ),
  ),
  teamId: Type.Optional(nullable(Type.String())),
});
export type SessionUpdate = Static<typeof SessionUpdate>;

export const TransferBody = Type.Object({
  agentId: Type.Optional(
    Type.String({ description: 'When omitted with a board, the channel’s default agent.' }),
  ),
  kanbanId: Type.Optional(
    Type.String({ description: 'When omitted, the agent’s board on this channel, or the current board.' }),
  ),
});
export type TransferBody = Static<typeof TransferBody>;

export const AiPausedBody = Type.Object({ aiPaused: Type.Boolean() });
export const AiPausedAnswer = Type.Object({
  sessionId: Type.String(),
  aiPaused: Type.Boolean(),
  message: Type.String(),
});

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
  mentionedUserIds: Type.Optional(MentionedUserIds),
  pauseAi: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'For a reply: also pauses the AI, as PATCH /sessions/{sessionId}/ai-paused does. Nothing is emitted if it is already paused.',
    }),
  ),
});
export type AgentMessageBody = Static<typeof AgentMessageBody>;
const SentMessage = Type.Object({
  id: Type.String(),
  role: Type.String(),
  content: Type.String(),
  timestamp: Type.Number(),
  attachments: Type.Array(Type.Unknown()),
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
  attachments: Type.Optional(
    Type.Array(AttachmentRef, { description: 'Omitted if there are none. Never sent to the customer.' }),
  ),
  mentions: Type.Optional(Mentions),
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

export const BlockBody = Type.Object({
  identifierType: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  reason: Type.Optional(Type.String({ maxLength: limits.descriptionLength })),
});
export const BlockedContact = Type.Object({
  identifierValue: Type.String(),
  identifierType: Type.String(),
  reason: Type.String(),
  createdAt: Type.Number(),
  createdBy: Type.String(),
  droppedCount: Type.Integer(),
  lastDroppedAt: nullable(Type.Number()),
});
export type BlockedContact = Static<typeof BlockedContact>;
export const BlockAnswer = Type.Object({
  identifierValue: Type.String(),
  identifierType: Type.String(),
  reason: Type.String(),
  createdAt: Type.Number(),
  createdBy: Type.String(),
  alreadyBlocked: Type.Boolean(),
});
export const UnblockAnswer = Type.Object({
  identifierValue: Type.String(),
  unblocked: Type.Boolean(),
  message: Type.String(),
});

const replyOutcomes = ['sent', 'held', 'suppressed', 'failed', 'merged'] as const;
export const LoggedReply = Type.Object({
  id: Type.String(),
  messageId: Type.String({ description: 'The message that asked for a reply.' }),
  replyId: nullable(Type.String()),
  agentId: nullable(Type.String()),
  outcome: choice(replyOutcomes),
  reason: nullable(Type.String()),
  provider: nullable(Type.String()),
  model: nullable(Type.String()),
  inputTokens: nullable(Type.Integer()),
  outputTokens: nullable(Type.Integer()),
  latencyMs: nullable(Type.Integer()),
  createdAt: Type.Number(),
});
export type LoggedReply = Static<typeof LoggedReply>;
