/** Changes of many conversations at once, and the history of one. */
import type { Static } from 'typebox';
import { limits } from '../limits.ts';
import { pageQuery } from '../shapes/paging.ts';
import { Type } from '../shapes/type.ts';
import { choice, nullable } from '../shapes/values.ts';
import { Session, SessionChanger, SessionUpdate, sessionStatuses } from './sessions.ts';

const {
  status,
  snoozedUntil,
  assignedUserId,
  teamId,
  needsAttention,
  labelIds,
  addLabelIds,
  removeLabelIds,
} = SessionUpdate.properties;
const mostUnread = 1_000_000_000;

const marks = {
  status,
  snoozedUntil,
  assignedUserId,
  teamId,
  unread: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: mostUnread,
      description: '0 marks the conversation as read; an undo sends the previous number.',
    }),
  ),
  needsAttention,
  labelIds,
};

export const SessionsBulk = Type.Object({
  sessionIds: Type.Array(Type.String(), { minItems: 1, maxItems: limits.batchItems }),
  change: Type.Object(
    { ...marks, addLabelIds, removeLabelIds },
    { minProperties: 1, examples: [{ status: 'resolved' }] },
  ),
  expected: Type.Optional(
    Type.Object(marks, {
      description:
        'Only conversations that have these values now are changed; the others are a 409. An undo sends the values that it takes back, so that it overwrites nothing newer.',
    }),
  ),
});
export type SessionsBulk = Static<typeof SessionsBulk>;

/** The values that a bulk change can set. */
export const SessionMarks = Type.Object({
  status: choice(sessionStatuses),
  snoozedUntil: nullable(Type.Number()),
  assignedUserId: nullable(Type.String()),
  teamId: nullable(Type.String()),
  unread: Type.Integer(),
  needsAttention: Type.Boolean(),
  labelIds: Type.Array(Type.String()),
});
export type SessionMarks = Static<typeof SessionMarks>;

export const BulkSessionResult = Type.Object({
  sessionId: Type.String(),
  status: Type.Number({ description: '200, 404 (no such conversation), 400 or 409.' }),
  changed: Type.Optional(Type.Boolean({ description: 'false: it had these values already.' })),
  session: Type.Optional(Session),
  previous: Type.Optional(SessionMarks),
  error: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
  code: Type.Optional(Type.String()),
});
export type BulkSessionResult = Static<typeof BulkSessionResult>;
export const SessionsBulkAnswer = Type.Object({ results: Type.Array(BulkSessionResult) });
export type SessionsBulkAnswer = Static<typeof SessionsBulkAnswer>;

export const SessionChangeEntry = Type.Object({
  sequence: Type.Integer({ description: 'Grows with each event of the conversation.' }),
  at: Type.Number(),
  changedBy: SessionChanger,
  changes: Type.Array(
    Type.Object({
      field: Type.String({
        description:
          '`status`, `snoozedUntil`, `assignedUserId`, `teamId` or `labelIds`; `personRequested` when the customer asked for a person, `rating` and `ratingComment` when the customer rated.',
      }),
      oldValue: Type.Unsafe<unknown>({ description: 'null: it was unset.' }),
      newValue: Type.Unsafe<unknown>({ description: 'null: it is unset now.' }),
    }),
  ),
});
export type SessionChangeEntry = Static<typeof SessionChangeEntry>;

export const SessionChangesQuery = Type.Object(pageQuery(limits.listPage));
export type SessionChangesQuery = Static<typeof SessionChangesQuery>;
