// The searchable content of one account in memory. Changes are idempotent and may arrive in any order; the last
// change applied to a record wins.

import { type ColumnValues, Tables } from '../columns/tables.ts';
import { type Archive, listOfNumbers } from '../snapshot/archive.ts';
import { Places } from './places.ts';
import { Postings } from './postings.ts';
import { Records, type Slot } from './records.ts';
import { Values } from './values.ts';

export type SearchText = { text: string; isPhone: boolean };
export type SearchDocument = {
  id: string;
  kanbanId: string;
  status: string;
  createdAt: number;
  updatedAt: number;
  /** Where it was put by hand, instead of its creation time and id. */
  place?: { at: number; id: string } | null;
  /** The title, then the values of searched fields, in the order in which suggestions of one record appear. */
  texts: SearchText[];
  /** What filters and sorting compare; without it only text, board, status and times do. */
  columns?: ColumnValues;
};

/** A record is removed from shorter lists immediately; longer lists are cleaned when a quarter of them is stale. */
const SHORT_LIST = 64;

export class SearchIndex {
  readonly values = new Values();
  readonly records = new Records();
  readonly recordsOfValue = new Postings();
  readonly tables = new Tables();
  readonly places = new Places();
  readonly kanbans = new Names();
  readonly statuses = new Names();
  readonly #staleOf = new Map<number, number>();
  readonly #characters = new Uint32Array(4);
  readonly #parts = new Set<number>();
  #unusedValues = 0;
  #changes = 0;

  get byteLength(): number {
    return (
      this.values.byteLength +
      this.records.byteLength +
      this.recordsOfValue.byteLength +
      this.tables.byteLength +
      this.places.byteLength
    );
  }

  /** Grows with every change: an index that is being written must not change meanwhile. */
  get changes(): number {
    return this.#changes;
  }

  /** The share of values that no record has any longer: what a rebuild would free. */
  get garbage(): number {
    return this.values.size === 0 ? 0 : this.#unusedValues / this.values.size;
  }

  archive(archive: Archive): void {
    const { values, records, recordsOfValue, tables, places, kanbans, statuses } = this;
    const parts = [kanbans, statuses, values, records, recordsOfValue, tables, places];
    for (const part of parts) part.archive(archive);
    archive.value(
      () => this.#unusedValues,
      (unused) => {
        this.#unusedValues = unused;
      },
    );
    archive.array(
      listOfNumbers(
        () => [...this.#staleOf].flat(),
        (numbers) => {
          for (let i = 0; i < numbers.length; i += 2) this.#staleOf.set(numbers[i]!, numbers[i + 1]!);
        },
      ),
    );
  }

  upsert(document: SearchDocument): void {
    this.#changes++;
    const { records } = this;
    const values: number[] = [];
    for (const { text, isPhone } of document.texts) {
      const value = this.values.intern(text, isPhone);
      if (value === -1 || values.includes(value)) continue;
      while (this.recordsOfValue.size <= value) {
        this.recordsOfValue.addList();
        this.#unusedValues++;
      }
      values.push(value);
    }
    const known = records.find(document.id);
    const slot = known ?? records.add(document.id);
    records.kanbans.data[slot] = this.kanbans.add(document.kanbanId);
    records.statuses.data[slot] = this.statuses.add(document.status);
    records.createdAt.data[slot] = document.createdAt;
    records.updatedAt.data[slot] = document.updatedAt;
    this.places.set(slot, document.place ?? null);
    if (document.columns) this.tables.set(slot, records.kanbans.data[slot]!, document.columns);
    this.#setParts(slot, values);
    if (known === null) {
      records.values.set(slot, values);
      for (const value of values) this.#join(slot, value);
      return;
    }
    const before = [...records.values.of(slot)];
    records.values.set(slot, values);
    for (const value of before) if (!values.includes(value)) this.#leave(slot, value);
    for (const value of values) if (!before.includes(value)) this.#join(slot, value);
  }

  /** Adds columns to those that a record has; one that is unknown, or on another board, is left as it is. */
  fillColumns(id: string, kanbanId: string, columns: ColumnValues): void {
    const slot = this.records.find(id);
    if (slot === null || this.kanbans.all[this.records.kanbans.data[slot]!] !== kanbanId) return;
    this.tables.fill(slot, columns);
  }

  /** All records have it, or none: one change for any number. */
  changeTextColumn(name: string, how: 'added' | 'dropped'): void {
    this.#changes++;
    if (how === 'added') this.tables.onDemand.add(name);
    else this.tables.dropText(name);
  }

  remove(id: string): void {
    const slot = this.records.find(id);
    if (slot === null) return;
    this.#changes++;
    this.#removeSlot(slot);
  }

  removeKanban(kanbanId: string): void {
    this.#changes++;
    const kanban = this.kanbans.add(kanbanId);
    const { records } = this;
    for (let slot = 0; slot < records.slots; slot++) {
      if (records.isAlive(slot) && records.kanbans.data[slot] === kanban) this.#removeSlot(slot);
    }
    this.tables.clearBoard(kanban);
  }

  #setParts(slot: Slot, values: readonly number[]): void {
    this.#parts.clear();
    for (const value of values) this.values.addParts(value, this.#parts);
    const parts = [...this.#parts];
    this.records.parts.set(slot, parts);
    this.#characters.fill(0);
    this.values.addCharacters(parts, this.#characters);
    this.records.characters.data.set(this.#characters, slot * 4);
  }

  #removeSlot(slot: Slot): void {
    const values = [...this.records.values.of(slot)];
    this.records.remove(slot);
    this.tables.remove(slot);
    this.places.set(slot, null);
    for (const value of values) this.#leave(slot, value);
  }

  #join(slot: Slot, value: number): void {
    const lists = this.recordsOfValue;
    if (lists.count(value) === 0) this.#unusedValues--;
    const stale = this.#staleOf.get(value) ?? 0;
    if (stale > 0 && lists.isFull(value) && stale * 4 >= lists.count(value)) this.#clean(value);
    lists.append(value, slot);
  }

  /** After the slot's own list of values has changed: cleaning checks list entries against it. */
  #leave(slot: Slot, value: number): void {
    const lists = this.recordsOfValue;
    if (lists.count(value) <= SHORT_LIST) {
      lists.retain(value, (each) => each !== slot);
      if (lists.count(value) === 0) this.#unusedValues++;
      return;
    }
    this.records.markDirty(slot);
    this.#staleOf.set(value, (this.#staleOf.get(value) ?? 0) + 1);
  }

  /** A dirty slot may also be listed twice if it left a value and came back. */
  #clean(value: number): void {
    const { records } = this;
    const seen = new Set<Slot>();
    this.recordsOfValue.retain(value, (slot) => {
      if (!records.isDirty(slot)) return true;
      if (!records.values.has(slot, value) || seen.has(slot)) return false;
      seen.add(slot);
      return true;
    });
    this.#staleOf.delete(value);
  }
}

/** A few strings under small numbers: boards and statuses. */
class Names {
  readonly all: string[] = [];
  readonly #numbers = new Map<string, number>();

  archive(archive: Archive): void {
    archive.value(
      () => this.all,
      (names) => {
        for (const name of names) this.add(name);
      },
    );
  }

  add(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    this.#numbers.set(name, this.all.length);
    return this.all.push(name) - 1;
  }
}
