// Compares candidate texts with a term anywhere, with typos. Texts of the same length are compared several at a time
// (see parallel-match.ts).

import { isPlain } from '../filters/character-masks.ts';
import { asFound, SLICE, type Texts } from '../store/shared-texts.ts';
import { matchesAtWordStart, rankOf, type Term } from './match.ts';
import { lanesFor, matchFour, matchTwo } from './parallel-match.ts';
import { WORD_BITS } from './pattern.ts';

/** In bytes. Longer texts are rare, and each would have a length of its own. */
const LONGEST_IN_LANES = 62;

// Scratch memory for one slice.
const fitting = new Uint32Array(SLICE);
const sorted = new Uint32Array(SLICE);
const others = new Uint32Array(SLICE);
const placesOfLength = new Uint32Array(LONGEST_IN_LANES + 2);

/**
 * Writes which of selected[0, count) contain the term within its typos, starting at `foundAt`, and returns the end.
 */
export function compareAnywhere(
  texts: Texts,
  term: Term,
  selected: Uint32Array,
  count: number,
  found: Uint32Array,
  foundAt: number,
): number {
  const { pattern } = term;
  const lanes = lanesFor(pattern);
  if (lanes === 1) return compareOneByOne(texts, term, selected, count, found, foundAt);
  const { bytes, starts } = texts;
  const plain = sortByLength(texts, selected, count);
  let end = compareOneByOne(texts, term, others, count - plain, found, foundAt);
  for (let i = 0; i < plain; ) {
    const from = starts[sorted[i]!]!;
    const length = starts[sorted[i]! + 1]! - from;
    let same = 1;
    while (same < lanes && i + same < plain && lengthOf(starts, sorted[i + same]!) === length) same++;
    // Unused lanes repeat the first text; their result is ignored.
    const second = same > 1 ? starts[sorted[i + 1]!]! : from;
    const reached =
      lanes === 4
        ? matchFour(
            pattern,
            bytes,
            from,
            second,
            same > 2 ? starts[sorted[i + 2]!]! : from,
            same > 3 ? starts[sorted[i + 3]!]! : from,
            length,
          )
        : matchTwo(pattern, bytes, from, second, length);
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

/**
 * Writes the texts short enough for parallel matching to `sorted`, by length, and the rest to `others`. Returns the
 * number of the former.
 */
function sortByLength({ starts, masksHigh }: Texts, selected: Uint32Array, count: number): number {
  placesOfLength.fill(0);
  let plain = 0;
  let other = 0;
  for (let i = 0; i < count; i++) {
    const id = selected[i]!;
    const length = lengthOf(starts, id);
    if (length > LONGEST_IN_LANES || !isPlain(masksHigh[id]!)) others[other++] = id;
    else {
      fitting[plain++] = id;
      placesOfLength[length + 1]!++;
    }
  }
  for (let length = 1; length < placesOfLength.length; length++)
    placesOfLength[length]! += placesOfLength[length - 1]!;
  for (let i = 0; i < plain; i++) {
    const id = fitting[i]!;
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
