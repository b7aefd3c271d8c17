import type { Static } from 'typebox';
import { fieldTypes, limits } from '../limits.ts';
import { pageQuery } from '../shapes/paging.ts';
import { patterns } from '../shapes/patterns.ts';
import { Type } from '../shapes/type.ts';
import { choice, nullable } from '../shapes/values.ts';

const Name = Type.String({ minLength: 1, maxLength: limits.nameLength });
const Description = Type.String({ maxLength: limits.descriptionLength });
const Order = Type.Integer({ minimum: limits.order.min, maximum: limits.order.max });
const FieldTypeName = choice(fieldTypes);
const Options = Type.Array(Type.String({ minLength: 1, maxLength: limits.optionLength }), {
  uniqueItems: true,
  maxItems: limits.optionsPerField,
});
const BoundToChannels = Type.Array(Type.String({ minLength: 1, maxLength: limits.nameLength }), {
  uniqueItems: true,
  maxItems: 100,
  description: 'Names or types of channels. A renamed channel stays bound.',
});
const GroupId = nullable(Type.String());
const AiVisible = Type.Boolean({
  description:
    'Whether AI agents may see the field. The values of a field with false reach neither their tools nor their prompts, and a reply that repeats one is held.',
});
const Currency = Type.String({
  pattern: patterns.currency,
  description: 'Of a field of type currency: the ISO 4217 code of its amounts, such as EUR.',
});
const Slug = Type.String({ minLength: 1, maxLength: 100, pattern: patterns.slug });

export const Status = Type.Object({
  value: Type.String({ description: 'The identifier used in records and filters.' }),
  label: Type.String(),
  color: Type.String({ description: '#rrggbb' }),
});
export type Status = Static<typeof Status>;

export const KanbanField = Type.Object({
  id: Type.String(),
  name: Type.String(),
  type: FieldTypeName,
  description: Type.String(),
  options: Type.Optional(Type.Array(Type.String())),
  currency: Type.Optional(Currency),
  order: Type.Number(),
  isSystem: Type.Boolean(),
  groupId: GroupId,
});
export type KanbanField = Static<typeof KanbanField>;

export const Kanban = Type.Object({
  id: Type.String(),
  name: Type.String(),
  slug: Type.String(),
  description: Type.String(),
  isDefault: Type.Boolean(),
  order: Type.Number(),
  createdAt: Type.Number(),
  updatedAt: Type.Number(),
  memberIds: Type.Array(Type.String(), { description: 'The users who may see the board; empty: everyone.' }),
  statuses: Type.Array(Status),
  fields: Type.Array(KanbanField),
});
export type Kanban = Static<typeof Kanban>;

export const Field = Type.Object({
  fieldId: Type.String(),
  kanbanId: Type.String(),
  name: Type.String(),
  type: FieldTypeName,
  description: Type.String(),
  options: Type.Optional(Type.Array(Type.String())),
  currency: Type.Optional(Currency),
  order: Type.Number(),
  isSystem: Type.Boolean(),
  boundToChannels: Type.Array(Type.String(), {
    description:
      'The names of the channels that are bound now: their conversations fill the field with the customer’s externalUserId.',
  }),
  channelBindings: Type.Array(Type.String(), {
    description:
      'What `boundToChannels` was set to: names of channels, or types, which also bind channels created later.',
  }),
  groupId: GroupId,
  aiVisible: AiVisible,
});
export type Field = Static<typeof Field>;

const StatusInput = Type.Object({
  value: Type.Optional(Type.String({ minLength: 1, maxLength: limits.nameLength })),
  label: Name,
  color: Type.String({ pattern: patterns.color }),
});
export type StatusInput = Static<typeof StatusInput>;
const StatusList = Type.Array(StatusInput, { minItems: 1, maxItems: limits.statusesPerKanban });

export const FieldCreate = Type.Object({
  name: Name,
  type: FieldTypeName,
  description: Type.Optional(Description),
  options: Type.Optional(Options),
  currency: Type.Optional(nullable(Currency)),
  order: Type.Optional(Order),
  groupId: Type.Optional(GroupId),
  boundToChannels: Type.Optional(BoundToChannels),
  aiVisible: Type.Optional(AiVisible),
});
export type FieldCreate = Static<typeof FieldCreate>;
export const FieldUpdate = Type.Partial(FieldCreate);
export type FieldUpdate = Static<typeof FieldUpdate>;

export const KanbanCreate = Type.Object({
  name: Name,
  slug: Type.Optional(Slug),
  description: Type.Optional(Description),
  isDefault: Type.Optional(Type.Boolean()),
  order: Type.Optional(Order),
  statuses: Type.Optional(StatusList),
  fields: Type.Optional(Type.Array(FieldCreate, { maxItems: limits.fieldsPerKanban })),
});
export type KanbanCreate = Static<typeof KanbanCreate>;
export const KanbanUpdate = Type.Object({
  name: Type.Optional(Name),
  slug: Type.Optional(Slug),
  description: Type.Optional(Description),
  isDefault: Type.Optional(Type.Boolean()),
  order: Type.Optional(Order),
});
export type KanbanUpdate = Static<typeof KanbanUpdate>;

export const StatusesPut = Type.Object({ statuses: StatusList, moveTo: Type.Optional(Type.String()) });
export const MembersPut = Type.Object({ userIds: Type.Array(Type.String(), { maxItems: 1_000 }) });

export const FieldGroup = Type.Object({
  id: Type.String(),
  kanbanId: Type.String(),
  name: Type.String(),
  order: Type.Number(),
});
export type FieldGroup = Static<typeof FieldGroup>;
export const FieldGroupCreate = Type.Object({ name: Name, order: Type.Optional(Order) });
export const FieldGroupUpdate = Type.Partial(FieldGroupCreate);

export const KanbansQuery = Type.Object({
  ...pageQuery(limits.listPage),
  accessible: Type.Optional(Type.Boolean({ description: 'true: only the boards that the caller may open.' })),
});
export const OfKanbanQuery = Type.Object({
  kanbanId: Type.Optional(Type.String({ description: 'The default kanban when omitted.' })),
});
export const FieldsQuery = Type.Object({
  ...OfKanbanQuery.properties,
  all: Type.Optional(Type.Boolean({ description: "true: every kanban's fields." })),
});
