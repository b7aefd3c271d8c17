/** `{{customer}}` and its like in saved replies, filled when one is inserted. */
import type { Kanban } from '../../../../../contract/crm/kanbans.ts';
import type { CrmRecord } from '../../../../../contract/crm/records.ts';
import {
  firstNameOf,
  placeholderNames,
  placeholdersIn,
  replacePlaceholders,
} from '../../../../../contract/shapes/placeholders.ts';
import { fieldLabel } from '../../../fields/field-label.ts';
import { isEmptyValue, valueText } from '../../../fields/field-value.tsx';

export {
  type Placeholder,
  placeholderNames,
  placeholdersIn,
} from '../../../../../contract/shapes/placeholders.ts';

export interface PlaceholderValues {
  customer: string;
  operator: string;
  board: string;
  record?: CrmRecord;
  kanban?: Kanban;
}

/** Every name that a saved reply can use: the fixed ones, and the fields of all boards. */
export function knownPlaceholders(boards: readonly Pick<Kanban, 'fields'>[]): string[] {
  const fields = boards.flatMap((board) => board.fields.map(fieldLabel));
  const names = new Map([...placeholderNames, ...fields].map((name) => [name.toLowerCase(), name]));
  return [...names.values()];
}

/** Those that no board fills: most are typing errors. */
export function unknownPlaceholders(
  text: string,
  boards: readonly Pick<Kanban, 'fields'>[],
  names: readonly string[] = placeholderNames,
  more: readonly string[] = [],
): string[] {
  const fields = boards.flatMap((board) => board.fields.flatMap((field) => [field.name, fieldLabel(field)]));
  const known = new Set([...names, ...more, ...fields].map((name) => name.toLowerCase()));
  const isPath = (name: string) =>
    !name.endsWith('…') && more.some((begin) => begin.endsWith('.') && name.startsWith(begin));
  const unknown = placeholdersIn(text).filter(({ name }) => !known.has(name.toLowerCase()) && !isPath(name));
  return [...new Set(unknown.map(({ text }) => text))];
}

export const fillPlaceholders = (text: string, values: PlaceholderValues): string =>
  replacePlaceholders(text, (name) => valueFor(name, values));

function valueFor(
  name: string,
  { customer, operator, board, record, kanban }: PlaceholderValues,
): string | null {
  if (name === 'customer') return customer;
  if (name === 'first name') return firstNameOf(customer);
  if (name === 'operator') return operator;
  if (name === 'board') return board;
  const field = kanban?.fields.find((one) =>
    [one.name, fieldLabel(one)].some((text) => text.toLowerCase() === name),
  );
  const value = field && record?.customFields[field.id];
  return field && !isEmptyValue(value) ? valueText(field, value) : null;
}
