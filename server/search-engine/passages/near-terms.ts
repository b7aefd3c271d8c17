// The terms of a dictionary that are a word with few typos.

import { maskOf } from '../filters/character-masks.ts';
import type { Dictionary } from '../store/dictionary.ts';
import { encodeUtf8 } from '../store/utf8.ts';

export type NearTerm = { term: number; typos: number };

/** Within the fewest typos at which `counts` accepts one. Compares bytes: a letter beyond ASCII may be two typos. */
export function nearTerms(
  { texts, size }: Dictionary,
  word: string,
  typos: number,
  counts: (term: number) => boolean,
): NearTerm[] {
  const { bytes, starts, masksLow, masksHigh } = texts;
  const wanted = encodeUtf8(word);
  const mask = { low: 0, high: 0 };
  maskOf(wanted, 0, wanted.length, mask);
  const table = new DistanceTable(wanted.length);
  let best = typos;
  let found: NearTerm[] = [];
  for (let term = 0; term < size; term++) {
    const from = starts[term]!;
    const to = starts[term + 1]!;
    if (Math.abs(to - from - wanted.length) > best) continue;
    const low = masksLow[term]!;
    const high = masksHigh[term]!;
    if (bitsOf(mask.low & ~low) + bitsOf(mask.high & ~high) > best) continue;
    if (bitsOf(low & ~mask.low) + bitsOf(high & ~mask.high) > best) continue;
    const distance = table.distance(wanted, bytes, from, to, best);
    if (distance > best || !counts(term)) continue;
    if (distance < best) found = [];
    best = distance;
    found.push({ term, typos: distance });
  }
  return found;
}

function bitsOf(value: number): number {
  let bits = value - ((value >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
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
