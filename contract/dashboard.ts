/** What the dashboard reads and stores beyond the API of boards, records and conversations. */
import type { Static } from 'typebox';
import { CrmRecord } from './crm/records.ts';
import { OpenTasks } from './crm/tasks.ts';
import { limits } from './limits.ts';
import { messageRoles } from './messaging/messages.ts';
import { Session } from './messaging/sessions.ts';
import { filterQuery } from './shapes/filter-query.ts';
import { pageQuery } from './shapes/paging.ts';
import { Type } from './shapes/type.ts';
import { choice, nullable } from './shapes/values.ts';

const Name = Type.String({ minLength: 1, maxLength: limits.nameLength });

export const InboxCounts = Type.Object({
  unread: Type.Integer({ description: 'Conversations with something unread; snoozed ones are not counted.' }),
  needsAttention: Type.Integer(),
});
export type InboxCounts = Static<typeof InboxCounts>;

/** A conversation in the inbox. */
export const InboxSession = Type.Object({
  ...Session.properties,
  blocked: Type.Boolean({ description: 'Whether the customer is blocked: only notes can be written.' }),
  lastMessage: nullable(
    Type.Object({
      role: choice(messageRoles),
      text: Type.String({ description: 'Its beginning.' }),
      fileType: nullable(Type.String({ description: 'The content type of its first attachment.' })),
    }),
  ),
});
export type InboxSession = Static<typeof InboxSession>;

/** `record`: its card was found, perhaps with typos. `message`: its last message matches. */
const sessionMatchFields = ['name', 'customer', 'id', 'record', 'message'] as const;
export const FoundSession = Type.Object({
  ...InboxSession.properties,
  match: Type.Object({
    field: choice(sessionMatchFields),
    value: Type.String({ description: 'The value of the field; for a message, the part that matched.' }),
    typos: Type.Integer(),
  }),
});
export type FoundSession = Static<typeof FoundSession>;
export const InboxSearchQuery = Type.Object({
  q: Type.String({ description: 'Every word must match.' }),
  limit: Type.Optional(Type.Integer({ minimum: 1, description: '10 by default, at most 50.' })),
});
export type InboxSearchQuery = Static<typeof InboxSearchQuery>;
export const InboxSearchAnswer = Type.Object({ items: Type.Array(FoundSession) });
export type InboxSearchAnswer = Static<typeof InboxSearchAnswer>;

/** Someone took the conversation over from the AI, or handed it back. */
export const AiPause = Type.Object({
  id: Type.String(),
  at: Type.Number(),
  aiPaused: Type.Boolean(),
  by: Type.Object({
    id: Type.String(),
    name: nullable(Type.String({ description: 'null if the user no longer exists.' })),
  }),
});
export type AiPause = Static<typeof AiPause>;
export const AiPausesAnswer = Type.Object({ items: Type.Array(AiPause) });

const Conversation = Type.Object({
  sessionId: Type.String(),
  unread: Type.Integer(),
  needsAttention: Type.Boolean(),
  lastMessageAt: Type.Number(),
  windowClosesAt: nullable(Type.Number({ description: 'As in the conversation itself.' })),
  lastMessage: nullable(
    Type.Object({
      role: choice(messageRoles),
      text: Type.String({ description: 'Its beginning.' }),
    }),
  ),
});
/** A record on the board, with its latest conversation and its open tasks. */
export const Card = Type.Object({
  ...CrmRecord.properties,
  conversation: nullable(Conversation),
  tasks: OpenTasks,
});
export type Card = Static<typeof Card>;

const CardFilter = {
  assignedUserId: Type.Optional(Type.String()),
  fieldId: Type.Optional(Type.String({ description: 'With fieldValue: the exact value of a field.' })),
  fieldValue: Type.Optional(Type.String()),
  q: Type.Optional(Type.String({ description: 'Text, found as by GET /crm/search.' })),
  filter: filterQuery.filter,
};
export const CardsQuery = Type.Object({
  status: Type.Optional(Type.String()),
  ...CardFilter,
  sort: filterQuery.sort,
  ...pageQuery(limits.recordsPage),
});
export type CardsQuery = Static<typeof CardsQuery>;

export const BoardSummaryQuery = Type.Object({
  ...CardFilter,
  sumFieldId: Type.Optional(Type.String({ description: 'A number or currency field to add up.' })),
});
export type BoardSummaryQuery = Static<typeof BoardSummaryQuery>;
export const BoardSummary = Type.Object({
  count: Type.Integer(),
  columns: Type.Array(
    Type.Object({
      status: Type.String(),
      count: Type.Integer(),
      total: nullable(Type.Number({ description: 'Of sumFieldId; null without one.' })),
    }),
  ),
});
export type BoardSummary = Static<typeof BoardSummary>;

const grouping = {
  groupBy: Type.Optional(
    Type.String({
      description: 'status, assignedUserIds, or the id of a select or boolean field of the kanban.',
    }),
  ),
};
export const TableRowsQuery = Type.Object({
  ...CardFilter,
  sort: filterQuery.sort,
  ...grouping,
  group: Type.Optional(
    Type.String({
      description:
        'With groupBy: only the records of this group, by its value (true or false for a boolean). Empty: those without a value.',
    }),
  ),
  // Not from 0: an empty text would be read as 0.
  first: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 10_000_000, description: 'The position of the first row, from 1.' }),
  ),
  limit: pageQuery(limits.recordsPage).limit,
});
export type TableRowsQuery = Static<typeof TableRowsQuery>;
export const TableRows = Type.Object({
  total: Type.Integer({ description: 'Of all records that match, in the group if one was given.' }),
  items: Type.Array(Card),
});
export type TableRows = Static<typeof TableRows>;

const Totals = {
  count: Type.Integer(),
  totals: Type.Record(Type.String(), Type.Number(), { description: 'By field id, of sumFieldIds.' }),
};
export const TableSummaryQuery = Type.Object({
  ...CardFilter,
  ...grouping,
  sumFieldIds: Type.Optional(
    Type.String({ description: 'Ids of number and currency fields to add up, separated by commas.' }),
  ),
});
export type TableSummaryQuery = Static<typeof TableSummaryQuery>;
export const TableSummary = Type.Object({
  ...Totals,
  groups: Type.Array(
    Type.Object({
      value: nullable(Type.String({ description: 'Null: the records without a value.' })),
      ...Totals,
    }),
    { description: 'Those with records, in the order of the kanban. Empty without groupBy.' },
  ),
});
export type TableSummary = Static<typeof TableSummary>;

/** The content of a view is up to the dashboard: the service stores it unchanged. */
const ViewSettings = Type.Record(Type.String(), Type.Unknown());
export const SavedView = Type.Object({
  id: Type.String(),
  kanbanId: Type.String(),
  name: Type.String(),
  shared: Type.Boolean({
    description: 'Visible to everyone who may see the board; otherwise only to its owner.',
  }),
  ownerId: Type.String(),
  settings: ViewSettings,
  createdAt: Type.Number(),
  updatedAt: Type.Number(),
});
export type SavedView = Static<typeof SavedView>;
export const SavedViewCreate = Type.Object({
  name: Name,
  shared: Type.Optional(Type.Boolean()),
  settings: ViewSettings,
});
export type SavedViewCreate = Static<typeof SavedViewCreate>;
export const SavedViewUpdate = Type.Partial(SavedViewCreate);
export type SavedViewUpdate = Static<typeof SavedViewUpdate>;

export const SavedReply = Type.Object({
  id: Type.String(),
  name: Type.String(),
  text: Type.String(),
  shared: Type.Boolean(),
  ownerId: Type.String(),
  createdAt: Type.Number(),
  updatedAt: Type.Number(),
});
export type SavedReply = Static<typeof SavedReply>;
export const SavedReplyCreate = Type.Object({
  name: Name,
  text: Type.String({ minLength: 1, maxLength: limits.messageLength }),
  shared: Type.Optional(Type.Boolean()),
});
export type SavedReplyCreate = Static<typeof SavedReplyCreate>;
export const SavedReplyUpdate = Type.Partial(SavedReplyCreate);
export type SavedReplyUpdate = Static<typeof SavedReplyUpdate>;

const activityKinds = ['created', 'changed', 'task_created', 'task_done', 'comment'] as const;
export const Activity = Type.Object({
  id: Type.String(),
  kind: choice(activityKinds),
  at: Type.Number(),
  by: Type.Object({
    id: Type.String(),
    name: nullable(Type.String({ description: 'null if the user no longer exists.' })),
  }),
  fieldId: nullable(Type.String({ description: 'A custom field, or title, status, assignedUserIds.' })),
  fieldName: nullable(Type.String()),
  oldValue: Type.Unknown(),
  newValue: Type.Unknown(),
  text: nullable(Type.String({ description: 'The title of the task, or the beginning of the comment.' })),
});
export type Activity = Static<typeof Activity>;
