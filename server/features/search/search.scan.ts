// From one term to the values it matches: every distinct word or token is looked at, and the masks spare nearly all
// of them the real comparison. Complete by construction: there is no list of candidates that could miss one.

import type { Dictionary } from './search.dictionary.ts';
import { countBits, type Mask, maskOf } from './search.masks.ts';
import { matchesAtWordStart, NO_MATCH, rankOf, type Term } from './search.match.ts';
import type { Pattern } from './search.pattern.ts';
import type { Postings } from './search.postings.ts';
import { isWordCharacter } from './search.text.ts';
import { byteWidth, codePointAt } from './search.utf8.ts';
import type { Values } from './search.values.ts';

/** Called between slices of work; a promise means that others wait and the work goes on after it. */
export type Pause = () => Promise<void> | undefined;

/** How many texts are looked at between two calls of the pause: some 0.1 ms. */
const SLICE = 8192;
const EXACT_AT_START = rankOf(0, true);
const EXACT = rankOf(0, false);
const ONE_TYPO_AT_START = rankOf(1, true);

/** Best ranks by id, and which ids have one. */
export class Ranks {
  readonly best: Uint8Array;
  readonly touched: number[] = [];

  constructor(size: number) {
    this.best = new Uint8Array(size).fill(NO_MATCH);
  }

  improve(id: number, rank: number): void {
    const before = this.best[id]!;
    if (rank >= before) return;
    if (before === NO_MATCH) this.touched.push(id);
    this.best[id] = rank;
  }
}

export async function rankValues(values: Values, term: Term, pause: Pause): Promise<Ranks> {
  const tokens = new Ranks(values.tokens.size);
  if (term.wordStartsOnly) {
    const words = new Ranks(values.words.size);
    const wholly = onlyWordCharacters(term.pattern);
    await eachSlice(values.words, pause, (from, to) =>
      scanBeginnings(values.words, term, wholly, from, to, words),
    );
    await spread(words, values.tokensOfWord, tokens, pause);
    // What holds a character that is in no word can only lie between words, that is in tokens.
    if (!wholly)
      await eachSlice(values.tokens, pause, (from, to) => scanExact(values.tokens, term, from, to, tokens));
  } else {
    await eachSlice(values.tokens, pause, (from, to) => scanAnywhere(values.tokens, term, from, to, tokens));
  }
  const phones = new Ranks(values.phones.size);
  for (const each of term.digits === null ? [term] : [term, term.digits]) {
    if (!couldMatchDigits(each)) continue;
    await eachSlice(values.phones, pause, (from, to) =>
      each.wordStartsOnly
        ? scanBeginnings(values.phones, each, true, from, to, phones)
        : scanAnywhere(values.phones, each, from, to, phones),
    );
  }
  const result = new Ranks(values.size);
  await spread(tokens, values.valuesOfToken, result, pause);
  await spread(phones, values.valuesOfPhone, result, pause);
  return result;
}

/** Gives every member of the ranked lists its list's rank, where that is better. */
async function spread(lists: Ranks, postings: Postings, members: Ranks, pause: Pause): Promise<void> {
  const { touched, best } = lists;
  for (let start = 0; start < touched.length; start += SLICE) {
    const counts = postings.counts.data;
    const places = postings.places.data;
    const pool = postings.pool.data;
    const end = Math.min(start + SLICE, touched.length);
    for (let i = start; i < end; i++) {
      const list = touched[i]!;
      const rank = best[list]!;
      const count = counts[list]!;
      const place = places[list]!;
      if (count === 1) members.improve(place, rank);
      else for (let at = place; at < place + count; at++) members.improve(pool[at]!, rank);
    }
    const waiting = pause();
    if (waiting) await waiting;
  }
}

async function eachSlice(
  dictionary: Dictionary,
  pause: Pause,
  scan: (from: number, to: number) => void,
): Promise<void> {
  for (let from = 0; from < dictionary.size; from += SLICE) {
    scan(from, Math.min(from + SLICE, dictionary.size));
    const waiting = pause();
    if (waiting) await waiting;
  }
}

function scanAnywhere(dictionary: Dictionary, term: Term, from: number, to: number, ranks: Ranks): void {
  const { pattern, typos } = term;
  const { low, high } = maskOfPattern(pattern);
  const bytes = dictionary.bytes.data;
  const starts = dictionary.starts.data;
  const masksLow = dictionary.masksLow.data;
  const masksHigh = dictionary.masksHigh.data;
  const shortest = pattern.length - typos;
  for (let id = from; id < to; id++) {
    let missing = low & ~masksLow[id]!;
    if (missing !== 0) {
      // Most texts lack three letters or more: told by clearing two bits, cheaper than counting them.
      missing &= missing - 1;
      if ((missing & (missing - 1)) !== 0) continue;
    }
    if (high !== 0 && countBits(low & ~masksLow[id]!) + countBits(high & ~masksHigh[id]!) > typos) continue;
    const start = starts[id]!;
    const end = starts[id + 1]!;
    if (end - start < shortest) continue;
    const distance = pattern.substringDistance(bytes, start, end, typos);
    if (distance > typos) continue;
    ranks.improve(id, rankOf(distance, matchesAtWordStart(pattern, bytes, start, end, distance)));
  }
}

/** Words, and digits of phones which are words too: exact anywhere if asked, one typo at the beginning. */
function scanBeginnings(
  dictionary: Dictionary,
  term: Term,
  exactToo: boolean,
  from: number,
  to: number,
  ranks: Ranks,
): void {
  const { pattern, typos } = term;
  const { low, high } = maskOfPattern(pattern);
  const bytes = dictionary.bytes.data;
  const starts = dictionary.starts.data;
  const masksLow = dictionary.masksLow.data;
  const masksHigh = dictionary.masksHigh.data;
  for (let id = from; id < to; id++) {
    const missingLow = low & ~masksLow[id]!;
    const missingHigh = high & ~masksHigh[id]!;
    const start = starts[id]!;
    const end = starts[id + 1]!;
    if (exactToo && (missingLow | missingHigh) === 0) {
      const at = indexOfBytes(bytes, start, end, pattern.bytes);
      if (at !== -1) {
        ranks.improve(id, at === start ? EXACT_AT_START : EXACT);
        continue;
      }
    }
    if (typos === 0 || (missingLow & (missingLow - 1)) !== 0 || (missingHigh & (missingHigh - 1)) !== 0)
      continue;
    if (missingLow !== 0 && missingHigh !== 0) continue;
    if (pattern.prefixDistance(bytes, start, end, typos) <= typos) ranks.improve(id, ONE_TYPO_AT_START);
  }
}

function scanExact(dictionary: Dictionary, term: Term, from: number, to: number, ranks: Ranks): void {
  const { pattern } = term;
  const { low, high } = maskOfPattern(pattern);
  const bytes = dictionary.bytes.data;
  const starts = dictionary.starts.data;
  const masksLow = dictionary.masksLow.data;
  const masksHigh = dictionary.masksHigh.data;
  for (let id = from; id < to; id++) {
    if (((low & ~masksLow[id]!) | (high & ~masksHigh[id]!)) !== 0) continue;
    const start = starts[id]!;
    const end = starts[id + 1]!;
    if (indexOfBytes(bytes, start, end, pattern.bytes) === -1) continue;
    ranks.improve(id, rankOf(0, matchesAtWordStart(pattern, bytes, start, end, 0)));
  }
}

function indexOfBytes(bytes: Uint8Array, from: number, to: number, wanted: Uint8Array): number {
  const first = wanted[0]!;
  const length = wanted.length;
  const last = to - length;
  for (let at = from; at <= last; at++) {
    if (bytes[at] !== first) continue;
    let i = 1;
    while (i < length && bytes[at + i] === wanted[i]) i++;
    if (i === length) return at;
  }
  return -1;
}

function maskOfPattern(pattern: Pattern): Mask {
  const mask = { low: 0, high: 0 };
  maskOf(pattern.bytes, 0, pattern.bytes.length, mask);
  return mask;
}

/** A term with more than its typos in other characters than digits spares the look at the phone numbers. */
function couldMatchDigits(term: Term): boolean {
  const others = term.pattern.codePoints.filter((codePoint) => codePoint < 0x30 || codePoint > 0x39);
  return others.length <= term.typos;
}

function onlyWordCharacters(pattern: Pattern): boolean {
  for (let at = 0; at < pattern.bytes.length; ) {
    const codePoint = codePointAt(pattern.bytes, at);
    if (!isWordCharacter(codePoint)) return false;
    at += byteWidth(codePoint);
  }
  return true;
}
