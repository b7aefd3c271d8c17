// The order of records by a column. Every record gets a number; texts get one of their first bytes, and only texts that
// begin alike are compared further.

import type { SearchIndex } from '../store/index.ts';
import type { Slot } from '../store/records.ts';
import { foldText } from '../store/text.ts';
import { encodeUtf8 } from '../store/utf8.ts';
import { StringColumn } from './string-column.ts';
import type { BoardTable } from './tables.ts';

export type Sort = {
  /** The name of a column, or `status`, `createdAt` or `updatedAt`. */
  field: string;
  isDescending: boolean;
  /** The place of each option; a set is placed by its first one. Unlisted options follow. */
  options?: readonly string[] | undefined;
  /** By board: its statuses in order. */
  statuses?: ReadonlyMap<string, readonly string[]> | undefined;
};

/** Where a page ended. `key` is null for an empty value; `text` is given for texts. */
export type SortPlace = { key: number | null; text?: string; id: string };

/** Texts are ordered by this many bytes, so that a page token stays short. */
const ORDERED_BYTES = 64;
/** As many as a number holds exactly. */
const KEY_BYTES = 6;
/** After everything else, in both directions. */
const EMPTY = Number.NEGATIVE_INFINITY;

export class Order {
  /** By slot; larger first. */
  readonly keys: Float64Array;
  readonly #index: SearchIndex;
  readonly #sort: Sort;
  readonly #isText: boolean;

  /** `slots` are those that will be compared. */
  constructor(index: SearchIndex, sort: Sort, slots: Uint32Array) {
    this.#index = index;
    this.#sort = sort;
    this.keys = new Float64Array(index.records.slots);
    this.#isText = this.#fill(slots);
  }

  /** Orders slots with equal keys: by the whole text, then newest id first. */
  readonly breakTie = (a: Slot, b: Slot): number => {
    if (this.#isText) {
      const difference = compareBytes(this.#bytesOf(a), this.#bytesOf(b));
      if (difference !== 0) return this.#sort.isDescending ? -difference : difference;
    }
    return this.#index.records.compareIds(a, b);
  };

  placeOf(slot: Slot): SortPlace {
    const key = this.keys[slot]!;
    const place = { key: key === EMPTY ? null : key, id: this.#index.records.idOf(slot) };
    return this.#isText ? { ...place, text: Buffer.from(this.#bytesOf(slot)).toString('base64url') } : place;
  }

  /** Whether a slot comes after the place. */
  after(place: SortPlace): (slot: Slot) => boolean {
    const key = place.key ?? EMPTY;
    const text = place.text === undefined ? null : Buffer.from(place.text, 'base64url');
    const id = wordsOf(place.id);
    const ids = this.#index.records.ids.data;
    return (slot) => {
      const own = this.keys[slot]!;
      if (own !== key) return own < key;
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
    if (field === 'status') {
      this.#fillStatuses(slots, sign);
      return false;
    }
    let isText = false;
    const readers = new Map<number, (row: number) => number>();
    for (const slot of slots) {
      const kanban = tables.boardOf(slot);
      let read = readers.get(kanban);
      if (!read) {
        const column = tables.board(kanban)?.columns.get(field);
        isText ||= column?.kind === 'text';
        read = this.#reader(column);
        readers.set(kanban, read);
      }
      const key = read(tables.rowOf(slot));
      keys[slot] = Number.isNaN(key) ? EMPTY : sign * key;
    }
    return isText;
  }

  #fillStatuses(slots: Uint32Array, sign: number): void {
    const { records, kanbans, statuses } = this.#index;
    const orders = kanbans.all.map((id) => this.#sort.statuses?.get(id) ?? []);
    const places = orders.map((order) => statuses.all.map((status) => placeIn(order, status)));
    for (const slot of slots) {
      this.keys[slot] = sign * places[records.kanbans.data[slot]!]![records.statuses.data[slot]!]!;
    }
  }

  /** NaN: empty. */
  #reader(column: ReturnType<BoardTable['columns']['get']>): (row: number) => number {
    if (!column) return () => Number.NaN;
    if (!(column instanceof StringColumn)) {
      const { data, length } = column.values;
      return (row) => (row < length ? data[row]! : Number.NaN);
    }
    const keyOf = column.kind === 'text' ? textKey : setKey;
    const byId = new Float64Array(column.size).fill(Number.NaN);
    const { data, length } = column.ids;
    const options = this.#sort.options ?? [];
    return (row) => {
      const id = row < length ? data[row]! : 0;
      if (id !== 0 && Number.isNaN(byId[id]!)) byId[id] = keyOf(column, id, options);
      return byId[id]!;
    };
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

function textKey(column: StringColumn, id: number): number {
  const start = column.starts.data[id]!;
  const end = column.starts.data[id + 1]!;
  let key = 0;
  for (let i = 0; i < KEY_BYTES; i++) key = key * 256 + (start + i < end ? column.bytes.data[start + i]! : 0);
  return key;
}

function setKey(column: StringColumn, id: number, options: readonly string[]): number {
  return Math.min(...column.setOf(id).map((option) => placeIn(options, option)));
}

/** Options that are not listed any more come after the others, in the order of their first letters. */
function placeIn(options: readonly string[], option: string): number {
  const place = options.indexOf(option);
  if (place !== -1) return place;
  const bytes = encodeUtf8(foldText(option));
  return options.length + (bytes[0] ?? 0) / 256 + (bytes[1] ?? 0) / 65_536;
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
