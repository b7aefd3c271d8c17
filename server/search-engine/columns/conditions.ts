// Evaluates conditions over the columns of boards: one pass over the rows per condition, without a look at records.

import type { Yielder } from '../query/yielder.ts';
import type { SearchIndex } from '../store/index.ts';
import { StringColumn } from './string-column.ts';
import { type BoardTable, type ColumnValue, NO_SLOT, NumberColumn } from './tables.ts';
import { matchesText, matchTexts, type TextOperator, UNDECIDED } from './text-match.ts';

/** Both ends belong to it unless they are open. */
export type NumberRange = { from: number; to: number; isFromOpen?: boolean; isToOpen?: boolean };

/**
 * What one value must be. An empty value fulfils `isEmpty` and every negated condition, and nothing else. `field` is
 * the name of a column, or `status`, `createdAt` or `updatedAt`.
 */
export type Leaf = { field: string; isNegated?: boolean } & (
  | { test: 'isEmpty' }
  | { test: 'inRanges'; ranges: readonly NumberRange[] }
  | { test: 'text'; operator: TextOperator; values: readonly string[] }
  | { test: 'hasAny' | 'hasAll'; values: readonly string[] }
);
export type Condition = { and: readonly Condition[] } | { or: readonly Condition[] } | Leaf;

/** The same for the value of one thing; a list may also be of texts, of which any may match. Absent is empty. */
export function holdsFor(leaf: Leaf, value: ColumnValue | undefined): boolean {
  return matchesValue(leaf, value) !== (leaf.isNegated ?? false);
}

function matchesValue(leaf: Leaf, value: ColumnValue | undefined): boolean {
  if (value === undefined || value === '' || (typeof value === 'object' && value.length === 0)) {
    return leaf.test === 'isEmpty';
  }
  switch (leaf.test) {
    case 'isEmpty':
      return false;
    case 'inRanges':
      return typeof value === 'number' && leaf.ranges.some((range) => isWithin(value, range));
    case 'text': {
      const texts = typeof value === 'object' ? value : [String(value)];
      return texts.some((text) => matchesText(text, leaf.operator, leaf.values));
    }
    case 'hasAny':
      return typeof value === 'object' && leaf.values.some((one) => value.includes(one));
    case 'hasAll':
      return typeof value === 'object' && leaf.values.every((one) => value.includes(one));
  }
}

/** The whole texts of records, for conditions that the kept beginnings do not decide. */
export type ReadTexts = (field: string, ids: string[]) => Promise<Map<string, string>>;

/** By slot: 1 where the condition holds. Only boards that `isWanted` are looked at; elsewhere it is 0. */
export async function evaluate(
  index: SearchIndex,
  condition: Condition,
  isWanted: (kanbanId: string) => boolean,
  readTexts: ReadTexts,
  pause: Yielder,
): Promise<Uint8Array> {
  const result = new Uint8Array(index.records.slots);
  for (const [kanban, kanbanId] of index.kanbans.all.entries()) {
    const table = index.tables.board(kanban);
    if (!table || !isWanted(kanbanId)) continue;
    const rows = await rowsOf({ index, table, readTexts, pause }, condition);
    const slots = table.slots.data;
    for (let row = 0; row < rows.length; row++) if (slots[row] !== NO_SLOT) result[slots[row]!] = rows[row]!;
  }
  return result;
}

type Place = { index: SearchIndex; table: BoardTable; readTexts: ReadTexts; pause: Yielder };

async function rowsOf(place: Place, condition: Condition): Promise<Uint8Array> {
  if ('test' in condition) return rowsOfLeaf(place, condition);
  const isAnd = 'and' in condition;
  const parts = isAnd ? condition.and : condition.or;
  const result = new Uint8Array(place.table.rows).fill(isAnd ? 1 : 0);
  for (const part of parts) {
    const rows = await rowsOf(place, part);
    if (isAnd) for (let row = 0; row < rows.length; row++) result[row]! &= rows[row]!;
    else for (let row = 0; row < rows.length; row++) result[row]! |= rows[row]!;
  }
  return result;
}

async function rowsOfLeaf(place: Place, leaf: Leaf): Promise<Uint8Array> {
  const result = new Uint8Array(place.table.rows);
  await markRows(place, leaf, result);
  if (leaf.isNegated) for (let row = 0; row < result.length; row++) result[row]! ^= 1;
  const waiting = place.pause();
  if (waiting) await waiting;
  return result;
}

async function markRows(place: Place, leaf: Leaf, result: Uint8Array): Promise<void> {
  const { index, table } = place;
  if (leaf.field === 'status') return markStatuses(index, table, leaf, result);
  if (leaf.field === 'createdAt' || leaf.field === 'updatedAt') {
    return markTimes(index.records[leaf.field].data, table, leaf, result);
  }
  const column = table.columns.get(leaf.field);
  if (leaf.test === 'isEmpty') return markEmpty(column, result);
  if (column instanceof NumberColumn && leaf.test === 'inRanges') {
    return markNumbers(column.values.data, column.values.length, leaf.ranges, result);
  }
  if (!(column instanceof StringColumn)) return;
  if (leaf.test === 'text' && column.kind === 'text') return markTexts(place, column, leaf, result);
  if ((leaf.test === 'hasAny' || leaf.test === 'hasAll') && column.kind === 'set') {
    markByTable(column, matchSets(column, leaf.test === 'hasAll', leaf.values), result);
  }
}

function markStatuses(index: SearchIndex, table: BoardTable, leaf: Leaf, result: Uint8Array): void {
  if (leaf.test !== 'hasAny') return;
  const passes = Uint8Array.from(index.statuses.all, (status) => (leaf.values.includes(status) ? 1 : 0));
  const statuses = index.records.statuses.data;
  const slots = table.slots.data;
  for (let row = 0; row < result.length; row++) {
    if (slots[row] !== NO_SLOT) result[row] = passes[statuses[slots[row]!]!]!;
  }
}

function markTimes(times: Float64Array, table: BoardTable, leaf: Leaf, result: Uint8Array): void {
  if (leaf.test !== 'inRanges') return;
  const slots = table.slots.data;
  for (const range of leaf.ranges) {
    for (let row = 0; row < result.length; row++) {
      if (slots[row] !== NO_SLOT && isWithin(times[slots[row]!]!, range)) result[row] = 1;
    }
  }
}

function markNumbers(
  values: Float64Array,
  length: number,
  ranges: readonly NumberRange[],
  result: Uint8Array,
): void {
  for (const range of ranges) {
    for (let row = 0; row < length; row++) if (isWithin(values[row]!, range)) result[row] = 1;
  }
}

/** False for NaN. */
function isWithin(value: number, { from, to, isFromOpen, isToOpen }: NumberRange): boolean {
  return (isFromOpen ? value > from : value >= from) && (isToOpen ? value < to : value <= to);
}

function markEmpty(column: NumberColumn | StringColumn | undefined, result: Uint8Array): void {
  result.fill(1);
  if (column instanceof NumberColumn) {
    const values = column.values.data;
    for (let row = 0; row < column.values.length; row++) if (!Number.isNaN(values[row]!)) result[row] = 0;
  } else if (column) {
    const ids = column.ids.data;
    for (let row = 0; row < column.ids.length; row++) if (ids[row] !== 0) result[row] = 0;
  }
}

function matchSets(column: StringColumn, isAll: boolean, values: readonly string[]): Uint8Array {
  const passes = new Uint8Array(column.size);
  for (let id = 1; id < passes.length; id++) {
    const set = column.setOf(id);
    const has = (value: string) => set.includes(value);
    passes[id] = (isAll ? values.every(has) : values.some(has)) ? 1 : 0;
  }
  return passes;
}

function markByTable(column: StringColumn, passes: Uint8Array, result: Uint8Array): void {
  const ids = column.ids.data;
  for (let row = 0; row < column.ids.length; row++) result[row] = passes[ids[row]!]!;
}

async function markTexts(
  { index, table, readTexts, pause }: Place,
  column: StringColumn,
  { field, operator, values }: Leaf & { test: 'text' },
  result: Uint8Array,
): Promise<void> {
  const passes = await matchTexts(column, operator, values, pause);
  markByTable(column, passes, result);
  if (!passes.includes(UNDECIDED)) return;
  const undecided = [...result.keys()].filter((row) => result[row] === UNDECIDED);
  const ids = undecided.map((row) => index.records.idOf(table.slots.data[row]!));
  const texts = await readTexts(field, ids);
  for (const [i, row] of undecided.entries()) {
    const text = texts.get(ids[i]!);
    result[row] = text !== undefined && matchesText(text, operator, values) ? 1 : 0;
  }
}
