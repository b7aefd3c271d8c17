// Distinct values (a title, an address, an option) as lists of tokens. Records share values, terms match tokens, and
// suggestions are values: the path from a term to its records is word -> token -> value -> record.

import { maskBit } from '../filters/character-masks.ts';
import { WordBreakIndex } from '../filters/word-breaks.ts';
import { WordStartIndex } from '../filters/word-starts.ts';
import { wordEnd, wordStart } from '../match/match.ts';
import type { Archive } from '../snapshot/archive.ts';
import { Integers } from './arrays.ts';
import { Dictionary } from './dictionary.ts';
import { HashTable, mixHash } from './hash-table.ts';
import { Postings } from './postings.ts';
import { foldText, isWhiteSpace, phoneDigits } from './text.ts';
import { codePointAt, writeUtf8 } from './utf8.ts';

/**
 * Boards repeat cities and products thousands of times: a small cache keeps the last text of each hash with its id.
 */
const CACHED_TEXTS = 16_384;
const CACHED_LENGTH = 64;
/** Marks an entry of a value's list as phone digits; ids of dictionaries are far smaller. */
export const PHONE_BIT = 0x80000000;

export class Values {
  readonly words = new Dictionary();
  readonly tokens = new Dictionary();
  readonly phones = new Dictionary();
  readonly heads = new WordStartIndex();
  readonly phoneHeads = new WordStartIndex();
  readonly junctions = new WordBreakIndex();
  readonly tokensOfWord = new Postings();
  readonly valuesOfToken = new Postings();
  readonly valuesOfPhone = new Postings();
  /** By token: which characters its words begin with. */
  readonly #firstLow = new Integers();
  readonly #firstHigh = new Integers();
  /** The parts of all values, concatenated: ids of `tokens`, or ids of `phones` marked with `PHONE_BIT`. */
  readonly parts = new Integers();
  /** Where each value's parts begin; one more entry than values. */
  readonly starts = new Integers();
  /** Distinguishes values that fold to the same tokens (ANA, Ana): a suggestion shows each text once, as written. */
  readonly #textHashes = new Integers();
  readonly #table = new HashTable((id) =>
    hashOfParts(
      this.#textHashes.data[id]!,
      this.parts.data,
      this.starts.data[id]!,
      this.starts.data[id + 1]!,
    ),
  );
  readonly #cachedTexts = new Array<string>(CACHED_TEXTS).fill('');
  readonly #cachedIds = new Int32Array(CACHED_TEXTS);
  #scratch: Uint8Array = new Uint8Array(4096);
  readonly #wanted: number[] = [];

  constructor() {
    this.starts.push(0);
  }

  get size(): number {
    return this.starts.length - 1;
  }

  get byteLength(): number {
    return [...this.#structures(), ...this.#arrays()].reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** Without the cache, which only saves time. */
  archive(archive: Archive): void {
    for (const structure of this.#structures()) structure.archive(archive);
    for (const array of this.#arrays()) archive.array(array);
  }

  /** The id of a value, or -1 if no term can match it. It is new if it equals the previous size. */
  intern(text: string, isPhone: boolean): number {
    if (text === '') return -1;
    const textHash = hashOfText(text);
    const place = textHash & (CACHED_TEXTS - 1);
    if (!isPhone && this.#cachedTexts[place] === text) return this.#cachedIds[place]!;
    const before = this.size;
    const id = this.#internParts(text, textHash, isPhone);
    // Only repeated texts are worth caching: most addresses and numbers occur once.
    if (!isPhone && id < before && text.length <= CACHED_LENGTH) {
      this.#cachedTexts[place] = text;
      this.#cachedIds[place] = id;
    }
    return id;
  }

  /** Adds the parts of a value. */
  addParts(value: number, parts: Set<number>): void {
    const end = this.starts.data[value + 1]!;
    for (let at = this.starts.data[value]!; at < end; at++) parts.add(this.parts.data[at]!);
  }

  /**
   * Adds to four sets which characters the parts have (low and high) and which characters their words begin with. No
   * call per part: this runs for every part of every record.
   */
  addCharacters(parts: ArrayLike<number>, sets: Uint32Array): void {
    for (let at = 0; at < parts.length; at++) {
      const part = parts[at]!;
      if (part < PHONE_BIT) {
        sets[0]! |= this.tokens.masksLow.data[part]!;
        sets[1]! |= this.tokens.masksHigh.data[part]!;
        sets[2]! |= this.#firstLow.data[part]!;
        sets[3]! |= this.#firstHigh.data[part]!;
      } else {
        const { masksLow, masksHigh, bytes, starts } = this.phones;
        const id = part - PHONE_BIT;
        sets[0]! |= masksLow.data[id]!;
        sets[1]! |= masksHigh.data[id]!;
        const bit = maskBit(bytes.data[starts.data[id]!]!);
        sets[bit < 32 ? 2 : 3]! |= 1 << (bit & 31);
      }
    }
  }

  textHash(value: number): number {
    return this.#textHashes.data[value]!;
  }

  /** Equal for the same text as a phone number and as plain text. */
  textKey(value: number): string {
    const parts = this.parts.data.subarray(this.starts.data[value]!, this.starts.data[value + 1]!);
    return `${this.textHash(value)} ${parts.filter((part) => part < PHONE_BIT).join(' ')}`;
  }

  #structures() {
    const { words, tokens, phones, heads, phoneHeads, junctions } = this;
    const lists = [this.tokensOfWord, this.valuesOfToken, this.valuesOfPhone];
    return [words, tokens, phones, heads, phoneHeads, junctions, ...lists, this.#table];
  }

  #arrays() {
    return [this.#firstLow, this.#firstHigh, this.parts, this.starts, this.#textHashes];
  }

  #internParts(text: string, textHash: number, isPhone: boolean): number {
    const folded = foldText(text);
    const wanted = this.#wanted;
    wanted.length = 0;
    for (let at = 0; at < folded.length; at++) {
      if (isWhiteSpace(folded.charCodeAt(at))) continue;
      const start = at;
      while (at < folded.length && !isWhiteSpace(folded.charCodeAt(at))) at++;
      wanted.push(this.#internToken(folded, start, at));
    }
    const digits = isPhone ? phoneDigits(folded) : '';
    if (digits !== '') wanted.push((this.#internPhone(digits) | PHONE_BIT) >>> 0);
    if (wanted.length === 0) return -1;
    const hash = hashOfParts(textHash, wanted, 0, wanted.length);
    const table = this.#table;
    for (let place = table.seek(hash); place !== -1; place = table.seekOn(hash, place)) {
      const id = table.idAt(place);
      if (this.#isWanted(id, textHash)) return id;
    }
    return this.#add(hash, textHash);
  }

  #isWanted(id: number, textHash: number): boolean {
    const wanted = this.#wanted;
    const start = this.starts.data[id]!;
    if (this.#textHashes.data[id] !== textHash || this.starts.data[id + 1]! - start !== wanted.length)
      return false;
    for (let i = 0; i < wanted.length; i++) if (this.parts.data[start + i] !== wanted[i]) return false;
    return true;
  }

  #add(hash: number, textHash: number): number {
    const id = this.size;
    const wanted = this.#wanted;
    for (let i = 0; i < wanted.length; i++) {
      const part = wanted[i]!;
      this.parts.push(part);
      if (part >= PHONE_BIT) this.valuesOfPhone.append(part - PHONE_BIT, id);
      // A token that occurs twice in a value would list the value twice in a row.
      else if (this.valuesOfToken.last(part) !== id) this.valuesOfToken.append(part, id);
    }
    this.starts.push(this.parts.length);
    this.#textHashes.push(textHash);
    this.#table.add(hash, id);
    return id;
  }

  #internToken(folded: string, start: number, stop: number): number {
    const end = this.#write(folded, start, stop);
    const known = this.tokens.size;
    const id = this.tokens.intern(this.#scratch, 0, end);
    if (id < known) return id;
    this.valuesOfToken.addList();
    let at = wordStart(this.#scratch, 0, end);
    if (at > 0 || wordEnd(this.#scratch, 0, end) < end) this.junctions.addToken(id, this.#scratch, 0, end);
    let [low, high] = [0, 0];
    while (at < end) {
      const bit = maskBit(codePointAt(this.#scratch, at));
      if (bit < 32) low |= 1 << bit;
      else high |= 1 << (bit - 32);
      const stop = wordEnd(this.#scratch, at, end);
      const word = this.words.intern(this.#scratch, at, stop);
      if (word === this.tokensOfWord.size) {
        this.tokensOfWord.addList();
        this.heads.add(word, this.#scratch, at, stop);
      }
      // A word that occurs twice in a token would list the token twice in a row.
      if (this.tokensOfWord.last(word) !== id) this.tokensOfWord.append(word, id);
      at = wordStart(this.#scratch, stop, end);
    }
    this.#firstLow.push(low >>> 0);
    this.#firstHigh.push(high >>> 0);
    return id;
  }

  #internPhone(digits: string): number {
    const end = this.#write(digits, 0, digits.length);
    const known = this.phones.size;
    const id = this.phones.intern(this.#scratch, 0, end);
    if (id === known) {
      this.valuesOfPhone.addList();
      this.phoneHeads.add(id, this.#scratch, 0, end);
    }
    return id;
  }

  #write(text: string, start: number, stop: number): number {
    if ((stop - start) * 3 > this.#scratch.length) this.#scratch = new Uint8Array((stop - start) * 4);
    return writeUtf8(text, start, stop, this.#scratch);
  }
}

function hashOfParts(textHash: number, parts: ArrayLike<number>, from: number, to: number): number {
  let hash = textHash;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ parts[at]!, 0x01000193);
  return mixHash(hash);
}

export function hashOfText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return mixHash(hash);
}
