// The matching rule: one term against one value. The index finds the same by other means, and is held to this and to
// the brute-force oracle by tests; here it also tells in which fields the records of a page matched.

import type { ColumnSets } from '../filters/bigram-columns.ts';
import { type BigramCover, bigramCoverOf } from '../filters/bigram-cover.ts';
import { bigramColumnsOf, bigramPiecesOf } from '../filters/bigram-pieces.ts';
import { type Mask, maskOf } from '../filters/character-masks.ts';
import {
  ANYWHERE_FROM_LENGTH,
  allowedTypos,
  digitsOfPhoneTerm,
  foldText,
  isWordCharacter,
  phoneDigits,
  splitOnWhiteSpace,
  termsOf,
} from '../store/text.ts';
import { byteWidth, codePointAt, encodeUtf8, indexOfBytes } from '../store/utf8.ts';
import { Pattern, WORD_BITS } from './pattern.ts';

/**
 * A rank is twice the typos, plus one unless the match stands at the beginning of a word: less is better, and the
 * least rank of several places is the rank of all of them together.
 */
export const NO_MATCH = 255;
export const rankOf = (typos: number, atWordStart: boolean): number => typos * 2 + (atWordStart ? 0 : 1);
export const typosOfRank = (rank: number): number => rank >> 1;
export const startsWord = (rank: number): boolean => (rank & 1) === 0;

export type Term = {
  text: string;
  pattern: Pattern;
  mask: Mask;
  /** What a text has that holds the term as it is. */
  whole: ColumnSets;
  /** What it has that holds the term with up to two typos, if it may have as many: see bigram-pieces.ts. */
  bigramPieces: ColumnSets;
  /** The pairs that two typos must explain the lack of. */
  bigramCover: BigramCover;
  typos: 0 | 1 | 2;
  /** With typos, the term is held against beginnings of words only. */
  wordStartsOnly: boolean;
  /** The same term by its digits, to be held against phone numbers' digits; null where that adds nothing. */
  digits: Term | null;
};

export function compileTerm(text: string): Term {
  const pattern = new Pattern(text);
  const digits = digitsOfPhoneTerm(text);
  const wordStartsOnly = pattern.length < ANYWHERE_FROM_LENGTH;
  const mask = { low: 0, high: 0 };
  maskOf(pattern.bytes, 0, pattern.bytes.length, mask);
  return {
    text,
    pattern,
    mask,
    whole: [bigramColumnsOf(pattern.codePoints)],
    bigramPieces: wordStartsOnly ? [] : bigramPiecesOf(pattern.codePoints),
    bigramCover: bigramCoverOf(pattern.codePoints),
    typos: allowedTypos(pattern.length),
    wordStartsOnly,
    digits: digits === null || digits === text ? null : compileTerm(digits),
  };
}

export function compileQuery(q: string): Term[] {
  return termsOf(q).map(compileTerm);
}

export type SearchableText = { tokens: Uint8Array[]; digits: Uint8Array | null };

export function prepareText(value: string, isPhone: boolean): SearchableText {
  const folded = foldText(value);
  const digits = isPhone ? phoneDigits(folded) : '';
  return {
    tokens: splitOnWhiteSpace(folded).map(encodeUtf8),
    digits: digits === '' ? null : encodeUtf8(digits),
  };
}

export function matchText(term: Term, text: SearchableText): number {
  let best = NO_MATCH;
  for (const token of text.tokens) best = Math.min(best, matchToken(term, token, 0, token.length));
  if (text.digits !== null) {
    best = Math.min(best, matchToken(term, text.digits, 0, text.digits.length));
    if (term.digits !== null) {
      best = Math.min(best, matchToken(term.digits, text.digits, 0, text.digits.length));
    }
  }
  return best;
}

/** The best rank of a term within one token, bytes[from, to). */
export function matchToken(term: Term, bytes: Uint8Array, from: number, to: number): number {
  const typos = leastTypos(term, bytes, from, to);
  if (typos === 0 || (!term.wordStartsOnly && typos <= term.typos)) {
    // Only the least distance is asked of the word starts: a match with more typos never decides the order.
    return rankOf(typos, matchesAtWordStart(term.pattern, bytes, from, to, typos));
  }
  if (term.wordStartsOnly && term.typos > 0 && matchesBeginningOfWord(term, bytes, from, to)) {
    return rankOf(term.typos, true);
  }
  return NO_MATCH;
}

function leastTypos(
  { pattern, wordStartsOnly, typos }: Term,
  bytes: Uint8Array,
  from: number,
  to: number,
): number {
  if (wordStartsOnly) return indexOfBytes(bytes, from, to, pattern.bytes) === -1 ? 1 : 0;
  if (pattern.length <= WORD_BITS) return pattern.typosUpToTwo(bytes, from, to);
  return pattern.substringDistance(bytes, from, to, typos);
}

/** A substring that begins where a word begins may run on past that word's end. */
export function matchesAtWordStart(
  pattern: Pattern,
  bytes: Uint8Array,
  from: number,
  to: number,
  typos: number,
): boolean {
  if (typos === 0) return standsAtWordStart(pattern, bytes, from, to);
  if (pattern.length <= WORD_BITS) return pattern.startsWordWithin(bytes, from, to, typos);
  for (let at = wordStart(bytes, from, to); at < to; at = wordStart(bytes, wordEnd(bytes, at, to), to)) {
    if (pattern.isPrefixWithin(bytes, at, to, typos)) return true;
  }
  return false;
}

/** The same without typos, by looking at the few places where the term stands rather than at every word. */
function standsAtWordStart(
  { bytes: wanted, codePoints }: Pattern,
  bytes: Uint8Array,
  from: number,
  to: number,
): boolean {
  if (!isWordCharacter(codePoints[0]!)) return false;
  for (
    let at = indexOfBytes(bytes, from, to, wanted);
    at !== -1;
    at = indexOfBytes(bytes, at + 1, to, wanted)
  ) {
    if (at === from) return true;
    let before = at - 1;
    while ((bytes[before]! & 0xc0) === 0x80) before--;
    if (!isWordCharacter(codePointAt(bytes, before))) return true;
  }
  return false;
}

function matchesBeginningOfWord(term: Term, bytes: Uint8Array, from: number, to: number): boolean {
  let at = wordStart(bytes, from, to);
  while (at < to) {
    const end = wordEnd(bytes, at, to);
    if (term.pattern.isPrefixWithin(bytes, at, end, term.typos)) return true;
    at = wordStart(bytes, end, to);
  }
  return false;
}

/** The first word that begins at or after `at`, which must not lie inside a word; `to` when there is none. */
export function wordStart(bytes: Uint8Array, at: number, to: number): number {
  let position = at;
  while (position < to) {
    const character = codePointAt(bytes, position);
    if (isWordCharacter(character)) return position;
    position += byteWidth(character);
  }
  return to;
}

export function wordEnd(bytes: Uint8Array, at: number, to: number): number {
  let position = at;
  while (position < to) {
    const character = codePointAt(bytes, position);
    if (!isWordCharacter(character)) return position;
    position += byteWidth(character);
  }
  return to;
}
