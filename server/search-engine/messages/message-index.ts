// The messages of one account in memory: about 200 bytes each. Slots are append-only: an edited message gets a new
// slot, and the old one is dead. So no list of slots ever has to be cleaned; once a quarter is dead, the owner
// rebuilds the index.

import { Bytes, Integers, Numbers } from '../store/arrays.ts';
import { IdColumn } from '../store/id-column.ts';
import { Postings } from '../store/postings.ts';
import { Values } from '../store/values.ts';

export type MessageDocument = {
  id: string;
  sessionId: string;
  /** Compared by the filter; the engine gives it no meaning. */
  author: string;
  isNote: boolean;
  createdAt: number;
  text: string;
};
export type SessionPlace = { sessionId: string; kanbanId: string; channelId: string };

export const ALIVE = 1;
export const NOTE = 2;
/** The value of a message without text. */
const NO_VALUE = 0xffffffff;
/** A name is a string and an entry of a map, outside the typed arrays. */
const BYTES_OF_NAME = 160;

export class MessageIndex {
  readonly values = new Values();
  readonly slotsOfValue = new Postings();
  /** Four per value: which characters it has (low and high), and which characters its words begin with. */
  readonly characters = new Integers();
  readonly ids = new IdColumn();
  readonly flags = new Bytes();
  readonly times = new Numbers();
  readonly sessionOf = new Integers();
  readonly authorOf = new Integers();
  readonly sessions = new Sessions();
  readonly authors = new Names();
  readonly #valueOf = new Integers();
  readonly #characters = new Uint32Array(4);
  #alive = 0;

  get slots(): number {
    return this.flags.length;
  }

  get alive(): number {
    return this.#alive;
  }

  get byteLength(): number {
    const columns = [this.ids, this.flags, this.times, this.sessionOf, this.authorOf, this.#valueOf];
    const parts = [...columns, this.values, this.slotsOfValue, this.characters, this.sessions];
    return parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** The share of dead slots: what a rebuild would free. */
  get garbage(): number {
    return this.slots === 0 ? 0 : 1 - this.#alive / this.slots;
  }

  upsert({ id, sessionId, author, isNote, createdAt, text }: MessageDocument): void {
    const interned = this.values.intern(text, false);
    const value = interned === -1 ? NO_VALUE : interned;
    if (this.slotsOfValue.size < this.values.size) this.#addValue(value);
    const authorNumber = this.authors.add(author);
    const flags = ALIVE | (isNote ? NOTE : 0);
    const known = this.ids.find(id);
    if (known !== -1) {
      // A receipt changes nothing that is searched.
      const isSame = this.#valueOf.data[known] === value && this.flags.data[known] === flags;
      if (isSame && this.authorOf.data[known] === authorNumber) return;
      this.#kill(known);
    }
    this.ids.push(id);
    this.times.push(createdAt);
    this.sessionOf.push(this.sessions.add(sessionId));
    this.authorOf.push(authorNumber);
    this.#valueOf.push(value);
    const slot = this.flags.push(flags);
    this.#alive++;
    if (value !== NO_VALUE) this.slotsOfValue.append(value, slot);
  }

  remove(id: string): void {
    const slot = this.ids.find(id);
    if (slot !== -1) this.#kill(slot);
  }

  placeSession({ sessionId, kanbanId, channelId }: SessionPlace): void {
    this.sessions.place(sessionId, kanbanId, channelId);
  }

  /** With their messages. */
  removeSessions(sessionIds: readonly string[]): void {
    const gone = new Set(sessionIds.map((id) => this.sessions.find(id)).filter((number) => number !== -1));
    if (gone.size === 0) return;
    const sessionOf = this.sessionOf.data;
    for (let slot = 0; slot < this.slots; slot++) if (gone.has(sessionOf[slot]!)) this.#kill(slot);
  }

  #addValue(value: number): void {
    this.slotsOfValue.addList();
    const { parts, starts } = this.values;
    this.#characters.fill(0);
    this.values.addCharacters(
      parts.data.subarray(starts.data[value]!, starts.data[value + 1]!),
      this.#characters,
    );
    const at = this.characters.extend(4);
    this.characters.data.set(this.#characters, at);
  }

  #kill(slot: number): void {
    if ((this.flags.data[slot]! & ALIVE) === 0) return;
    this.flags.data[slot]! &= ~ALIVE;
    this.ids.forget(slot);
    this.#alive--;
  }
}

/** Strings under dense numbers. */
class Names {
  readonly all: string[] = [];
  readonly #numbers = new Map<string, number>();

  add(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    this.#numbers.set(name, this.all.length);
    return this.all.push(name) - 1;
  }

  find(name: string): number {
    return this.#numbers.get(name) ?? -1;
  }
}

/** The conversations: on which board and channel each one is. */
class Sessions {
  /** Number 0 is no board: of a conversation whose place is not known yet. */
  readonly kanbans = new Names();
  readonly channels = new Names();
  readonly kanbanOf = new Integers();
  readonly channelOf = new Integers();
  readonly #names = new Names();

  constructor() {
    this.kanbans.add('');
    this.channels.add('');
  }

  get size(): number {
    return this.kanbanOf.length;
  }

  get byteLength(): number {
    return this.kanbanOf.byteLength + this.channelOf.byteLength + this.size * BYTES_OF_NAME;
  }

  find(sessionId: string): number {
    return this.#names.find(sessionId);
  }

  add(sessionId: string): number {
    const number = this.#names.add(sessionId);
    if (number === this.size) {
      this.kanbanOf.push(0);
      this.channelOf.push(0);
    }
    return number;
  }

  place(sessionId: string, kanbanId: string, channelId: string): void {
    const number = this.add(sessionId);
    this.kanbanOf.data[number] = this.kanbans.add(kanbanId);
    this.channelOf.data[number] = this.channels.add(channelId);
  }
}
