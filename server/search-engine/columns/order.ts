// The order of records by a column. Every record gets a number; texts get one of their first bytes, and only texts that
// begin alike are compared further.

import type { SearchIndex } from '../store/index.ts';
import type { Slot } from '../store/records.ts';
import { foldText } from '../store/text.ts';
import { encodeUtf8 } from '../store/utf8.ts';
import { StringColumn } from './string-column.ts';
import type { Column } from './tables.ts';

export type Sort = {
  /** The name of a column, or `status`, `createdAt`, `updatedAt` or `manual`. */
  field: string;
  isDescending: boolean;
  /** The place of each option; a set is placed by its first one. Unlisted options follow. */
  options?: readonly string[] | undefined;
  /** By board: its statuses in order. */
  statuses?: ReadonlyMap<string, readonly string[]> | undefined;
};

/** Where a page ended. `key` is null for an empty value; `text` is given for texts, and the id of a manual place. */
export type SortPlace = { key: number | null; text?: string; id: string };

/** Texts are ordered by this many bytes, so that a page token stays short. */
const ORDERED_BYTES = 64;
/** After everything else, in both directions. */
const EMPTY = Number.NEGATIVE_INFINITY;

export class Order {
  /** By slot; larger first. */
  readonly keys: Float64Array;
  readonly #index: SearchIndex;
  readonly #sort: Sort;
  readonly #isManual: boolean;
  readonly #isText: boolean;

  /** `slots` are those that will be compared. */
  constructor(index: SearchIndex, sort: Sort, slots: Uint32Array) {
    this.#index = index;
    this.#sort = sort;
    this.#isManual = sort.field === 'manual';
    this.keys = new Float64Array(index.records.slots);
    this.#isText = this.#fill(slots);
  }

  /** Orders slots with equal keys: by the whole text, then newest id first. */
  readonly breakTie = (a: Slot, b: Slot): number => {
    if (this.#isManual && this.#index.places.areAny(a, b)) {
      const [left, right] = [this.#placeId(a), this.#placeId(b)];
      if (left !== right) return left > right ? -1 : 1;
    }
    if (this.#isText) {
      const difference = this.#compareTexts(a, b);
      if (difference !== 0) return this.#sort.isDescending ? -difference : difference;
    }
    return this.#index.records.compareIds(a, b);
  };

  placeOf(slot: Slot): SortPlace {
    const key = this.keys[slot]!;
    const place = { key: key === EMPTY ? null : key, id: this.#index.records.idOf(slot) };
    if (this.#isManual) return { ...place, text: this.#placeId(slot) };
    return this.#isText ? { ...place, text: Buffer.from(this.#bytesOf(slot)).toString('base64url') } : place;
  }

  /** Whether a slot comes after the place. */
  after(place: SortPlace): (slot: Slot) => boolean {
    const key = place.key ?? EMPTY;
    const text = place.text === undefined || this.#isManual ? null : Buffer.from(place.text, 'base64url');
    const id = wordsOf(place.id);
    const ids = this.#index.records.ids.data;
    return (slot) => {
      const own = this.keys[slot]!;
      if (own !== key) return own < key;
      if (this.#isManual) {
        const placeId = this.#placeId(slot);
        if (placeId !== place.text) return placeId < place.text!;
      }
      if (text !== null && this.#isText) {
        const difference = compareBytes(this.#bytesOf(slot), text);
        if (difference !== 0) return this.#sort.isDescending ? difference < 0 : difference > 0;
      }
      for (let i = 0; i < 4; i++) if (ids[slot * 4 + i] !== id[i]) return ids[slot * 4 + i]! < id[i]!;
      return false;
    };
  }

  /** Returns whether the keys are beginnings of texts. */
  #fill(slots: Uint32Array): boolean {
    const { records, tables } = this.#index;
    const { field } = this.#sort;
    const sign = this.#sort.isDescending ? 1 : -1;
    const { keys } = this;
    if (field === 'createdAt' || field === 'updatedAt') {
      const times = records[field].data;
      for (const slot of slots) keys[slot] = sign * times[slot]!;
      return false;
    }
    if (this.#isManual) {
      for (const slot of slots) keys[slot] = this.#index.places.of(slot)?.at ?? records.createdAt.data[slot]!;
      return false;
    }
    if (field === 'status') {
      this.#fillStatuses(slots, sign);
      return false;
    }
    let isText = false;
    const kanbans = new Uint8Array(this.#index.kanbans.all.length);
    for (const slot of slots) kanbans[tables.boardOf(slot)] = 1;
    for (let kanban = 0; kanban < kanbans.length; kanban++) {
      if (kanbans[kanban] === 0) continue;
      const column = tables.board(kanban)?.columns.get(field);
      isText ||= column?.kind === 'text';
      this.#fillBoard(slots, kanban, column, sign);
    }
    return isText;
  }

  #fillBoard(slots: Uint32Array, kanban: number, column: Column | undefined, sign: number): void {
    const { keys } = this;
    const { tables } = this.#index;
    const isString = column instanceof StringColumn;
    const values = column === undefined ? noNumbers : isString ? this.#keysOf(column) : column.values.data;
    const ids = isString ? column.ids.data : null;
    const length = column === undefined ? 0 : isString ? column.ids.length : column.values.length;
    for (let i = 0; i < slots.length; i++) {
      const slot = slots[i]!;
      if (tables.boardOf(slot) !== kanban) continue;
      const row = tables.rowOf(slot);
      const place = ids === null || row >= length ? row : ids[row]!;
      const isEmpty = row >= length || (ids !== null && place === 0);
      const value = isEmpty ? Number.NaN : values[place]!;
      keys[slot] = Number.isNaN(value) ? EMPTY : sign * value;
    }
  }

  /** By id. */
  #keysOf(column: StringColumn): Float64Array {
    if (column.kind === 'text') return column.prefixes();
    const options = this.#sort.options ?? [];
    const places = (id: number) => column.setOf(id).map((option) => placeIn(options, option));
    return Float64Array.from({ length: column.size }, (_, id) => (id === 0 ? 0 : Math.min(...places(id))));
  }

  #placeId(slot: Slot): string {
    return this.#index.places.of(slot)?.id ?? this.#index.records.idOf(slot);
  }

  #fillStatuses(slots: Uint32Array, sign: number): void {
    const { records, kanbans, statuses } = this.#index;
    const orders = kanbans.all.map((id) => this.#sort.statuses?.get(id) ?? []);
    const places = orders.map((order) => statuses.all.map((status) => placeIn(order, status)));
    for (const slot of slots) {
      this.keys[slot] = sign * places[records.kanbans.data[slot]!]![records.statuses.data[slot]!]!;
    }
  }

  #compareTexts(a: Slot, b: Slot): number {
    const { tables } = this.#index;
    const kanban = tables.boardOf(a);
    const column = kanban === tables.boardOf(b) ? tables.board(kanban)?.columns.get(this.#sort.field) : null;
    if (!(column instanceof StringColumn)) return compareBytes(this.#bytesOf(a), this.#bytesOf(b));
    const [left, right] = [column.ids.data[tables.rowOf(a)] ?? 0, column.ids.data[tables.rowOf(b)] ?? 0];
    return left === right ? 0 : compareStored(column, left, right);
  }

  #bytesOf(slot: Slot): Uint8Array {
    const { tables } = this.#index;
    const column = tables.board(tables.boardOf(slot))?.columns.get(this.#sort.field);
    if (!(column instanceof StringColumn)) return noBytes;
    const id = column.ids.data[tables.rowOf(slot)] ?? 0;
    const start = column.starts.data[id]!;
    return column.bytes.data.subarray(start, Math.min(column.starts.data[id + 1]!, start + ORDERED_BYTES));
  }
}

const noBytes = new Uint8Array(0);
const noNumbers = new Float64Array(0);

/** Options that are no longer listed come after the others, in the order of their first letters. */
function placeIn(options: readonly string[], option: string): number {
  const place = options.indexOf(option);
  if (place !== -1) return place;
  const bytes = encodeUtf8(foldText(option));
  return options.length + (bytes[0] ?? 0) / 256 + (bytes[1] ?? 0) / 65_536;
}

/** Without a view of each text: this runs for every record that begins alike. */
function compareStored(column: StringColumn, left: number, right: number): number {
  const bytes = column.bytes.data;
  const starts = column.starts.data;
  const [a, b] = [starts[left]!, starts[right]!];
  const lengthA = Math.min(starts[left + 1]! - a, ORDERED_BYTES);
  const lengthB = Math.min(starts[right + 1]! - b, ORDERED_BYTES);
  const length = Math.min(lengthA, lengthB);
  for (let i = 0; i < length; i++) if (bytes[a + i] !== bytes[b + i]) return bytes[a + i]! - bytes[b + i]!;
  return lengthA - lengthB;
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return a.length - b.length;
}

function wordsOf(id: string): number[] {
  const hex = id.replaceAll('-', '');
  return [0, 8, 16, 24].map((at) => Number.parseInt(hex.slice(at, at + 8), 16));
}
