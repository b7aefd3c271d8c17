// The searched records of an account as columns: their order, their filters and their content.

import { type Archive, listOfNumbers } from '../snapshot/archive.ts';
import { Bytes, Integers, Numbers } from './arrays.ts';
import { HashTable, mixHash } from './hash-table.ts';
import { SlotLists } from './slot-lists.ts';

export type Slot = number;
const ALIVE = 1;
const DIRTY = 2;
const HYPHEN = 0x2d;
const DIGIT_ZERO = 0x30;
const LETTER_A = 0x61;

export class Records {
  /** 1 alive, 2 dirty: long lists may contain this slot for values that it no longer has. */
  readonly flags = new Bytes();
  readonly kanbans = new Integers();
  readonly statuses = new Integers();
  readonly createdAt = new Numbers();
  readonly updatedAt = new Numbers();
  /** Four per record: the 128 bits of the id, so that comparing them compares the ids. */
  readonly ids = new Integers();
  /** Four per record: which characters it has (low and high), and which characters its words begin with. */
  readonly characters = new Integers();
  readonly values = new SlotLists();
  /** The distinct parts of these values: lets a term be checked against a record without going through its values. */
  readonly parts = new SlotLists();
  readonly #table = new HashTable((slot) => this.#hashAt(slot));
  #freeSlots: Slot[] = [];
  readonly #wantedId = new Uint32Array(4);

  /** Slots in use or free; the length of every column. */
  get slots(): number {
    return this.flags.length;
  }

  get alive(): number {
    return this.flags.length - this.#freeSlots.length;
  }

  get byteLength(): number {
    return [...this.#columns(), this.values, this.parts, this.#table].reduce(
      (sum, { byteLength }) => sum + byteLength,
      0,
    );
  }

  archive(archive: Archive): void {
    for (const column of this.#columns()) archive.array(column);
    this.values.archive(archive);
    this.parts.archive(archive);
    this.#table.archive(archive);
    archive.array(
      listOfNumbers(
        () => this.#freeSlots,
        (slots) => {
          this.#freeSlots = Array.from(slots);
        },
      ),
    );
  }

  find(id: string): Slot | null {
    const hash = this.#parse(id);
    const table = this.#table;
    for (let place = table.seek(hash); place !== -1; place = table.seekOn(hash, place)) {
      const slot = table.idAt(place);
      if (this.#isWanted(slot)) return slot;
    }
    return null;
  }

  /** The slot of a record that `find` does not know. */
  add(id: string): Slot {
    const hash = this.#parse(id);
    const slot = this.#freeSlots.pop() ?? this.#addSlot();
    this.ids.data.set(this.#wantedId, slot * 4);
    this.flags.data[slot]! |= ALIVE;
    this.#table.add(hash, slot);
    return slot;
  }

  remove(slot: Slot): void {
    this.#table.delete(this.#hashAt(slot), slot);
    this.flags.data[slot]! &= ~ALIVE;
    this.values.set(slot, []);
    this.parts.set(slot, []);
    this.#freeSlots.push(slot);
  }

  isAlive(slot: Slot): boolean {
    return (this.flags.data[slot]! & ALIVE) !== 0;
  }

  isDirty(slot: Slot): boolean {
    return (this.flags.data[slot]! & DIRTY) !== 0;
  }

  markDirty(slot: Slot): void {
    this.flags.data[slot]! |= DIRTY;
  }

  /** Newest id first, in text order; for records changed in the same millisecond. */
  compareIds(a: Slot, b: Slot): number {
    const ids = this.ids.data;
    for (let i = 0; i < 4; i++) {
      const difference = ids[b * 4 + i]! - ids[a * 4 + i]!;
      if (difference !== 0) return difference;
    }
    return 0;
  }

  idOf(slot: Slot): string {
    let hex = '';
    for (let i = 0; i < 4; i++) hex += this.ids.data[slot * 4 + i]!.toString(16).padStart(8, '0');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  }

  #columns() {
    const { flags, kanbans, statuses, createdAt, updatedAt, ids, characters } = this;
    return [flags, kanbans, statuses, createdAt, updatedAt, ids, characters];
  }

  #addSlot(): Slot {
    this.ids.extend(4);
    this.characters.extend(4);
    this.values.addSlot();
    this.parts.addSlot();
    this.kanbans.push(0);
    this.statuses.push(0);
    this.createdAt.push(0);
    this.updatedAt.push(0);
    return this.flags.push(0);
  }

  #parse(id: string): number {
    this.#wantedId.fill(0);
    for (let i = 0, digits = 0; i < id.length; i++) {
      const code = id.charCodeAt(i);
      if (code === HYPHEN) continue;
      const digit = code < LETTER_A ? code - DIGIT_ZERO : code - LETTER_A + 10;
      this.#wantedId[digits >>> 3] = (this.#wantedId[digits >>> 3]! << 4) | digit;
      digits++;
    }
    return hashOfId(this.#wantedId, 0);
  }

  #isWanted(slot: Slot): boolean {
    const ids = this.ids.data;
    const wanted = this.#wantedId;
    const at = slot * 4;
    return (
      ids[at] === wanted[0] &&
      ids[at + 1] === wanted[1] &&
      ids[at + 2] === wanted[2] &&
      ids[at + 3] === wanted[3]
    );
  }

  #hashAt(slot: Slot): number {
    return hashOfId(this.ids.data, slot * 4);
  }
}

function hashOfId(words: Uint32Array, at: number): number {
  let hash = 0;
  for (let i = 0; i < 4; i++) hash = Math.imul(hash ^ words[at + i]!, 0x01000193) ^ (hash >>> 15);
  return mixHash(hash);
}
