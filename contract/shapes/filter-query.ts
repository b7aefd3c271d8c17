/** The parameters `filter` and `sort`; contract/crm/filters.ts has the operators, without TypeBox for the dashboard. */
import { Type } from './type.ts';

const FilterText = Type.String({
  description:
    'Conditions, as JSON: {"and":[{"field":"<field id>","op":"gt","value":10},{"or":[…]}]}. Operators by type and their exact meaning: docs/filters.md. At most 20 conditions in groups up to 3 deep.',
  examples: ['{"and":[{"field":"title","op":"notEmpty"}]}'],
});
const SortText = Type.String({
  description:
    'title, status, createdAt, updatedAt or a field id; with a leading - descending. Empty values come last. manual: the order in which the cards of a board were put by hand.',
  examples: ['-updatedAt'],
});
export const filterQuery = {
  filter: Type.Optional(FilterText),
  sort: Type.Optional(SortText),
};
