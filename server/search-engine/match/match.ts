// The matching rule: one term against one value. The index implements the same rule by other means; tests compare it
// with this and with the brute-force oracle. This code also finds the fields in which the records of a page matched.

import type { ColumnSets } from '../filters/bigram-columns.ts';
import { type BigramCover, bigramCoverOf } from '../filters/bigram-cover.ts';
import { bigramColumnsOf, bigramPiecesOf } from '../filters/bigram-pieces.ts';
import { type Mask, maskOf } from '../filters/character-masks.ts';
import {
  type AllowedTypos,
  ANYWHERE_FROM_LENGTH,
  allowedTypos,
  digitsOfPhoneTerm,
  foldText,
  isWhiteSpace,
  isWordCharacter,
  phoneDigits,
  termsOf,
} from '../store/text.ts';
import { byteWidth, codePointAt, encodeUtf8, indexOfBytes, writeUtf8 } from '../store/utf8.ts';
import { Pattern, WORD_BITS } from './pattern.ts';

/**
 * A rank is twice the number of typos, plus one unless the match is at a word start. Lower is better; the rank of
 * several matches is the lowest of them.
 */
export const NO_MATCH = 255;
export const rankOf = (typos: number, atWordStart: boolean): number => typos * 2 + (atWordStart ? 0 : 1);
export const typosOfRank = (rank: number): number => rank >> 1;
export const startsWord = (rank: number): boolean => (rank & 1) === 0;

export type Term = {
  text: string;
  pattern: Pattern;
  mask: Mask;
  /** The bigram columns of a text that contains the exact term. */
  whole: ColumnSets;
  /** The bigram columns of a text that contains the term with up to two typos: see bigram-pieces.ts. */
  bigramPieces: ColumnSets;
  /** The bigrams whose absence two typos must explain: see bigram-cover.ts. */
  bigramCover: BigramCover;
  typos: 0 | 1 | 2;
  /** Typos are allowed at word starts only. */
  wordStartsOnly: boolean;
  /** The digits of the term, to compare with phone numbers; null if that adds nothing. */
  digits: Term | null;
};

/** `allowed`: how many typos a term of this length may have. */
export function compileTerm(text: string, allowed: AllowedTypos = allowedTypos): Term {
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
    typos: allowed(pattern.length),
    wordStartsOnly,
    digits: digits === null || digits === text ? null : compileTerm(digits),
  };
}

export function compileQuery(q: string, allowed: AllowedTypos = allowedTypos): Term[] {
  return termsOf(q).map((text) => compileTerm(text, allowed));
}

export type SearchableText = {
  bytes: Uint8Array;
  /** Where each token begins and ends. */
  tokens: readonly (readonly [from: number, to: number])[];
  digits: Uint8Array | null;
};

export function prepareText(value: string, isPhone: boolean): SearchableText {
  const folded = foldText(value);
  // One array for all tokens: a long text has hundreds.
  const bytes = new Uint8Array(folded.length * 3);
  const tokens: [number, number][] = [];
  for (let at = 0, end = 0; at < folded.length; at++) {
    if (isWhiteSpace(folded.charCodeAt(at))) continue;
    const start = at;
    while (at < folded.length && !isWhiteSpace(folded.charCodeAt(at))) at++;
    const from = end;
    end = writeUtf8(folded, start, at, bytes, from);
    tokens.push([from, end]);
  }
  const digits = isPhone ? phoneDigits(folded) : '';
  return { bytes, tokens, digits: digits === '' ? null : encodeUtf8(digits) };
}

export function matchText(term: Term, { bytes, tokens, digits }: SearchableText): number {
  let best = NO_MATCH;
  for (const [from, to] of tokens) best = Math.min(best, matchToken(term, bytes, from, to));
  if (digits !== null) {
    best = Math.min(best, matchToken(term, digits, 0, digits.length));
    if (term.digits !== null) best = Math.min(best, matchToken(term.digits, digits, 0, digits.length));
  }
  return best;
}

/** The best rank of a term within one token, bytes[from, to). */
export function matchToken(term: Term, bytes: Uint8Array, from: number, to: number): number {
  const typos = leastTypos(term, bytes, from, to);
  if (typos === 0 || (!term.wordStartsOnly && typos <= term.typos)) {
    // Word starts need only the lowest distance: a match with more typos never affects the rank.
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

/** A substring that begins at a word start may extend past the end of that word. */
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

/** The same without typos: checks only the places where the term occurs, not every word. */
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

/** The first word that begins at or after `at`, which must not be inside a word; `to` if there is none. */
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
