// Distinct values (a title, an address, an option) as lists of tokens. Records share values, terms match tokens, and
// suggestions are values: so the way from a term to its records leads word -> token -> value -> record.

import { Integers } from './search.arrays.ts';
import { Dictionary } from './search.dictionary.ts';
import { HashTable, mixHash } from './search.hash-table.ts';
import { wordEnd, wordStart } from './search.match.ts';
import { Postings } from './search.postings.ts';
import { foldText, phoneDigits, splitOnWhiteSpace } from './search.text.ts';
import { writeUtf8 } from './search.utf8.ts';

/** A value's id is looked up by its unfolded text first: boards repeat cities and products by the thousand. */
const CACHED_TEXTS = 20_000;
const CACHED_LENGTH = 64;
/** Marks an entry of a value's list as a phone number's digits; ids of dictionaries stay far below. */
const PHONE_BIT = 0x80000000;

export class Values {
  readonly words = new Dictionary();
  readonly tokens = new Dictionary();
  readonly phones = new Dictionary();
  readonly tokensOfWord = new Postings();
  readonly valuesOfToken = new Postings();
  readonly valuesOfPhone = new Postings();
  readonly #parts = new Integers();
  readonly #starts = new Integers();
  /** Tells values apart that fold to the same tokens (ANA, Ana): a suggestion shows each text once, as written. */
  readonly #textHashes = new Integers();
  readonly #table = new HashTable();
  readonly #textCache = new Map<string, number>();
  readonly #phoneCache = new Map<string, number>();
  #scratch: Uint8Array = new Uint8Array(4096);
  readonly #wanted: number[] = [];
  #wantedText = 0;
  readonly #isSame = (id: number): boolean => {
    const start = this.#starts.data[id]!;
    if (this.#textHashes.data[id] !== this.#wantedText) return false;
    if (this.#starts.data[id + 1]! - start !== this.#wanted.length) return false;
    return this.#wanted.every((part, i) => this.#parts.data[start + i] === part);
  };

  constructor() {
    this.#starts.push(0);
  }

  get size(): number {
    return this.#starts.length - 1;
  }

  get byteLength(): number {
    const parts = [
      this.words,
      this.tokens,
      this.phones,
      this.tokensOfWord,
      this.valuesOfToken,
      this.valuesOfPhone,
    ];
    const own = [this.#parts, this.#starts, this.#textHashes, this.#table];
    return [...parts, ...own].reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** The id of a value, or -1 for one that no term can match. It is new when it equals the size before. */
  intern(text: string, isPhone: boolean): number {
    const cache = isPhone ? this.#phoneCache : this.#textCache;
    const cached = cache.get(text);
    if (cached !== undefined) return cached;
    const id = this.#internParts(text, isPhone);
    if (text.length <= CACHED_LENGTH) {
      if (cache.size >= CACHED_TEXTS) cache.clear();
      cache.set(text, id);
    }
    return id;
  }

  textHash(value: number): number {
    return this.#textHashes.data[value]!;
  }

  /** Equal for the same text as a phone number and as plain text. */
  textKey(value: number): string {
    const parts = this.#parts.data.subarray(this.#starts.data[value]!, this.#starts.data[value + 1]!);
    return `${this.textHash(value)} ${parts.filter((part) => part < PHONE_BIT).join(' ')}`;
  }

  #internParts(text: string, isPhone: boolean): number {
    const folded = foldText(text);
    const wanted = this.#wanted;
    wanted.length = 0;
    for (const token of splitOnWhiteSpace(folded)) wanted.push(this.#internToken(token));
    const digits = isPhone ? phoneDigits(folded) : '';
    if (digits !== '') wanted.push((this.#internPhone(digits) | PHONE_BIT) >>> 0);
    if (wanted.length === 0) return -1;
    this.#wantedText = hashOfText(text);
    let hash = this.#wantedText;
    for (const part of wanted) hash = Math.imul(hash ^ part, 0x01000193);
    hash = mixHash(hash);
    const known = this.#table.find(hash, this.#isSame);
    return known === -1 ? this.#add(hash) : known;
  }

  #add(hash: number): number {
    const id = this.size;
    for (const part of this.#wanted) this.#parts.push(part);
    this.#starts.push(this.#parts.length);
    this.#textHashes.push(this.#wantedText);
    this.#table.add(hash, id);
    for (const part of new Set(this.#wanted)) {
      if (part >= PHONE_BIT) this.valuesOfPhone.append(part - PHONE_BIT, id);
      else this.valuesOfToken.append(part, id);
    }
    return id;
  }

  #internToken(token: string): number {
    const end = this.#write(token);
    const known = this.tokens.size;
    const id = this.tokens.intern(this.#scratch, 0, end);
    if (id < known) return id;
    this.valuesOfToken.addList();
    const words: number[] = [];
    let at = wordStart(this.#scratch, 0, end);
    while (at < end) {
      const stop = wordEnd(this.#scratch, at, end);
      const word = this.words.intern(this.#scratch, at, stop);
      if (word === this.tokensOfWord.counts.length) this.tokensOfWord.addList();
      if (!words.includes(word)) this.tokensOfWord.append(word, id);
      words.push(word);
      at = wordStart(this.#scratch, stop, end);
    }
    return id;
  }

  #internPhone(digits: string): number {
    const end = this.#write(digits);
    const known = this.phones.size;
    const id = this.phones.intern(this.#scratch, 0, end);
    if (id === known) this.valuesOfPhone.addList();
    return id;
  }

  #write(text: string): number {
    if (text.length * 3 > this.#scratch.length) this.#scratch = new Uint8Array(text.length * 4);
    return writeUtf8(text, this.#scratch, 0);
  }
}

export function hashOfText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return mixHash(hash);
}
