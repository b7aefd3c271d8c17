// One slice of texts held against one term: what the main thread and search's other threads do alike. Works on bare
// arrays, which any thread can read.

import { selectTexts } from './search.columns.ts';
import { lanesFor, reachedByFour, reachedByTwo } from './search.lanes.ts';
import { countBits, isPlain } from './search.masks.ts';
import { matchesAtWordStart, matchToken, NO_MATCH, rankOf, type Term } from './search.match.ts';
import { WORD_BITS } from './search.pattern.ts';
import { indexOfBytes } from './search.utf8.ts';

/** How many texts are looked at between two calls of the pause: some 0.1 ms. */
export const SLICE = 8192;

/** The arrays of a dictionary. */
export type Texts = {
  bytes: Uint8Array;
  starts: Uint32Array;
  masksLow: Uint32Array;
  masksHigh: Uint32Array;
  pairs: Uint32Array;
};

/**
 * With the term's typos anywhere, or as it is; `exactInWords` where each text is one word. As `token`, a short term is
 * held against every text it is given, for no columns tell of its typos.
 */
export type Manner = 'anywhere' | 'exact' | 'exactInWords' | 'token';

/** What was found is written as one number each: the text's id times 8, and its rank. */
export const foundId = (found: number): number => found >>> 3;
export const foundRank = (found: number): number => found & 7;
const asFound = (id: number, rank: number): number => ((id << 3) | rank) >>> 0;

const EVERY_TEXT = [[]];
/** In bytes. */
const LONGEST_IN_LANES = 62;

// What one slice needs, until the next: a thread scans one slice at a time.
const selected = new Uint32Array(SLICE);
const sorted = new Uint32Array(SLICE);
const others = new Uint32Array(SLICE);
const placesOfLength = new Uint32Array(LONGEST_IN_LANES + 2);

/** Writes what the slice holds from `at` on and returns where that ends. `from` is a multiple of the slice's size. */
export function scanSlice(
  texts: Texts,
  term: Term,
  manner: Manner,
  among: Uint32Array | null,
  from: number,
  to: number,
  found: Uint32Array,
  at: number,
): number {
  if (manner === 'anywhere') {
    const count = selectTexts(texts.pairs, term.pieces, term.cover, from, to, selected, among);
    return compareAnywhere(texts, term, keepPossible(texts, term, count), found, at);
  }
  if (manner === 'token') {
    const count = selectTexts(texts.pairs, EVERY_TEXT, null, from, to, selected, among);
    return compareTokens(texts, term, keepPossible(texts, term, count), found, at);
  }
  const count = selectTexts(texts.pairs, term.whole, null, from, to, selected, among);
  return compareExactly(texts, term, manner === 'exactInWords', count, found, at);
}

/** Leaves those that are long enough and lack no more characters than there may be typos; returns their number. */
function keepPossible({ starts, masksLow, masksHigh }: Texts, term: Term, count: number): number {
  const { low, high } = term.mask;
  const shortest = term.pattern.length - term.typos;
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const id = selected[at]!;
    if (starts[id + 1]! - starts[id]! < shortest) continue;
    if (countBits(low & ~masksLow[id]!) + countBits(high & ~masksHigh[id]!) > term.typos) continue;
    selected[kept++] = id;
  }
  return kept;
}

function compareAnywhere(
  texts: Texts,
  term: Term,
  count: number,
  found: Uint32Array,
  foundAt: number,
): number {
  const { pattern } = term;
  const lanes = lanesFor(pattern);
  if (lanes === 1) return compareOneByOne(texts, term, selected, count, found, foundAt);
  const { bytes, starts } = texts;
  const plain = sortByLength(texts, count);
  let end = compareOneByOne(texts, term, others, count - plain, found, foundAt);
  for (let i = 0; i < plain; ) {
    const from = starts[sorted[i]!]!;
    const length = starts[sorted[i]! + 1]! - from;
    let same = 1;
    while (same < lanes && i + same < plain && lengthOf(starts, sorted[i + same]!) === length) same++;
    // A lane without a text of that length is given the first one's once more, and not asked.
    const second = same > 1 ? starts[sorted[i + 1]!]! : from;
    const reached =
      lanes === 4
        ? reachedByFour(
            pattern,
            bytes,
            from,
            second,
            same > 2 ? starts[sorted[i + 2]!]! : from,
            same > 3 ? starts[sorted[i + 3]!]! : from,
            length,
          )
        : reachedByTwo(pattern, bytes, from, second, length);
    if (reached !== 0) end = findReached(texts, term, i, same, reached, 32 / lanes, found, end);
    i += same;
  }
  return end;
}

function findReached(
  { bytes, starts }: Texts,
  { pattern, typos: allowed }: Term,
  first: number,
  count: number,
  reached: number,
  laneBits: number,
  found: Uint32Array,
  foundAt: number,
): number {
  let end = foundAt;
  for (let lane = 0; lane < count; lane++) {
    const typos = 3 - ((reached >>> (lane * laneBits)) & 3);
    if (typos > allowed) continue;
    const id = sorted[first + lane]!;
    const atStart = matchesAtWordStart(pattern, bytes, starts[id]!, starts[id + 1]!, typos);
    found[end++] = asFound(id, rankOf(typos, atStart));
  }
  return end;
}

/** Leaves the selected texts in `sorted`, by length, and those that have no place in lanes in `others`; returns how many the former are. */
function sortByLength({ starts, masksHigh }: Texts, count: number): number {
  placesOfLength.fill(0);
  let plain = 0;
  let other = 0;
  for (let i = 0; i < count; i++) {
    const id = selected[i]!;
    const length = lengthOf(starts, id);
    if (length > LONGEST_IN_LANES || !isPlain(masksHigh[id]!)) others[other++] = id;
    else {
      selected[plain++] = id;
      placesOfLength[length + 1]!++;
    }
  }
  for (let length = 1; length < placesOfLength.length; length++)
    placesOfLength[length]! += placesOfLength[length - 1]!;
  for (let i = 0; i < plain; i++) {
    const id = selected[i]!;
    sorted[placesOfLength[lengthOf(starts, id)]!++] = id;
  }
  return plain;
}

const lengthOf = (starts: Uint32Array, id: number): number => starts[id + 1]! - starts[id]!;

function compareOneByOne(
  { bytes, starts }: Texts,
  { pattern, typos }: Term,
  ids: Uint32Array,
  count: number,
  found: Uint32Array,
  foundAt: number,
): number {
  const isLong = pattern.length > WORD_BITS;
  let end = foundAt;
  for (let i = 0; i < count; i++) {
    const id = ids[i]!;
    const from = starts[id]!;
    const to = starts[id + 1]!;
    let distance = pattern.typosUpToTwo(bytes, from, to);
    if (distance > 2) continue;
    if (isLong) distance = pattern.substringDistance(bytes, from, to, typos);
    if (distance > typos) continue;
    found[end++] = asFound(id, rankOf(distance, matchesAtWordStart(pattern, bytes, from, to, distance)));
  }
  return end;
}

function compareTokens(
  { bytes, starts }: Texts,
  term: Term,
  count: number,
  found: Uint32Array,
  foundAt: number,
): number {
  let end = foundAt;
  for (let i = 0; i < count; i++) {
    const id = selected[i]!;
    const rank = matchToken(term, bytes, starts[id]!, starts[id + 1]!);
    if (rank !== NO_MATCH) found[end++] = asFound(id, rank);
  }
  return end;
}

function compareExactly(
  { bytes, starts, masksLow, masksHigh }: Texts,
  { pattern, mask }: Term,
  ofWords: boolean,
  count: number,
  found: Uint32Array,
  foundAt: number,
): number {
  const { low, high } = mask;
  let end = foundAt;
  for (let i = 0; i < count; i++) {
    const id = selected[i]!;
    if (((low & ~masksLow[id]!) | (high & ~masksHigh[id]!)) !== 0) continue;
    const from = starts[id]!;
    const to = starts[id + 1]!;
    const at = indexOfBytes(bytes, from, to, pattern.bytes);
    if (at === -1) continue;
    const atStart = ofWords ? at === from : matchesAtWordStart(pattern, bytes, from, to, 0);
    found[end++] = asFound(id, rankOf(0, atStart));
  }
  return end;
}
