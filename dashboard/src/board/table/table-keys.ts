/**
 * The table by keyboard, as in a spreadsheet. Arrows move the active cell, with Shift they extend the rectangle. Tab moves
 * within the row and leaves the table at its end. The header is the row above the first one: there Enter sorts, Alt with
 * an arrow moves the column and Shift with an arrow changes its width.
 */
import type { KeyboardEvent } from 'react';
import type { GridState, Place } from './grid-state.ts';
import type { RowMap } from './row-map.ts';
import type { TableColumn } from './table-look.ts';

export interface GridActions {
  moveTo(place: Place, isExtending?: boolean): void;
  /** `text` replaces the value. */
  edit(text?: string): void;
  /** Space: a boolean. False: the active cell is none. */
  toggle(): boolean;
  empty(): void;
  open(): void;
  selectRow(): void;
  fold(group: number): void;
  sort(column: TableColumn): void;
  moveColumn(column: number, by: number): void;
  widen(column: TableColumn, by: number): void;
}

export interface GridKeysOptions {
  state: GridState;
  map: RowMap;
  columns: readonly TableColumn[];
  /** Rows in view. */
  seen(): number;
  actions: GridActions;
}

const arrows: { [key: string]: [rows: number, columns: number] } = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};
const widthStep = 16;

/** Returns whether the key was used. */
export function handleKey(event: KeyboardEvent, options: GridKeysOptions): boolean {
  const { state, map, columns, actions } = options;
  const { index, column } = state.active;
  if (index < 0 && headerKey(event, options)) return true;
  const target = movedTo(event, options);
  if (target) {
    actions.moveTo(target, event.shiftKey && event.key !== 'Tab');
    return true;
  }
  const isMod = event.ctrlKey || event.metaKey;
  const place = map.at(index);
  if (place?.kind === 'group') {
    if (isMod || (event.key !== 'Enter' && event.key !== ' ')) return false;
    actions.fold(place.group);
    return true;
  }
  if (place?.kind !== 'row') return false;
  if (event.key === 'Enter' && isMod) actions.open();
  else if (isMod || event.altKey) return false;
  else if (event.key === 'Enter' || event.key === 'F2') actions.edit();
  else if (event.key === ' ' && event.shiftKey) actions.selectRow();
  else if (event.key === ' ' && actions.toggle()) return true;
  else if (event.key === 'Delete' || event.key === 'Backspace') actions.empty();
  else if (event.key === 'Escape' && rangeIsWide(state)) actions.moveTo({ index, column });
  else if ([...event.key].length === 1 && event.key !== ' ' && columns[column]) actions.edit(event.key);
  else return false;
  return true;
}

const rangeIsWide = ({ active, anchor }: GridState) =>
  active.index !== anchor.index || active.column !== anchor.column;

function headerKey(event: KeyboardEvent, { state, columns, actions }: GridKeysOptions): boolean {
  const { column } = state.active;
  const by = arrows[event.key]?.[1] ?? 0;
  const shown = columns[column];
  if (!shown) return false;
  if (event.key === 'Enter' || event.key === ' ') actions.sort(shown);
  else if (by !== 0 && event.shiftKey) actions.widen(shown, by * widthStep);
  else if (by !== 0 && event.altKey) actions.moveColumn(column, by);
  else return false;
  return true;
}

function movedTo(event: KeyboardEvent, { state, map, columns, seen }: GridKeysOptions): Place | null {
  const { index, column } = state.active;
  const [lastRow, lastColumn] = [map.length - 1, columns.length - 1];
  const row = (to: number) => Math.max(event.shiftKey ? 0 : -1, Math.min(lastRow, to));
  const isMod = event.ctrlKey || event.metaKey;
  if (event.altKey) return null;
  const arrow = arrows[event.key];
  if (arrow && isMod) {
    if (arrow[0] !== 0) return { index: arrow[0] < 0 ? 0 : lastRow, column };
    return { index, column: arrow[1] < 0 ? 0 : lastColumn };
  }
  if (arrow) {
    const to = Math.max(0, Math.min(lastColumn, column + arrow[1]));
    return { index: row(index + arrow[0]), column: to };
  }
  switch (event.key) {
    case 'Tab': {
      const to = column + (event.shiftKey ? -1 : 1);
      return isMod || to < 0 || to > lastColumn ? null : { index, column: to };
    }
    case 'Home':
      return { index: isMod ? 0 : index, column: 0 };
    case 'End':
      return { index: isMod ? lastRow : index, column: lastColumn };
    case 'PageUp':
      return { index: Math.max(0, index - seen()), column };
    case 'PageDown':
      return { index: Math.min(lastRow, index + seen()), column };
    default:
      return null;
  }
}
