// Which texts of a column match a condition, decided once per distinct text.

import type { Yielder } from '../query/yielder.ts';
import { foldText } from '../store/text.ts';
import { encodeUtf8, indexOfBytes } from '../store/utf8.ts';
import { KEPT_BYTES, type StringColumn } from './string-column.ts';

export type TextOperator = 'is' | 'contains' | 'startsWith';
export const NO = 0;
export const YES = 1;
/** The kept beginning of a long text does not decide it. */
export const UNDECIDED = 2;

/** About half a millisecond with short texts. */
const TEXTS_PER_TURN = 8192;

/** By id: NO, YES or UNDECIDED; NO for the empty value. */
export async function matchTexts(
  column: StringColumn,
  operator: TextOperator,
  values: readonly string[],
  pause: Yielder,
): Promise<Uint8Array> {
  const result = new Uint8Array(column.size);
  for (const value of values) {
    if (operator === 'is') markEqual(column, value, result);
    else await markPart(column, encodeUtf8(foldText(value)), operator === 'startsWith', result, pause);
  }
  return result;
}

/** The same rule for a whole text. */
export function matchesText(text: string, operator: TextOperator, values: readonly string[]): boolean {
  const folded = foldText(text);
  return values.some((value) => {
    const wanted = foldText(value);
    if (operator === 'is') return folded === wanted;
    return operator === 'contains' ? folded.includes(wanted) : folded.startsWith(wanted);
  });
}

function markEqual(column: StringColumn, value: string, result: Uint8Array): void {
  const id = column.find(value);
  if (id > 0) result[id] = YES;
  if (encodeUtf8(foldText(value)).length <= KEPT_BYTES) return;
  for (let each = 1; each < column.size; each++) if (column.isCut(each)) result[each] = UNDECIDED;
}

async function markPart(
  column: StringColumn,
  wanted: Uint8Array,
  isStart: boolean,
  result: Uint8Array,
  pause: Yielder,
): Promise<void> {
  // A text of nothing but accents is part of every text.
  if (wanted.length === 0) result.fill(YES, 1);
  for (let from = 1; wanted.length > 0 && from < column.size; from += TEXTS_PER_TURN) {
    markSlice(column, wanted, isStart, result, from, Math.min(from + TEXTS_PER_TURN, column.size));
    const waiting = pause();
    if (waiting) await waiting;
  }
}

function markSlice(
  column: StringColumn,
  wanted: Uint8Array,
  isStart: boolean,
  result: Uint8Array,
  from: number,
  to: number,
): void {
  const bytes = column.bytes.data;
  const starts = column.starts.data;
  for (let id = from; id < to; id++) {
    const start = starts[id]!;
    const end = starts[id + 1]!;
    const last = isStart ? Math.min(end, start + wanted.length) : end;
    if (indexOfBytes(bytes, start, last, wanted) !== -1) result[id] = YES;
    else if (result[id] === NO && column.isCut(id) && (!isStart || wanted.length > KEPT_BYTES)) {
      result[id] = UNDECIDED;
    }
  }
}
