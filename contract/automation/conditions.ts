/** On what a rule depends: one filter in the form of docs/filters.md. */
import type { Static } from 'typebox';
import { Type } from '../shapes/type.ts';
import { nullable } from '../shapes/values.ts';

/** Checked by the service, which names the place of a mistake. */
export type ConditionsValue = Record<string, unknown>;

export const Conditions = Type.Unsafe<ConditionsValue>({
  type: 'object',
  additionalProperties: true,
  description:
    'A condition or a group, as `filter` of records, over fields of the record, `session.*`, `contact.*` and `message.*`; or `{ "withinHours": "<id>", "is": true }`.',
  examples: [{ and: [{ field: 'session.status', op: 'is', value: 'open' }] }],
});

/** The condition that was not met, so that a dashboard can say it in the language of its reader. */
export const MissedCondition = nullable(
  Type.Object(
    {
      field: Type.String({
        description: 'As in conditions. `withinHours`: opening hours, whose id is `value`.',
        examples: ['session.status'],
      }),
      value: Type.Unknown({
        description:
          'What it was; null: empty. Times in milliseconds, the beginning of a text, up to five values of a list.',
      }),
      isOpen: Type.Optional(Type.Boolean({ description: 'Of opening hours: whether they were open.' })),
    },
    { description: 'The first condition that was not met. null: all were, or there is another reason.' },
  ),
);
export type MissedCondition = NonNullable<Static<typeof MissedCondition>>;
