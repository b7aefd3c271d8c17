/** Tasks and comments on records. */
import type { Static } from 'typebox';
import { limits } from '../limits.ts';
import { pageQuery } from '../shapes/paging.ts';
import { Type } from '../shapes/type.ts';
import { ClientId, EchoedClientId, nullable } from '../shapes/values.ts';

const Time = (description: string) =>
  Type.Integer({ minimum: 1, maximum: limits.latestTime, description: `${description} In milliseconds.` });

export const Task = Type.Object({
  taskId: Type.String(),
  recordId: Type.String(),
  kanbanId: Type.String(),
  recordTitle: Type.String(),
  title: Type.String(),
  dueAt: nullable(Type.Number()),
  assignedUserId: nullable(Type.String()),
  remindAt: nullable(Type.Number()),
  doneAt: nullable(Type.Number({ description: 'null while the task is open.' })),
  doneBy: nullable(Type.String({ description: 'The id of the user or token.' })),
  createdBy: Type.String(),
  updatedBy: Type.String(),
  createdAt: Type.Number(),
  updatedAt: Type.Number(),
  clientId: EchoedClientId,
});
export type Task = Static<typeof Task>;

const TaskTitle = Type.String({ description: `Trimmed; at most ${limits.taskTitleLength} characters.` });
const DueAt = nullable(Time('When the task is due; may be in the past.'));
const AssignedUserId = nullable(Type.String({ description: 'Someone who may see the board of the record.' }));
const RemindAt = nullable(
  Time('When the assigned user, or else the creator, is reminded once. Must be in the future.'),
);

export const TaskCreate = Type.Object({
  title: TaskTitle,
  dueAt: Type.Optional(DueAt),
  assignedUserId: Type.Optional(AssignedUserId),
  remindAt: Type.Optional(RemindAt),
  clientId: Type.Optional(ClientId),
});
export type TaskCreate = Static<typeof TaskCreate>;

export const TaskUpdate = Type.Object({
  title: Type.Optional(TaskTitle),
  dueAt: Type.Optional(DueAt),
  assignedUserId: Type.Optional(AssignedUserId),
  remindAt: Type.Optional(RemindAt),
  done: Type.Optional(Type.Boolean({ description: 'true completes the task, false reopens it.' })),
});
export type TaskUpdate = Static<typeof TaskUpdate>;

const done = Type.Optional(
  Type.Boolean({ description: 'false: only open tasks; true: only completed ones.' }),
);
export const RecordTasksQuery = Type.Object({ done, ...pageQuery(limits.listPage) });
export type RecordTasksQuery = Static<typeof RecordTasksQuery>;
export const TasksQuery = Type.Object({
  assignedUserId: Type.Optional(Type.String({ description: 'The id of a user, or `me`.' })),
  done,
  dueBefore: Type.Optional(Time('Only tasks that are due before this time.')),
  dueAfter: Type.Optional(Time('Only tasks that are due at this time or later.')),
  recordId: Type.Optional(Type.String()),
  ...pageQuery(limits.listPage),
});
export type TasksQuery = Static<typeof TasksQuery>;

/** The open tasks of a record, as its card shows them. */
export const OpenTasks = Type.Object({
  open: Type.Integer({ description: 'How many tasks are open.' }),
  nextDueAt: nullable(Type.Number({ description: 'The earliest due time of the open tasks.' })),
});
export type OpenTasks = Static<typeof OpenTasks>;

const Person = Type.Object({ id: Type.String(), name: Type.String() });

export const Comment = Type.Object({
  commentId: Type.String(),
  recordId: Type.String(),
  kanbanId: Type.String(),
  content: Type.String(),
  mentions: Type.Array(Person, {
    description: 'The mentioned colleagues, with their names as in the text.',
  }),
  author: Person,
  createdAt: Type.Number(),
  updatedAt: Type.Number({ description: 'Later than createdAt if the comment was edited.' }),
  clientId: EchoedClientId,
});
export type Comment = Static<typeof Comment>;

const Content = Type.String({ description: `At most ${limits.commentLength} characters.` });
const MentionedUserIds = Type.Array(Type.String(), {
  maxItems: limits.mentionsPerNote,
  description: 'Colleagues who may see the board. Each is notified once.',
});
export const CommentCreate = Type.Object({
  content: Content,
  mentionedUserIds: Type.Optional(MentionedUserIds),
  clientId: Type.Optional(ClientId),
});
export type CommentCreate = Static<typeof CommentCreate>;
export const CommentUpdate = Type.Object({
  content: Type.Optional({ ...Content, examples: ['The offer is signed.'] }),
  mentionedUserIds: Type.Optional(MentionedUserIds),
});
export type CommentUpdate = Static<typeof CommentUpdate>;
export const CommentsQuery = Type.Object(pageQuery(limits.listPage));
export type CommentsQuery = Static<typeof CommentsQuery>;
