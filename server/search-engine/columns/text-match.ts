// Which texts of a column match a condition, decided once per distinct text.

import type { Yielder } from '../query/yielder.ts';
import { foldText } from '../store/text.ts';
import { encodeUtf8 } from '../store/utf8.ts';
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
    const to = Math.min(from + TEXTS_PER_TURN, column.size);
    if (isStart) markStarts(column, wanted, result, from, to);
    else if (wanted.length === 1) markByte(column, wanted[0]!, result, from, to);
    else markContaining(column, wanted, result, from, to);
    const isDecided = isStart && wanted.length <= KEPT_BYTES;
    for (let id = from; !isDecided && id < to; id++) {
      if (result[id] === NO && column.isCut(id)) result[id] = UNDECIDED;
    }
    const waiting = pause();
    if (waiting) await waiting;
  }
}

function markStarts(
  column: StringColumn,
  wanted: Uint8Array,
  result: Uint8Array,
  from: number,
  to: number,
): void {
  const bytes = column.bytes.data;
  const starts = column.starts.data;
  for (let id = from; id < to; id++) {
    const start = starts[id]!;
    if (starts[id + 1]! - start < wanted.length) continue;
    let i = 0;
    while (i < wanted.length && bytes[start + i] === wanted[i]) i++;
    if (i === wanted.length) result[id] = YES;
  }
}

/** Nearly every text has a given letter: a plain loop beats a native call per text. */
function markByte(column: StringColumn, wanted: number, result: Uint8Array, from: number, to: number): void {
  const bytes = column.bytes.data;
  const starts = column.starts.data;
  for (let id = from; id < to; id++) {
    const end = starts[id + 1]!;
    let at = starts[id]!;
    while (at < end && bytes[at] !== wanted) at++;
    if (at < end) result[id] = YES;
  }
}

/** Searches all texts at once, natively; a finding that runs into the next text is none. */
function markContaining(
  column: StringColumn,
  wanted: Uint8Array,
  result: Uint8Array,
  from: number,
  to: number,
): void {
  const starts = column.starts.data;
  const { buffer, byteOffset } = column.bytes.data;
  const bytes = Buffer.from(buffer, byteOffset + starts[from]!, starts[to]! - starts[from]!);
  const offset = starts[from]!;
  let id = from;
  for (let at = bytes.indexOf(wanted); at !== -1; ) {
    while (starts[id + 1]! - offset <= at) id++;
    const end = starts[id + 1]! - offset;
    const isInside = at + wanted.length <= end;
    if (isInside) result[id] = YES;
    at = bytes.indexOf(wanted, isInside ? end : at + 1);
  }
}
