/** A filter in words, for its chips, the export and screen readers. */
import type { FilterCondition, FilterOperator, FilterUnit } from '../../../../contract/crm/filters.ts';
import { fieldLabel } from '../../fields/field-label.ts';
import { valueText } from '../../fields/field-value.tsx';
import { dateTime, number, plainDate } from '../../texts/format.ts';
import { t, tn } from '../../texts/texts.ts';
import { manualOrder } from '../data/board-look.ts';
import {
  comparisonFor,
  type Filterable,
  type FilterPart,
  fieldOf,
  isGroup,
  type Join,
  shapeOf,
} from './filter-model.ts';

/** Of a user or a label. */
type NameOf = (id: string) => string | null;

export function nameOfField(board: Filterable, field: string): string {
  const other = board.others?.[field];
  if (other) return other.label;
  switch (field) {
    case 'title':
      return t('record.field.title');
    case 'status':
      return t('record.field.status');
    case 'assignedUserIds':
      return t('board.filter.assignee');
    case 'labelIds':
      return t('record.field.labels');
    case 'createdAt':
      return t('board.filter.createdAt');
    case 'updatedAt':
      return t('board.filter.updatedAt');
    case manualOrder:
      return t('board.sort.manual');
  }
  const found = fieldOf(board, field);
  return found ? fieldLabel(found) : field;
}

export function nameOfOperator(board: Filterable, field: string, op: FilterOperator): string {
  const own = board.others?.[field]?.nameOf?.(op);
  if (own) return own;
  const comparison = comparisonFor(board, field);
  if (comparison === 'number') {
    if (op === 'gt') return '>';
    if (op === 'gte') return '≥';
    if (op === 'lt') return '<';
    if (op === 'lte') return '≤';
  }
  if (comparison === 'options') {
    if (op === 'contains') return t('board.filter.op.includes');
    if (op === 'notContains') return t('board.filter.op.notIncludes');
    if (op === 'anyOf') return t('board.filter.op.hasAny');
    if (op === 'noneOf') return t('board.filter.op.hasNone');
  }
  return t(`board.filter.op.${op}`);
}

export const nameOfJoin = (join: Join) => t(join === 'and' ? 'board.filter.and' : 'board.filter.or');

export const nameOfUnit = (unit: FilterUnit, count: number) => tn(`board.filter.unit.${unit}`, count);

export function wordsOfValue(board: Filterable, condition: FilterCondition, nameOf: NameOf): string {
  const { field, op, value, unit } = condition;
  if (shapeOf(op) === 'none') return '';
  if (shapeOf(op) === 'amount')
    return `${number(Number(value))} ${nameOfUnit(unit ?? 'days', Number(value))}`;
  const custom = fieldOf(board, field);
  const options = board.others?.[field]?.options;
  const one = (each: unknown): string => {
    if (options) return options.find((option) => option.value === String(each))?.label ?? String(each);
    if (field === 'assignedUserIds')
      return each === 'me' ? t('board.filter.myself') : (nameOf(String(each)) ?? '…');
    if (field === 'labelIds') return nameOf(String(each)) ?? '…';
    if (field === 'status')
      return board.statuses.find((status) => status.value === each)?.label ?? String(each);
    if (comparisonFor(board, field) === 'time') return wordsOfTime(each);
    if (!custom || custom.type === 'multiselect') return String(each);
    return valueText(custom, each);
  };
  const all = [value].flat().map(one);
  return all.join(shapeOf(op) === 'two' ? ' – ' : ', ');
}

const wordsOfTime = (value: unknown) => {
  if (isDay(value)) return plainDate(String(value));
  const time = typeof value === 'number' ? value : Date.parse(String(value));
  return Number.isNaN(time) ? String(value) : dateTime(time);
};
const isDay = (value: unknown) => typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value);

/** "Amount > 1,000"; a group in brackets. */
export function wordsOfPart(board: Filterable, part: FilterPart, nameOf: NameOf): string {
  if (isGroup(part)) {
    return `(${part.parts.map((one) => wordsOfPart(board, one, nameOf)).join(` ${nameOfJoin(part.join)} `)})`;
  }
  const { field, op } = part;
  return [nameOfField(board, field), nameOfOperator(board, field, op), wordsOfValue(board, part, nameOf)]
    .filter(Boolean)
    .join(' ');
}
