/** On what a rule depends: one filter in the form of docs/filters.md. */
import { Type } from '../shapes/type.ts';

/** Checked by the service, which names the place of a mistake. */
export type ConditionsValue = Record<string, unknown>;

export const Conditions = Type.Unsafe<ConditionsValue>({
  type: 'object',
  additionalProperties: true,
  description:
    'A condition or a group, as `filter` of records, over fields of the record, `session.*`, `contact.*` and `message.*`; or `{ "withinHours": "<id>", "is": true }`.',
  examples: [{ and: [{ field: 'session.status', op: 'is', value: 'open' }] }],
});
