// The values of records that filters and sorting need, as columns. A field belongs to one board, so each board has
// its own rows: columns over all records would be mostly empty.

import { type Archive, listOfNumbers } from '../snapshot/archive.ts';
import { Integers, Numbers } from '../store/arrays.ts';
import type { Slot } from '../store/records.ts';
import { StringColumn } from './string-column.ts';

/** A number, a text or a set of options. Absent, '' and [] are empty. */
export type ColumnValue = number | string | readonly string[];
export type ColumnValues = { readonly [name: string]: ColumnValue };

export const NO_SLOT = 0xffffffff;

export class NumberColumn {
  readonly kind = 'number';
  /** By row; NaN is empty. */
  readonly values = new Numbers();

  get byteLength(): number {
    return this.values.byteLength;
  }

  archive(archive: Archive): void {
    archive.array(this.values);
  }

  set(row: number, value: number | null): void {
    while (this.values.length <= row) this.values.push(Number.NaN);
    this.values.data[row] = value ?? Number.NaN;
  }
}

export type Column = NumberColumn | StringColumn;

export class BoardTable {
  /** By row; NO_SLOT for a free one. */
  readonly slots = new Integers();
  readonly columns = new Map<string, Column>();
  #freeRows: number[] = [];

  get rows(): number {
    return this.slots.length;
  }

  get byteLength(): number {
    let sum = this.slots.byteLength;
    for (const column of this.columns.values()) sum += column.byteLength;
    return sum;
  }

  archive(archive: Archive): void {
    archive.array(this.slots);
    archive.array(
      listOfNumbers(
        () => this.#freeRows,
        (rows) => {
          this.#freeRows = Array.from(rows);
        },
      ),
    );
    archive.value<{ name: string; kind: Column['kind'] }[]>(
      () => [...this.columns].map(([name, { kind }]) => ({ name, kind })),
      (columns) => {
        for (const { name, kind } of columns) {
          this.columns.set(name, kind === 'number' ? new NumberColumn() : new StringColumn(kind));
        }
      },
    );
    for (const column of this.columns.values()) column.archive(archive);
  }

  add(slot: Slot): number {
    const row = this.#freeRows.pop();
    if (row === undefined) return this.slots.push(slot);
    this.slots.data[row] = slot;
    return row;
  }

  set(row: number, values: ColumnValues): void {
    for (const [name, column] of this.columns) if (values[name] === undefined) column.set(row, null);
    for (const name in values) this.#set(row, name, values[name]!);
  }

  /** Leaves all other columns as they are. */
  fill(row: number, values: ColumnValues): void {
    for (const name in values) this.#set(row, name, values[name]!);
  }

  remove(row: number): void {
    for (const column of this.columns.values()) column.set(row, null);
    this.slots.data[row] = NO_SLOT;
    this.#freeRows.push(row);
  }

  #set(row: number, name: string, value: ColumnValue): void {
    const column = this.columns.get(name);
    if (typeof value === 'number') {
      if (column?.kind === 'number') column.set(row, value);
      else this.#add(name, new NumberColumn()).set(row, value);
      return;
    }
    const kind = typeof value === 'string' ? 'text' : 'set';
    if (column?.kind === kind) column.set(row, value);
    else this.#add(name, new StringColumn(kind)).set(row, value);
  }

  /** A field is given another type only while no record has a value: a column of another kind is empty. */
  #add<T extends Column>(name: string, column: T): T {
    this.columns.set(name, column);
    return column;
  }
}

export class Tables {
  /** The columns that are complete although their owner adds them only when they are needed. */
  readonly onDemand = new Set<string>();
  readonly #boards: BoardTable[] = [];
  /** By slot: the number of its board plus one, 0 without a row; and the row there. */
  readonly #boardOf = new Integers();
  readonly #rowOf = new Integers();

  get byteLength(): number {
    return this.#boards.reduce(
      (sum, board) => sum + board.byteLength,
      this.#boardOf.byteLength + this.#rowOf.byteLength,
    );
  }

  archive(archive: Archive): void {
    archive.array(this.#boardOf);
    archive.array(this.#rowOf);
    archive.value(
      () => this.#boards.length,
      (boards) => {
        while (this.#boards.length < boards) this.#boards.push(new BoardTable());
      },
    );
    for (const board of this.#boards) board.archive(archive);
    archive.value(
      () => [...this.onDemand],
      (names) => {
        for (const name of names) this.onDemand.add(name);
      },
    );
  }

  /** Undefined: no record of the board has been added. */
  board(kanban: number): BoardTable | undefined {
    return this.#boards[kanban];
  }

  boardOf(slot: Slot): number {
    return this.#boardOf.data[slot]! - 1;
  }

  rowOf(slot: Slot): number {
    return this.#rowOf.data[slot]!;
  }

  set(slot: Slot, kanban: number, values: ColumnValues): void {
    while (this.#boardOf.length <= slot) {
      this.#boardOf.push(0);
      this.#rowOf.push(0);
    }
    while (this.#boards.length <= kanban) this.#boards.push(new BoardTable());
    if (this.#boardOf.data[slot] !== kanban + 1) {
      this.remove(slot);
      this.#boardOf.data[slot] = kanban + 1;
      this.#rowOf.data[slot] = this.#boards[kanban]!.add(slot);
    }
    this.#boards[kanban]!.set(this.#rowOf.data[slot]!, values);
  }

  /** Adds values to those that the slot has. */
  fill(slot: Slot, values: ColumnValues): void {
    const kanban = this.boardOf(slot);
    if (kanban >= 0) this.#boards[kanban]!.fill(this.#rowOf.data[slot]!, values);
  }

  /** Only texts: a field that was one may have another type meanwhile, and its values are then always here. */
  dropText(name: string): void {
    this.onDemand.delete(name);
    for (const { columns } of this.#boards) {
      if (columns.get(name)?.kind === 'text') columns.delete(name);
    }
  }

  remove(slot: Slot): void {
    const board = slot < this.#boardOf.length ? this.#boardOf.data[slot]! : 0;
    if (board === 0) return;
    this.#boards[board - 1]!.remove(this.#rowOf.data[slot]!);
    this.#boardOf.data[slot] = 0;
  }

  /** Its fields may be others from now on. */
  clearBoard(kanban: number): void {
    if (this.#boards[kanban]) this.#boards[kanban] = new BoardTable();
  }
}
