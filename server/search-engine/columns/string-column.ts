// A column of texts or of sets of options. Each distinct text is stored once, so that a condition is decided once per
// text and then looked up per row.

import type { Archive } from '../snapshot/archive.ts';
import { Bytes, Integers, Numbers } from '../store/arrays.ts';
import { HashTable, mixHash } from '../store/hash-table.ts';
import { foldText } from '../store/text.ts';
import { writeUtf8 } from '../store/utf8.ts';

/** Of a longer text only the beginning is kept; conditions that need the rest read it from the source. */
export const KEPT_BYTES = 1024;
const COMPACT_FROM_BYTES = 1 << 20;
/** As many as a number holds exactly. */
const PREFIX_BYTES = 6;
const decoder = new TextDecoder();

/** `text`: compared without case and accents. `set`: a list of options, compared exactly; the order is irrelevant. */
export type StringKind = 'text' | 'set';

export class StringColumn {
  readonly kind: StringKind;
  /** By row: 0 if empty, else the text's id. */
  readonly ids = new Integers();
  /** The texts one after the other; the id of the first is 1. */
  bytes = new Bytes();
  /** By id: where the text begins. One more entry than texts, and one for the empty value. */
  starts = new Integers();
  #rowsOf = new Integers();
  #isCut = new Bytes();
  #table = this.#makeTable();
  #unusedBytes = 0;
  #scratch = new Uint8Array(4096);
  /** By id, parsed when first needed. */
  #sets: (readonly string[])[] = [];
  /** By id: the beginning as a number; extended when first needed, because few columns are sorted by. */
  readonly #prefixes = new Numbers();

  constructor(kind: StringKind) {
    this.kind = kind;
    this.#clear();
  }

  /** The number of ids, with that of the empty value. */
  get size(): number {
    return this.starts.length - 1;
  }

  get byteLength(): number {
    const own = [this.ids, this.bytes, this.starts, this.#rowsOf, this.#isCut, this.#table, this.#prefixes];
    return own.reduce((sum, { byteLength }) => sum + byteLength, this.#scratch.byteLength);
  }

  archive(archive: Archive): void {
    for (const array of [this.ids, this.bytes, this.starts, this.#rowsOf, this.#isCut]) archive.array(array);
    this.#table.archive(archive);
    archive.value(
      () => this.#unusedBytes,
      (bytes) => {
        this.#unusedBytes = bytes;
      },
    );
  }

  isCut(id: number): boolean {
    return this.#isCut.data[id] === 1;
  }

  set(row: number, value: string | readonly string[] | null): void {
    while (this.ids.length <= row) this.ids.push(0);
    const before = this.ids.data[row]!;
    const id = value === null || value.length === 0 ? 0 : this.#intern(formOf(value));
    if (id !== 0) this.#rowsOf.data[id]!++;
    this.ids.data[row] = id;
    if (before !== 0 && --this.#rowsOf.data[before]! === 0) this.#unusedBytes += this.#lengthOf(before);
    if (this.#unusedBytes > COMPACT_FROM_BYTES && this.#unusedBytes * 2 > this.bytes.length) this.#compact();
  }

  /** The id of a text or set that some row has or had, or -1. */
  find(value: string | readonly string[]): number {
    const length = this.#encode(formOf(value));
    return length > KEPT_BYTES && this.kind === 'text'
      ? -1
      : this.#seek(hashOf(this.#scratch, 0, length), length);
  }

  setOf(id: number): readonly string[] {
    let list = this.#sets[id];
    if (list === undefined) {
      list = id === 0 ? [] : (JSON.parse(this.textOf(id)) as string[]);
      this.#sets[id] = list;
    }
    return list;
  }

  /** By id: the first bytes as a number, in the order of the texts; 0 for the empty value. */
  prefixes(): Float64Array {
    const { data: bytes } = this.bytes;
    const { data: starts } = this.starts;
    for (let id = this.#prefixes.length; id < this.size; id++) {
      const start = starts[id]!;
      const end = starts[id + 1]!;
      let key = 0;
      for (let i = start; i < start + PREFIX_BYTES; i++) key = key * 256 + (i < end ? bytes[i]! : 0);
      this.#prefixes.push(key);
    }
    return this.#prefixes.data;
  }

  textOf(id: number): string {
    return decoder.decode(this.bytes.data.subarray(this.starts.data[id]!, this.starts.data[id + 1]!));
  }

  #intern(text: string): number {
    const length = this.#encode(text);
    const isCut = this.kind === 'text' && length > KEPT_BYTES;
    // Two long texts with the same beginning differ: each has its own entry.
    const hash = hashOf(this.#scratch, 0, isCut ? KEPT_BYTES : length);
    const known = isCut ? -1 : this.#seek(hash, length);
    if (known !== -1) {
      if (this.#rowsOf.data[known] === 0) this.#unusedBytes -= length;
      return known;
    }
    const id = this.#append(this.#scratch, 0, isCut ? KEPT_BYTES : length, isCut);
    if (!isCut) this.#table.add(hash, id);
    return id;
  }

  #append(from: Uint8Array, start: number, length: number, isCut: boolean): number {
    const at = this.bytes.extend(length);
    this.bytes.data.set(from.subarray(start, start + length), at);
    this.#isCut.push(isCut ? 1 : 0);
    this.#rowsOf.push(0);
    return this.starts.push(at + length) - 1;
  }

  #encode(text: string): number {
    if (text.length * 3 > this.#scratch.length) this.#scratch = new Uint8Array(text.length * 3);
    return writeUtf8(text, 0, text.length, this.#scratch);
  }

  #seek(hash: number, length: number): number {
    const wanted = this.#scratch;
    for (let place = this.#table.seek(hash); place !== -1; place = this.#table.seekOn(hash, place)) {
      const id = this.#table.idAt(place);
      const start = this.starts.data[id]!;
      if (this.starts.data[id + 1]! - start !== length) continue;
      let i = 0;
      while (i < length && this.bytes.data[start + i] === wanted[i]) i++;
      if (i === length) return id;
    }
    return -1;
  }

  #makeTable(): HashTable {
    return new HashTable((id) => hashOf(this.bytes.data, this.starts.data[id]!, this.starts.data[id + 1]!));
  }

  #lengthOf(id: number): number {
    return this.starts.data[id + 1]! - this.starts.data[id]!;
  }

  #clear(): void {
    this.bytes = new Bytes();
    this.starts = new Integers();
    this.#rowsOf = new Integers();
    this.#isCut = new Bytes();
    this.#table = this.#makeTable();
    this.#unusedBytes = 0;
    this.#sets = [];
    this.#prefixes.length = 0;
    this.starts.push(0);
    this.starts.push(0);
    this.#rowsOf.push(0);
    this.#isCut.push(0);
  }

  /** Drops the texts that no row uses now: edits of a long text would otherwise fill the memory. */
  #compact(): void {
    const before = { bytes: this.bytes.data, starts: this.starts.data, rows: this.#rowsOf, cut: this.#isCut };
    this.#clear();
    const idOf = new Uint32Array(before.rows.length);
    for (let id = 1; id < before.rows.length; id++) {
      if (before.rows.data[id] === 0) continue;
      const start = before.starts[id]!;
      const isCut = before.cut.data[id] === 1;
      idOf[id] = this.#append(before.bytes, start, before.starts[id + 1]! - start, isCut);
      this.#rowsOf.data[idOf[id]!] = before.rows.data[id]!;
      if (!isCut) this.#table.add(hashOf(before.bytes, start, before.starts[id + 1]!), idOf[id]!);
    }
    for (let row = 0; row < this.ids.length; row++) this.ids.data[row] = idOf[this.ids.data[row]!]!;
  }
}

/** A set is stored as JSON of its sorted options. */
function formOf(value: string | readonly string[]): string {
  return typeof value === 'string' ? foldText(value) : JSON.stringify([...value].sort());
}

function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = to - from;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
  return mixHash(hash);
}
