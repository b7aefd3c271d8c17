/** Views of the inbox: a filter with an order, private or shared, with how many conversations it has. */
import type { Static } from 'typebox';
import type { ConditionsValue } from './automation/conditions.ts';
import { limits } from './limits.ts';
import { viewSorts } from './messaging/sessions.ts';
import { Type } from './shapes/type.ts';
import { choice, nullable } from './shapes/values.ts';

const Filter = nullable(
  Type.Unsafe<ConditionsValue>({
    type: 'object',
    additionalProperties: true,
    description:
      'A condition or a group on `session.*`, as `filter` of GET /sessions. `me` is the reader. null: all conversations.',
    examples: [{ and: [{ field: 'session.assignedUserId', op: 'is', value: 'me' }] }],
  }),
);
const order = {
  minimum: limits.order.min,
  maximum: limits.order.max,
  description: 'The place in the side bar. A new one is the last.',
};

export const InboxView = Type.Object({
  id: Type.String(),
  name: Type.String(),
  shared: Type.Boolean({ description: 'Visible to everyone of the account; otherwise only to its owner.' }),
  ownerId: Type.String(),
  filter: Filter,
  sort: choice(viewSorts),
  order: Type.Integer(order),
  createdAt: Type.Number(),
  updatedAt: Type.Number(),
});
export type InboxView = Static<typeof InboxView>;

export const InboxViewCreate = Type.Object({
  name: Type.String({
    minLength: 1,
    maxLength: limits.nameLength,
    description: 'Unique among the shared views, and among those of one owner; case-insensitive.',
  }),
  shared: Type.Optional(Type.Boolean({ default: false })),
  filter: Type.Optional(Filter),
  sort: Type.Optional(
    Type.Unsafe<(typeof viewSorts)[number]>({ ...choice(viewSorts), description: 'newest when omitted.' }),
  ),
  order: Type.Optional(Type.Integer(order)),
});
export type InboxViewCreate = Static<typeof InboxViewCreate>;
export const InboxViewUpdate = Type.Partial(InboxViewCreate);
export type InboxViewUpdate = Static<typeof InboxViewUpdate>;

export const InboxViewCounts = Type.Object({
  items: Type.Array(
    Type.Object({
      id: Type.String({ description: 'Of the view.' }),
      count: Type.Integer({
        minimum: 0,
        maximum: limits.inboxViews.counted,
        description: 'Of the conversations that the caller may see.',
      }),
      more: Type.Boolean({ description: `There are more than ${limits.inboxViews.counted}.` }),
    }),
  ),
});
export type InboxViewCounts = Static<typeof InboxViewCounts>;
