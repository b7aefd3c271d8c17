import type { Static } from 'typebox';
import { LabelIds, labelChange } from '../labels.ts';
import { limits } from '../limits.ts';
import { filterQuery } from '../shapes/filter-query.ts';
import { pageQuery } from '../shapes/paging.ts';
import { Type } from '../shapes/type.ts';
import { ClientId, EchoedClientId, nullable } from '../shapes/values.ts';

const CustomFields = Type.Record(Type.String(), Type.Unknown(), {
  description: 'By field id; the type of a value follows the type of its field. null clears a value.',
});
const AssignedUserIds = Type.Array(Type.String(), { maxItems: limits.assignedUsers });

export const CrmRecord = Type.Object({
  recordId: Type.String(),
  accountId: Type.String(),
  kanbanId: Type.String(),
  title: Type.String(),
  status: Type.String({ description: 'A status value of the kanban.' }),
  customFields: CustomFields,
  assignedUserIds: Type.Array(Type.String()),
  labelIds: Type.Array(Type.String(), { description: 'Sorted. GET /labels has their names.' }),
  channelId: nullable(Type.String()),
  createdBy: Type.String(),
  updatedBy: Type.String(),
  createdAt: Type.Number(),
  updatedAt: Type.Number(),
  clientId: EchoedClientId,
  unverifiedFieldIds: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'Custom fields with a value that a customer typed and nobody has changed since. Left out if empty.',
    }),
  ),
});
export type CrmRecord = Static<typeof CrmRecord>;

/** A create returns an existing record if channelId and title match. */
export const CreatedRecord = Type.Object({
  ...CrmRecord.properties,
  alreadyExists: Type.Optional(Type.Boolean()),
});
export type CreatedRecord = Static<typeof CreatedRecord>;

export const RecordCreate = Type.Object({
  title: Type.String({ description: `Trimmed; at most ${limits.titleLength} characters.` }),
  status: Type.Optional(Type.String({ description: 'The first status of the kanban when omitted.' })),
  customFields: Type.Optional(CustomFields),
  assignedUserIds: Type.Optional(AssignedUserIds),
  labelIds: Type.Optional(LabelIds),
  channelId: Type.Optional(
    nullable(
      Type.String({
        minLength: 1,
        maxLength: limits.channelIdLength,
        description: 'Together with the title, identifies an existing record.',
      }),
    ),
  ),
  clientId: Type.Optional(ClientId),
});
export type RecordCreate = Static<typeof RecordCreate>;

export const RecordUpdate = Type.Object({
  title: Type.Optional(Type.String()),
  status: Type.Optional(Type.String()),
  customFields: Type.Optional(CustomFields),
  assignedUserIds: Type.Optional(AssignedUserIds),
  ...labelChange,
});
export type RecordUpdate = Static<typeof RecordUpdate>;

export const RecordPosition = Type.Object({
  before: Type.Optional(Type.String({ description: 'The record directly below; of the same board.' })),
  after: Type.Optional(Type.String({ description: 'The record directly above; of the same board.' })),
  status: Type.Optional(Type.String({ description: 'The column; that of the record when omitted.' })),
});
export type RecordPosition = Static<typeof RecordPosition>;

export const RecordsQuery = Type.Object({
  kanbanId: Type.Optional(Type.String()),
  status: Type.Optional(Type.String()),
  assignedUserId: Type.Optional(Type.String()),
  ...filterQuery,
  ...pageQuery(limits.recordsPage),
});
export type RecordsQuery = Static<typeof RecordsQuery>;

export const BatchCreateItem = Type.Object({
  kanbanId: Type.Optional(Type.String()),
  ...RecordCreate.properties,
});
export const BatchUpdateItem = Type.Object({ recordId: Type.String(), ...RecordUpdate.properties });
/** Distinguishes the two shapes and accepts anything: an invalid item is rejected on its own, not the whole batch. */
const BatchItem = Type.Unsafe<unknown>({
  anyOf: [BatchCreateItem, BatchUpdateItem, {}],
  examples: [{ title: 'Ada Lovelace', customFields: {} }],
});
export const BatchBody = Type.Object({
  items: Type.Array(BatchItem, {
    minItems: 1,
    maxItems: limits.batchItems,
    description:
      'Each either a record to create (with an optional kanbanId) or, with a recordId, an update. Each is validated and written on its own.',
  }),
});
export const BatchResult = Type.Object({
  status: Type.Number({ description: 'The response of the single request.' }),
  record: Type.Optional(CreatedRecord),
  error: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
  code: Type.Optional(Type.String()),
});
export type BatchResult = Static<typeof BatchResult>;
export const BatchAnswer = Type.Object({ results: Type.Array(BatchResult) });
