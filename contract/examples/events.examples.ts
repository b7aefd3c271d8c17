/**
 * One body of each event, as sent: for the guide, for the OpenAPI document, and checked against the schemas by a
 * test.
 */
import type { EventName } from '../events.ts';

const accountId = '01993b2e-7c00-7000-8000-000000000001';
const kanbanId = '01993b2e-7c00-7000-8000-0000000000a1';
const recordId = '01993b2f-10a4-7000-8000-0000000000c1';
const userId = '01993b2e-7c00-7000-8000-0000000000b1';
const channelId = '01993b2e-7c00-7000-8000-0000000000d1';
const sessionId = 'customer-4711';
const phone = '01993b2e-7c00-7000-8000-0000000000f1';

const record = {
  recordId,
  accountId,
  kanbanId,
  title: 'Ada Lovelace',
  status: 'qualified',
  customFields: { [phone]: '+44 20 7946 0000' },
  assignedUserIds: [userId],
  labelIds: [],
  channelId: null,
  createdBy: userId,
  updatedBy: userId,
  createdAt: 1794700800000,
  updatedAt: 1794700860000,
  clientId: null,
};

const note = {
  messageId: '01993b30-0000-7000-8000-0000000000e1',
  sessionId,
  channelId,
  content: 'Prefers to be called in the morning.',
  isNoteVisibleToAi: true,
  operator: { id: userId, name: 'Grace' },
};

const task = {
  taskId: '01993b30-3000-7000-8000-0000000000a2',
  recordId,
  kanbanId,
  recordTitle: record.title,
  title: 'Send the offer',
  dueAt: 1794787200000,
  assignedUserId: userId,
  remindAt: 1794783600000,
  doneAt: null,
  doneBy: null,
  createdBy: userId,
  updatedBy: userId,
  createdAt: 1794700800000,
  updatedAt: 1794700800000,
  clientId: null,
};
const comment = {
  commentId: '01993b30-4000-7000-8000-0000000000a3',
  recordId,
  kanbanId,
  content: '@Grace the offer is ready.',
  mentions: [{ id: userId, name: 'Grace' }],
  author: { id: '01993b2e-7c00-7000-8000-0000000000b2', name: 'Alan' },
  createdAt: 1794700800000,
  updatedAt: 1794700800000,
  clientId: null,
};

const message = {
  id: '01993b30-2000-7000-8000-0000000000e2',
  role: 'assistant',
  content: 'We open at nine.',
  timestamp: 1794700870000,
  attachments: [],
  inReplyTo: '01993b30-1000-7000-8000-0000000000e3',
  replyToMessageId: null,
  data: null,
};
const reply = {
  ...message,
  citations: [
    {
      documentId: '01993b2e-7c00-7000-8000-0000000000d1',
      version: 3,
      title: 'Opening hours',
      url: null,
      heading: 'Weekdays',
      start: 16,
      end: 55,
      excerpt: '## Weekdays\n\nWe open at nine every day.',
    },
  ],
};
const channel = { id: channelId, identifier: 'api', type: 'api', name: 'API' };
const agent = { id: '01993b2e-7c00-7000-8000-0000000000a9', name: 'Reception' };
const voice = {
  ...message,
  role: 'user',
  content: '',
  attachments: [
    {
      fileKey: 'f_3k9d',
      fileName: 'voice.opus',
      contentType: 'audio/opus',
      size: 18231,
      transcript: { text: 'When do you open?', language: 'en', engine: 'moonshine' },
    },
  ],
  inReplyTo: null,
};
const converted = {
  ...voice,
  attachments: [
    {
      fileKey: 'f_7m2q',
      fileName: 'voice.mp3',
      contentType: 'audio/mpeg',
      size: 48213,
      converted: {
        fileKey: 'f_8n4s',
        contentType: 'audio/ogg; codecs=opus',
        size: 20117,
        downloadUrl: 'https://talkboard.example.com/files/01993b2e-7c00-7000-8000-000000000001/f_8n4s?type=…',
      },
    },
  ],
};

const dueTarget = {
  sessionId,
  channelId,
  policyId: '01993b2e-7c00-7000-8000-0000000000f1',
  kind: 'first_response',
  dueAt: 1_790_000_000_000,
};

const sample = (event: EventName, sequence: number, data: object, topLevel: object = {}) => ({
  id: `01993b31-${String(sequence).padStart(4, '0')}-7000-8000-000000000001`,
  event,
  timestamp: 1794700860000 + sequence,
  accountId,
  sequence,
  ...topLevel,
  data,
});

export const eventExamples: { [name in EventName]: object } = {
  crm_record_created: sample('crm_record_created', 1, {
    record: { ...record, status: 'new', updatedAt: record.createdAt },
  }),
  crm_field_update: sample('crm_field_update', 2, {
    recordId,
    kanbanId,
    fieldId: 'status',
    fieldName: 'status',
    oldValue: 'new',
    newValue: 'qualified',
    changedBy: userId,
    record,
  }),
  crm_record_deleted: sample('crm_record_deleted', 3, { record }),
  task_created: sample('task_created', 11, { task, changedBy: userId }),
  task_updated: sample('task_updated', 12, {
    task: { ...task, doneAt: 1794700872000, doneBy: userId, updatedAt: 1794700872000 },
    changedBy: userId,
  }),
  task_deleted: sample('task_deleted', 13, { task, changedBy: userId }),
  comment_created: sample('comment_created', 14, { comment, changedBy: comment.author.id }),
  comment_updated: sample('comment_updated', 15, {
    comment: { ...comment, content: '@Grace the offer is signed.', updatedAt: 1794700875000 },
    changedBy: comment.author.id,
  }),
  comment_deleted: sample('comment_deleted', 16, { comment, changedBy: comment.author.id }),
  ai_pause: sample('ai_pause', 4, { sessionId, channelId, aiPaused: true, changedBy: userId }),
  session_updated: sample('session_updated', 5, {
    sessionId,
    channelId,
    status: 'resolved',
    snoozedUntil: null,
    assignedUserId: userId,
    teamId: null,
    labelIds: [],
    changes: [{ field: 'status', oldValue: 'open', newValue: 'resolved' }],
    changedBy: userId,
  }),
  session_rated: sample('session_rated', 6, {
    sessionId,
    channelId,
    score: 5,
    comment: 'Quick and friendly.',
    previousScore: null,
    userId,
    resolvedAt: 1_790_000_000_000,
  }),
  sla_warning: sample('sla_warning', 7, { ...dueTarget, dueAt: 1_790_000_900_000 }),
  sla_breached: sample('sla_breached', 8, dueTarget),
  note_created: sample('note_created', 5, note),
  note_updated: sample('note_updated', 6, { ...note, content: 'Prefers to be called after lunch.' }),
  note_deleted: sample('note_deleted', 7, note),
  message_created: sample(
    'message_created',
    8,
    { message: reply, channel, agent },
    { direction: 'outgoing', externalUserId: '+5511999998888', sessionId },
  ),
  message_transcribed: sample(
    'message_transcribed',
    9,
    { message: voice, channel, agent },
    { direction: 'incoming', externalUserId: '+5511999998888', sessionId },
  ),
  message_converted: sample(
    'message_converted',
    10,
    { message: converted, channel: { ...channel, identifier: 'shop', type: 'chatapp', name: 'Shop' }, agent },
    { direction: 'incoming', externalUserId: '+5511999998888', sessionId },
  ),
  message_updated: sample(
    'message_updated',
    11,
    {
      message: {
        ...message,
        providerMsgId: '77:42',
        status: 'delivered',
        statusReason: null,
        editedAt: null,
        deletedAt: null,
      },
      channel,
      agent,
    },
    { direction: 'outgoing', externalUserId: '+5511999998888', sessionId },
  ),
  webhook_test: sample('webhook_test', 1, {
    webhookId: '01993b2e-7c00-7000-8000-0000000000aa',
    sentBy: { id: userId, name: 'Grace' },
  }),
};
