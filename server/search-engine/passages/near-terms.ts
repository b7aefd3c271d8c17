// The terms of a dictionary that are a word with few typos, or begin with it.

import { countBits, maskOf } from '../filters/character-masks.ts';
import { Integers } from '../store/arrays.ts';
import type { Dictionary } from '../store/dictionary.ts';
import { encodeUtf8 } from '../store/utf8.ts';

export type NearTerm = { term: number; typos: number };

const NO_TERMS = new Uint32Array(0);

/** The terms that may be meant by a word with typos, by their length. Another digit makes another number: they are not. */
export class TermsByLength {
  readonly #terms = new Map<number, Integers>();

  get byteLength(): number {
    let sum = 0;
    for (const terms of this.#terms.values()) sum += terms.byteLength;
    return sum;
  }

  add(term: number, text: Uint8Array): void {
    if (hasDigit(text)) return;
    const terms = this.#terms.get(text.length) ?? new Integers();
    this.#terms.set(text.length, terms);
    terms.push(term);
  }

  of(length: number): Uint32Array {
    const terms = this.#terms.get(length);
    return terms ? terms.data.subarray(0, terms.length) : NO_TERMS;
  }
}

const hasDigit = (text: Uint8Array): boolean => text.some((byte) => byte >= 0x30 && byte <= 0x39);

/** Within the fewest typos at which `counts` accepts one. Compares bytes: a letter beyond ASCII may be two typos. */
export function nearTerms(
  { texts }: Dictionary,
  terms: TermsByLength,
  word: string,
  typos: number,
  counts: (term: number) => boolean,
): NearTerm[] {
  const { bytes, starts, masksLow, masksHigh } = texts;
  const wanted = encodeUtf8(word);
  if (hasDigit(wanted)) return [];
  const mask = { low: 0, high: 0 };
  maskOf(wanted, 0, wanted.length, mask);
  const table = new DistanceTable(wanted.length);
  let best = typos;
  let found: NearTerm[] = [];
  for (const difference of [0, -1, 1, -2, 2]) {
    if (Math.abs(difference) > best) continue;
    for (const term of terms.of(wanted.length + difference)) {
      const low = masksLow[term]!;
      const high = masksHigh[term]!;
      if (countBits(mask.low & ~low) + countBits(mask.high & ~high) > best) continue;
      if (countBits(low & ~mask.low) + countBits(high & ~mask.high) > best) continue;
      const distance = table.distance(wanted, bytes, starts[term]!, starts[term + 1]!, best);
      if (distance > best || !counts(term)) continue;
      if (distance < best) found = [];
      best = distance;
      found.push({ term, typos: distance });
    }
  }
  return found;
}

export function termsBeginningWith({ texts, size }: Dictionary, beginning: string): number[] {
  const { bytes, starts } = texts;
  const wanted = encodeUtf8(beginning);
  const found: number[] = [];
  for (let term = 0; term < size; term++) {
    const from = starts[term]!;
    if (starts[term + 1]! - from < wanted.length) continue;
    let same = 0;
    while (same < wanted.length && bytes[from + same] === wanted[same]) same++;
    if (same === wanted.length) found.push(term);
  }
  return found;
}

/** Optimal string alignment: an extra, missing or wrong letter and two swapped neighbours are one typo each. */
class DistanceTable {
  #before: Uint8Array;
  #last: Uint8Array;
  #next: Uint8Array;

  constructor(length: number) {
    [this.#before, this.#last, this.#next] = [0, 1, 2].map(() => new Uint8Array(length + 1)) as [
      Uint8Array,
      Uint8Array,
      Uint8Array,
    ];
  }

  /** More than `limit` if it exceeds the limit. */
  distance(word: Uint8Array, bytes: Uint8Array, from: number, to: number, limit: number): number {
    for (let i = 0; i <= word.length; i++) this.#last[i] = i;
    for (let at = from; at < to; at++) {
      const next = this.#next;
      const last = this.#last;
      let least = at - from + 1;
      next[0] = least;
      for (let i = 1; i <= word.length; i++) {
        const isSame = word[i - 1] === bytes[at];
        let value = Math.min(last[i - 1]! + (isSame ? 0 : 1), last[i]! + 1, next[i - 1]! + 1);
        if (i > 1 && at > from && word[i - 1] === bytes[at - 1] && word[i - 2] === bytes[at])
          value = Math.min(value, this.#before[i - 2]! + 1);
        next[i] = value;
        least = Math.min(least, value);
      }
      if (least > limit) return limit + 1;
      [this.#before, this.#last, this.#next] = [last, next, this.#before];
    }
    return this.#last[word.length]!;
  }
}
