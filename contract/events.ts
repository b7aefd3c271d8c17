/** The name and body of every event. `data` is specific to the event. */
import type { TObject, TSchema } from 'typebox';
import { CrmRecord } from './crm/records.ts';
import { Comment, Task } from './crm/tasks.ts';
import { Citation } from './knowledge.ts';
import { channelTypes } from './limits.ts';
import { MessageAuthor, messageStatuses } from './messaging/messages.ts';
import { sessionStatuses } from './messaging/sessions.ts';
import { slaKinds } from './service-levels.ts';
import { Type } from './shapes/type.ts';
import { choice, nullable } from './shapes/values.ts';

export const crmEvents = ['crm_field_update', 'crm_record_created', 'crm_record_deleted'] as const;
const sessionEvents = [
  'ai_pause',
  'session_updated',
  'session_rated',
  'sla_warning',
  'sla_breached',
  'note_created',
  'note_updated',
  'note_deleted',
] as const;
const taskEvents = ['task_created', 'task_updated', 'task_deleted'] as const;
const commentEvents = ['comment_created', 'comment_updated', 'comment_deleted'] as const;
export const webhookEvents = [...crmEvents, ...taskEvents, ...commentEvents, ...sessionEvents] as const;
export const messageEvents = [
  'message_created',
  'message_transcribed',
  'message_converted',
  'message_updated',
] as const;

export type WebhookEvent = (typeof webhookEvents)[number];
export type EventName = WebhookEvent | (typeof messageEvents)[number] | 'webhook_test';

export interface EventBody {
  id: string;
  event: EventName;
  timestamp: number;
  accountId: string;
  /** Counts from 1 per record (CRM events) or session (all others). */
  sequence: number;
  data: object;
}

const text = (description: string) => Type.String({ description });
const Person = Type.Object({ id: Type.String(), name: Type.String() });
const Value = (description: string) => Type.Unknown({ description });

const ChangedBy = text('The id of the user, token or rule.');

const RecordData = Type.Object({ record: CrmRecord });
const FieldUpdateData = Type.Object({
  recordId: Type.String(),
  kanbanId: Type.String(),
  fieldId: text('The id of the custom field, or `title`, `status`, `assignedUserIds` or `labelIds`.'),
  fieldName: Type.String(),
  oldValue: Value('The previous value; null if it was unset.'),
  newValue: Value('The new value; null if it is unset now.'),
  changedBy: ChangedBy,
  record: CrmRecord,
});
const TaskData = Type.Object({ task: Task, changedBy: ChangedBy });
const CommentData = Type.Object({ comment: Comment, changedBy: ChangedBy });
const AiPauseData = Type.Object({
  sessionId: Type.String(),
  channelId: Type.String(),
  aiPaused: Type.Boolean(),
  changedBy: text('The id of the user, token, rule or agent; `customer` if a visitor asked for a person.'),
});
const SessionUpdatedData = Type.Object({
  sessionId: Type.String(),
  channelId: Type.String(),
  status: choice(sessionStatuses),
  snoozedUntil: nullable(Type.Number()),
  assignedUserId: nullable(Type.String()),
  teamId: nullable(Type.String()),
  labelIds: Type.Array(Type.String()),
  changes: Type.Array(
    Type.Object({
      field: text(
        '`status`, `snoozedUntil`, `assignedUserId`, `teamId` or `labelIds`; `personRequested` if the customer asked for a person.',
      ),
      oldValue: Value('The previous value; null if it was unset.'),
      newValue: Value('The new value; null if it is unset now.'),
    }),
  ),
  changedBy: text(
    'The id of the user, token or rule; `customer` if a message reopened the conversation or the customer asked for a person, `system` if a snooze ended or an owner was chosen automatically.',
  ),
});
const SessionRatedData = Type.Object({
  sessionId: Type.String(),
  channelId: Type.String(),
  score: Type.Integer({ minimum: 1, maximum: 5, description: '1 to 5; 5 is the best.' }),
  comment: nullable(text('What the customer added.')),
  previousScore: nullable(Type.Integer({ description: 'null: this is the first rating of the resolution.' })),
  userId: nullable(text('The owner of the conversation, or without one the user who resolved it.')),
  resolvedAt: Type.Number({ description: 'When the conversation was resolved, in milliseconds.' }),
});
const SlaData = Type.Object({
  sessionId: Type.String(),
  channelId: Type.String(),
  policyId: Type.String(),
  kind: choice(slaKinds),
  dueAt: Type.Number({ description: 'In milliseconds.' }),
});
const NoteData = Type.Object({
  messageId: Type.String(),
  sessionId: Type.String(),
  channelId: Type.String(),
  content: Type.String(),
  isNoteVisibleToAi: Type.Boolean(),
  operator: Person,
  author: Type.Optional({
    ...MessageAuthor,
    description: 'The rule that wrote it. Omitted if a person did.',
  }),
  attachments: Type.Optional(
    Type.Array(
      Type.Object({
        fileKey: text('GET /attachments/{fileKey} returns an address to download it.'),
        fileName: Type.String(),
        contentType: Type.String(),
        size: Type.Integer(),
      }),
      { description: "The note's files. Omitted if there are none." },
    ),
  ),
});
const SentFile = Type.Object({
  fileKey: text('GET /attachments/{fileKey} returns an address to download it.'),
  fileName: Type.String(),
  contentType: Type.String(),
  size: Type.Integer(),
  converted: Type.Optional(
    Type.Object(
      {
        fileKey: Type.String(),
        contentType: Type.String(),
        size: Type.Integer(),
        downloadUrl: text(
          'The converted file, without a token. Valid for 1 hour; after that, GET /attachments/{fileKey} returns a new one.',
        ),
      },
      { description: 'Audio on a chat-app channel, as Ogg Opus: forward this file.' },
    ),
  ),
  transcript: Type.Optional(
    Type.Object(
      {
        text: Type.Optional(Type.String()),
        language: Type.Optional(Type.String()),
        engine: Type.Optional(Type.String()),
        error: Type.Optional(Type.String()),
      },
      { description: 'The recognised text, or the reason why there is none.' },
    ),
  ),
});
const messageFields = {
  id: Type.String(),
  role: choice(['user', 'assistant', 'operator', 'system']),
  content: Type.String(),
  timestamp: Type.Number(),
  attachments: Type.Array(SentFile),
  inReplyTo: nullable(text('The id of the message that this one answers.')),
  replyToMessageId: nullable(text('The id of the message that this one quotes.')),
  data: Type.Unsafe<Record<string, unknown> | null>({
    type: ['object', 'null'],
    additionalProperties: true,
    description: 'What has no field of its own, such as `providerPayload`.',
  }),
  author: Type.Optional({
    ...MessageAuthor,
    description: 'The rule that wrote it, with the role `operator`. Omitted if a person did.',
  }),
  citations: Type.Optional(
    Type.Array(Citation, {
      description: 'Of a reply by an agent: what it is based on. Never of internal documents.',
    }),
  ),
};
const messagePlace = {
  channel: Type.Object({
    id: Type.String(),
    identifier: Type.String(),
    type: choice(channelTypes),
    name: Type.String(),
  }),
  agent: nullable(Person),
};
const MessageData = Type.Object({ message: Type.Object(messageFields), ...messagePlace });
const MessageUpdatedData = Type.Object({
  message: Type.Object({
    ...messageFields,
    providerMsgId: nullable(Type.String()),
    status: nullable(choice(messageStatuses)),
    statusReason: nullable(text('Why it failed, as a sentence for a person.')),
    editedAt: nullable(Type.Number({ description: 'When the customer edited it.' })),
    deletedAt: nullable(
      Type.Number({
        description:
          'When it was deleted: by the customer, then `content` is kept; or by an administrator, then it is empty.',
      }),
    ),
  }),
  ...messagePlace,
});
const TestData = Type.Object({ webhookId: Type.String(), sentBy: Person });

/** In addition to the envelope, in message webhooks. */
const messageTopLevel = {
  direction: choice(['incoming', 'outgoing', 'echo']),
  externalUserId: nullable(text('The customer, for example a phone number.')),
  sessionId: Type.String(),
};

export interface EventType {
  when: string;
  /** What its `sequence` counts. */
  counts: 'record' | 'session' | 'nothing';
  topLevel?: { [name: string]: TSchema };
  data: TObject;
}

export const eventTypes: { [name in EventName]: EventType } = {
  crm_record_created: { when: 'A record was created.', counts: 'record', data: RecordData },
  crm_field_update: {
    when: 'A field of a record changed: one event for each, with the record after the change. Deleting a field emits one for each record that had a value, with `newValue` null, in batches after the response.',
    counts: 'record',
    data: FieldUpdateData,
  },
  crm_record_deleted: {
    when: 'A record was deleted. `record` is its last state.',
    counts: 'record',
    data: RecordData,
  },
  task_created: { when: 'A task was added to a record.', counts: 'record', data: TaskData },
  task_updated: {
    when: 'A task was changed, completed or reopened. `task` is its state after the change.',
    counts: 'record',
    data: TaskData,
  },
  task_deleted: {
    when: 'A task was deleted. `task` is its last state. Deleting a record deletes its tasks and comments with `crm_record_deleted` only.',
    counts: 'record',
    data: TaskData,
  },
  comment_created: { when: 'Someone commented on a record.', counts: 'record', data: CommentData },
  comment_updated: { when: 'A comment was edited.', counts: 'record', data: CommentData },
  comment_deleted: {
    when: 'A comment was deleted. `comment` is its last state.',
    counts: 'record',
    data: CommentData,
  },
  ai_pause: {
    when: 'The AI was paused in a conversation, or resumed.',
    counts: 'session',
    data: AiPauseData,
  },
  session_updated: {
    when: 'The status, the owner or the labels of a conversation changed. One event holds all changes of one request. A macro run emits one event for each step that changes the conversation.',
    counts: 'session',
    data: SessionUpdatedData,
  },
  session_rated: {
    when: 'A customer rated a resolved conversation in the widget, or changed the rating.',
    counts: 'session',
    data: SessionRatedData,
  },
  sla_warning: {
    when: 'A target of a service level is due soon: `warnBeforeMinutes` before it, in opening hours. Once for each target.',
    counts: 'session',
    data: SlaData,
  },
  sla_breached: {
    when: 'A target of a service level was not met in time. Once for each target, within 5 seconds.',
    counts: 'session',
    data: SlaData,
  },
  note_created: { when: 'An operator wrote a note.', counts: 'session', data: NoteData },
  note_updated: { when: "A note's content was edited.", counts: 'session', data: NoteData },
  note_deleted: { when: 'A note was deleted.', counts: 'session', data: NoteData },
  message_created: {
    when: "A message of a conversation. It is sent to the channel's webhookUrl, not to the webhooks here. Audio on a chat-app channel is converted first: the event waits for the conversion, at most 30 seconds, and later messages of the conversation wait behind it.",
    counts: 'session',
    topLevel: messageTopLevel,
    data: MessageData,
  },
  message_transcribed: {
    when: 'The transcript of a voice message is ready. The message was sent before.',
    counts: 'session',
    topLevel: messageTopLevel,
    data: MessageData,
  },
  message_converted: {
    when: 'Audio of a message was converted after its message_created had been sent without it: the conversion took longer than 30 seconds.',
    counts: 'session',
    topLevel: messageTopLevel,
    data: MessageData,
  },
  message_updated: {
    when: "The text, `editedAt`, `deletedAt` or `status` of a message changed. `message` is its state after the change. It is sent to the channel's webhookUrl if `settings.forwardUpdates` of the channel is true.",
    counts: 'session',
    topLevel: messageTopLevel,
    data: MessageUpdatedData,
  },
  webhook_test: {
    when: 'POST /webhooks/{id}/test was called. Its sequence is always 1.',
    counts: 'nothing',
    data: TestData,
  },
};

export function eventBodySchema(name: EventName): TObject {
  const { topLevel = {}, data } = eventTypes[name];
  return Type.Object({
    id: text('The same in every attempt and replay; also the header `webhook-id`.'),
    event: Type.Literal(name),
    timestamp: Type.Number({ description: 'When it happened, in milliseconds.' }),
    accountId: Type.String(),
    sequence: Type.Integer({ minimum: 1, description: 'Counts from 1 per record or per session.' }),
    ...topLevel,
    data,
  });
}
