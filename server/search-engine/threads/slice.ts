// Compares one slice of texts with one term, in the main thread and in helper threads alike. Works on plain arrays
// that any thread can read.

import { selectTexts } from '../filters/bigram-columns.ts';
import { countBits } from '../filters/character-masks.ts';
import { compareAnywhere } from '../match/anywhere.ts';
import { matchesAtWordStart, matchToken, NO_MATCH, rankOf, type Term } from '../match/match.ts';
import { asFound, SLICE, type Texts } from '../store/shared-texts.ts';
import { indexOfBytes } from '../store/utf8.ts';

/**
 * With the term's typos anywhere, or exact; `exactInWords` if each text is one word. As `token`, a short term is
 * compared with every given text, because bigram columns cannot filter its typos.
 */
export type ScanMode = 'anywhere' | 'exact' | 'exactInWords' | 'token';

const EVERY_TEXT = [[]];
/** Those of the current slice. */
const selected = new Uint32Array(SLICE);

/**
 * Writes the findings of the slice starting at `at` and returns their end. `from` is a multiple of the slice size.
 */
export function scanSlice(
  texts: Texts,
  term: Term,
  mode: ScanMode,
  among: Uint32Array | null,
  from: number,
  to: number,
  found: Uint32Array,
  at: number,
): number {
  if (mode === 'anywhere') {
    const count = selectTexts(texts.bigrams, term.bigramPieces, term.bigramCover, from, to, selected, among);
    return compareAnywhere(texts, term, selected, keepPossible(texts, term, count), found, at);
  }
  if (mode === 'token') {
    const count = selectTexts(texts.bigrams, EVERY_TEXT, null, from, to, selected, among);
    return compareTokens(texts, term, keepPossible(texts, term, count), found, at);
  }
  const count = selectTexts(texts.bigrams, term.whole, null, from, to, selected, among);
  return compareExactly(texts, term, mode === 'exactInWords', count, found, at);
}

/** Keeps those that are long enough and lack no more characters than typos are allowed; returns their number. */
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
