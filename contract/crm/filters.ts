/** Conditions on records: `filter` and `sort` of lists, search, boards and exports. docs/filters.md describes them. */
import type { FieldType } from '../limits.ts';

/** How the values of a field are compared. */
export const comparisons = {
  text: ['is', 'isNot', 'contains', 'notContains', 'startsWith', 'anyOf', 'noneOf', 'empty', 'notEmpty'],
  number: ['is', 'isNot', 'gt', 'gte', 'lt', 'lte', 'between', 'anyOf', 'noneOf', 'empty', 'notEmpty'],
  date: [
    'is',
    'isNot',
    'before',
    'after',
    'onOrBefore',
    'onOrAfter',
    'between',
    'inLast',
    'inNext',
    'empty',
    'notEmpty',
  ],
  time: [
    'is',
    'isNot',
    'before',
    'after',
    'onOrBefore',
    'onOrAfter',
    'between',
    'inLast',
    'inNext',
    'empty',
    'notEmpty',
  ],
  option: ['is', 'isNot', 'anyOf', 'noneOf', 'empty', 'notEmpty'],
  options: ['contains', 'notContains', 'anyOf', 'allOf', 'noneOf', 'empty', 'notEmpty'],
  boolean: ['is', 'isNot', 'empty', 'notEmpty'],
} as const;
export type Comparison = keyof typeof comparisons;
export type FilterOperator = (typeof comparisons)[Comparison][number];

const comparisonOfType: { [type in FieldType]: Comparison } = {
  text: 'text',
  textarea: 'text',
  email: 'text',
  phone: 'text',
  url: 'text',
  number: 'number',
  currency: 'number',
  date: 'date',
  datetime: 'time',
  select: 'option',
  multiselect: 'options',
  boolean: 'boolean',
};

/** What every record has. */
export const ownFilterFields = {
  title: 'text',
  status: 'option',
  assignedUserIds: 'options',
  labelIds: 'options',
  createdAt: 'time',
  updatedAt: 'time',
} as const satisfies { [name: string]: Comparison };
export type OwnFilterField = keyof typeof ownFilterFields;

export const isOwnFilterField = (name: string): name is OwnFilterField =>
  Object.hasOwn(ownFilterFields, name);

/** `type` is that of a custom field; own fields need none. */
export const comparisonOf = (field: string, type: FieldType | undefined): Comparison | null => {
  if (isOwnFilterField(field)) return ownFilterFields[field];
  return type === undefined ? null : comparisonOfType[type];
};

export const filterUnits = ['minutes', 'hours', 'days', 'weeks', 'months'] as const;
export type FilterUnit = (typeof filterUnits)[number];

export const filterLimits = {
  conditions: 20,
  /** Of groups, the outermost included. */
  depth: 3,
  values: 100,
  valueLength: 1_000,
  /** Of `inLast` and `inNext`. */
  amount: 10_000,
} as const;

/** In `assignedUserIds`: the caller. */
export const callerAsAssignee = 'me';

export type FilterValue = string | number | boolean;
export interface FilterCondition {
  field: string;
  op: FilterOperator;
  value?: FilterValue | FilterValue[];
  unit?: FilterUnit;
}
export type FilterNode = FilterCondition | { and: FilterNode[] } | { or: FilterNode[] };
export type RecordFilter = FilterNode & { timeZone?: string };
