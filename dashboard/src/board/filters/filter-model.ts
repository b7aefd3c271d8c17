/** A filter: read from the address, a saved view or a rule, checked against what it is about, and changed part by part. */
import {
  type Comparison,
  comparisonOf,
  comparisons,
  type FilterCondition,
  type FilterNode,
  type FilterOperator,
  filterLimits,
  isOwnFilterField,
  ownFilterFields,
  type RecordFilter,
} from '../../../../contract/crm/filters.ts';
import type { KanbanField, Status } from '../../../../contract/crm/kanbans.ts';
import type { Option } from '../../ui/controls/select.tsx';

/** What a filter is about: the cards of a board, or what rules look at. */
export interface Filterable {
  fields: readonly KanbanField[];
  statuses: readonly Status[];
  /** Instead of what every card has. Conditions that nobody knows are kept then, for the service to refuse. */
  others?: { readonly [name: string]: OtherField };
}
export interface OtherField {
  label: string;
  comparison: Comparison;
  /** Where they are not those of the comparison. */
  operators?: readonly FilterOperator[];
  nameOf?(op: FilterOperator): string;
  options?: readonly Option[];
}

export type Join = 'and' | 'or';
export interface FilterGroup {
  join: Join;
  parts: FilterPart[];
  /** Of a rule: where its days are. */
  timeZone?: string;
}
export type FilterPart = FilterGroup | FilterCondition;

export const isGroup = (part: FilterPart): part is FilterGroup => 'join' in part;
export const ownFields = (board: Filterable) => Object.keys(board.others ?? ownFilterFields);

/** The filter of a board as its address has it. */
export const filterOf = (board: Filterable, { filter }: { filter?: string }) =>
  readFilter(board, filter && JSON.parse(filter));

export const fieldOf = (board: Filterable, id: string) => board.fields.find((field) => field.id === id);

/** Null: the board has no such field. */
export const comparisonFor = (board: Filterable, field: string): Comparison | null =>
  board.others?.[field]?.comparison ?? comparisonOf(field, fieldOf(board, field)?.type);

export const operatorsFor = (board: Filterable, field: string): readonly FilterOperator[] => {
  const own = board.others?.[field]?.operators;
  if (own) return own;
  const comparison = comparisonFor(board, field);
  return comparison === null ? [] : comparisons[comparison];
};

/** Of every editor of a condition's value. */
export interface ValueProps {
  board: Filterable;
  condition: FilterCondition;
  onChange(condition: FilterCondition): void;
}

/** What a value consists of. */
export type ValueShape = 'none' | 'one' | 'two' | 'list' | 'amount';
export function shapeOf(op: FilterOperator): ValueShape {
  if (op === 'empty' || op === 'notEmpty') return 'none';
  if (op === 'between') return 'two';
  if (op === 'inLast' || op === 'inNext') return 'amount';
  return op === 'anyOf' || op === 'noneOf' || op === 'allOf' ? 'list' : 'one';
}

/** Whether the service would accept it; one that is being edited may not be finished. */
export function isComplete({ field, op, value }: FilterCondition): boolean {
  if (field === '') return false;
  const isValue = (one: unknown) => one !== undefined && one !== '' && one !== null;
  switch (shapeOf(op)) {
    case 'none':
      return true;
    case 'two':
      return Array.isArray(value) && value.length === 2 && value.every(isValue);
    case 'list':
      return Array.isArray(value) && value.length > 0 && value.every(isValue);
    case 'amount':
      return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= filterLimits.amount;
    default:
      return !Array.isArray(value) && isValue(value);
  }
}

/** Keeps what is known: stored filters may name deleted fields, and an address may hold anything. */
export function readFilter(board: Filterable, given: unknown): FilterGroup {
  const part = readPart(board, given, 1);
  if (part && isGroup(part)) return part;
  return { join: 'and', parts: part ? [part] : [] };
}

function readPart(board: Filterable, given: unknown, depth: number): FilterPart | null {
  if (typeof given !== 'object' || given === null) return null;
  const node = given as { [name: string]: unknown };
  const join = Array.isArray(node.and) ? 'and' : Array.isArray(node.or) ? 'or' : null;
  if (join) {
    if (depth > filterLimits.depth) return null;
    const parts = (node[join] as unknown[]).map((part) => readPart(board, part, depth + 1));
    return {
      join,
      parts: parts.filter(
        (part) => part !== null && (!isGroup(part) || part.parts.length > 0),
      ) as FilterPart[],
    };
  }
  const { field, op, value, unit } = node as unknown as FilterCondition;
  if (typeof field !== 'string') return null;
  if (!board.others && !operatorsFor(board, field).includes(op)) return null;
  const condition = { field, op, ...(value !== undefined && { value }), ...(unit !== undefined && { unit }) };
  return board.others || isComplete(condition) ? condition : null;
}

/** For the address: without what is not finished. Undefined: no condition is left. */
export function writeFilter(group: FilterGroup): FilterNode | undefined {
  const parts = group.parts
    .map((part) => (isGroup(part) ? writeFilter(part) : isComplete(part) ? part : undefined))
    .filter((part) => part !== undefined);
  if (parts.length === 0) return undefined;
  return group.join === 'and' ? { and: parts } : { or: parts };
}

export const countConditions = (group: FilterGroup): number =>
  group.parts.reduce((sum, part) => sum + (isGroup(part) ? countConditions(part) : 1), 0);

/** The filters of boards before there were conditions: one person, and one exact value. */
export function oldConditions(
  board: Filterable,
  old: { assignee?: string; field?: string; value?: string },
): FilterCondition[] {
  const conditions: FilterCondition[] = [];
  if (old.assignee) conditions.push({ field: 'assignedUserIds', op: 'contains', value: old.assignee });
  if (old.field && old.value && !isOwnFilterField(old.field)) {
    const comparison = comparisonFor(board, old.field);
    const isNumeric = comparison === 'number' || comparison === 'time';
    const value = isNumeric ? Number(old.value) : comparison === 'boolean' ? old.value === 'true' : old.value;
    conditions.push({ field: old.field, op: comparison === 'options' ? 'contains' : 'is', value });
  }
  return conditions;
}

/** Days are the reader's. */
export const withTimeZone = (filter: FilterNode): RecordFilter => ({
  ...filter,
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
});
