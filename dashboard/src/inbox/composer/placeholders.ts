/** `{{customer}}` and its like in saved replies, filled when one is inserted. */
import type { Kanban } from '../../../../contract/kanbans.ts';
import type { CrmRecord } from '../../../../contract/records.ts';
import { fieldLabel } from '../../fields/field-label.ts';
import { isEmptyValue, valueText } from '../../fields/field-value.tsx';

export interface PlaceholderValues {
  customer: string;
  operator: string;
  board: string;
  record?: CrmRecord;
  kanban?: Kanban;
}

export const placeholderNames = ['customer', 'first name', 'operator', 'board'] as const;

/** A placeholder without a value stays, so that nobody sends a gap unnoticed. */
export function fillPlaceholders(text: string, values: PlaceholderValues): string {
  return text.replace(/\{\{\s*([^{}]+?)\s*\}\}/g, (whole, name: string) => {
    const found = valueFor(name.toLowerCase(), values);
    return found === null || found === '' ? whole : found;
  });
}

function valueFor(
  name: string,
  { customer, operator, board, record, kanban }: PlaceholderValues,
): string | null {
  if (name === 'customer') return customer;
  if (name === 'first name') return customer.trim().split(/\s+/)[0] ?? null;
  if (name === 'operator') return operator;
  if (name === 'board') return board;
  const field = kanban?.fields.find((one) =>
    [one.name, fieldLabel(one)].some((text) => text.toLowerCase() === name),
  );
  const value = field && record?.customFields[field.id];
  return field && !isEmptyValue(value) ? valueText(field, value) : null;
}
