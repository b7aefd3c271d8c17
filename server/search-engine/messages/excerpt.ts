// The part of a message around its first match, and what matched in it. The index keeps no texts, so this compares
// the texts of one page again.

import { matchToken, NO_MATCH, type Term, typosOfRank } from '../match/match.ts';
import { foldText, isWordCharacter, splitOnWhiteSpace } from '../store/text.ts';
import { encodeUtf8 } from '../store/utf8.ts';

export type TextRange = { start: number; end: number };
export type Excerpt = { excerpt: string; ranges: TextRange[] };

const LENGTH = 200;
const BEFORE = 60;

export function excerptOf(text: string, terms: readonly Term[]): Excerpt {
  const ranges = matchedRanges(text, terms);
  const from = startOf(text, ranges[0]?.start ?? 0);
  const to = atCharacter(text, Math.min(text.length, from + LENGTH));
  const prefix = from > 0 ? '…' : '';
  const excerpt = prefix + text.slice(from, to).replace(/\s/g, ' ') + (to < text.length ? '…' : '');
  const shift = prefix.length - from;
  return {
    excerpt,
    ranges: ranges
      .filter(({ start }) => start >= from && start < to)
      .map(({ start, end }) => ({ start: start + shift, end: Math.min(end, to) + shift })),
  };
}

/** Of each term the places with the fewest typos, in order and without overlaps. */
function matchedRanges(text: string, terms: readonly Term[]): TextRange[] {
  const tokens = [...text.matchAll(/\S+/g)].map(({ 0: token, index }) => {
    const folded = foldText(token);
    return { token, start: index, folded, pieces: splitOnWhiteSpace(folded).map(encodeUtf8) };
  });
  const ranges: TextRange[] = [];
  for (const term of terms) {
    const typos = tokens.map(({ pieces }) => leastTypos(term, pieces));
    const best = Math.min(...typos);
    if (best === NO_MATCH) continue;
    for (const [i, { token, start, folded }] of tokens.entries()) {
      if (typos[i] !== best) continue;
      for (const range of placesOf(term, token, folded, best))
        ranges.push({ start: start + range.start, end: start + range.end });
    }
  }
  return merged(ranges);
}

function leastTypos(term: Term, pieces: readonly Uint8Array[]): number {
  let best = NO_MATCH;
  for (const piece of pieces) best = Math.min(best, matchToken(term, piece, 0, piece.length));
  return best === NO_MATCH ? NO_MATCH : typosOfRank(best);
}

/** Exact matches at their place; with typos, or where folding moved the characters, the whole token. */
function placesOf(term: Term, token: string, folded: string, typos: number): TextRange[] {
  if (typos > 0 || folded.length !== token.length) return [withoutPunctuation(token)];
  const places: TextRange[] = [];
  for (let at = folded.indexOf(term.text); at !== -1; at = folded.indexOf(term.text, at + term.text.length))
    places.push({ start: at, end: at + term.text.length });
  return places;
}

function withoutPunctuation(token: string): TextRange {
  const characters = [...token];
  const isWord = (character: string) => isWordCharacter(character.codePointAt(0)!);
  const first = characters.findIndex(isWord);
  const last = characters.findLastIndex(isWord);
  if (first === -1) return { start: 0, end: token.length };
  const lengthOf = (list: string[]) => list.reduce((sum, { length }) => sum + length, 0);
  return { start: lengthOf(characters.slice(0, first)), end: lengthOf(characters.slice(0, last + 1)) };
}

function merged(ranges: TextRange[]): TextRange[] {
  const result: TextRange[] = [];
  for (const range of ranges.sort((a, b) => a.start - b.start || a.end - b.end)) {
    const last = result.at(-1);
    if (last && range.start <= last.end) last.end = Math.max(last.end, range.end);
    else result.push({ ...range });
  }
  return result;
}

/** Some words before the match, or the beginning. */
function startOf(text: string, match: number): number {
  if (match <= BEFORE) return 0;
  const space = text.slice(match - BEFORE, match).search(/\s/);
  return atCharacter(text, space === -1 ? match - BEFORE : match - BEFORE + space + 1);
}

/** Never inside a surrogate pair. */
function atCharacter(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit < 0xe000 ? at - 1 : at;
}
