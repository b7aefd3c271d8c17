/** Reads `sort`: `title`, `-createdAt`, `manual` or the id of a field. */
import { badRequest } from '../../../platform/http/errors.ts';
import type { Sort } from '../../../search-engine/columns/order.ts';
import type { Definitions, FieldDefinition } from '../../kanbans/kanbans.ts';

const own = ['title', 'status', 'createdAt', 'updatedAt'];
export const newestFirst: Sort = { field: 'createdAt', isDescending: true };

export function readSort(
  text: string,
  definitions: Definitions,
  fieldOf: (id: string) => FieldDefinition | undefined,
): Sort {
  if (text === 'manual') return { field: text, isDescending: true };
  const isDescending = text.startsWith('-');
  const field = isDescending ? text.slice(1) : text;
  const definition = fieldOf(field);
  if (!definition && !own.includes(field)) {
    throw badRequest(
      'sort must be title, status, createdAt, updatedAt, manual or the id of a field of the board',
    );
  }
  const statuses =
    field === 'status'
      ? new Map(
          [...definitions.kanbans.values()].map(({ id, statuses: list }) => [
            id,
            list.map(({ value }) => value),
          ]),
        )
      : undefined;
  return { field, isDescending, options: definition?.options ?? undefined, statuses };
}
