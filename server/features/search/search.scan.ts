// From one term to the values it matches. Words and tokens are distinct and looked at once, however many records hold
// them; columns, masks and signatures spare nearly all of them the real comparison. Complete by construction: whatever is
// skipped was refused by a necessary condition.

import type { Dictionary } from './search.dictionary.ts';
import type { Heads } from './search.heads.ts';
import { countBits } from './search.masks.ts';
import { compileTerm, matchesAtWordStart, matchToken, NO_MATCH, rankOf, type Term } from './search.match.ts';
import { HALF_WORD_BITS, WORD_BITS } from './search.pattern.ts';
import type { Postings } from './search.postings.ts';
import type { Ranks } from './search.ranks.ts';
import { ANYWHERE_FROM_LENGTH, isWordCharacter } from './search.text.ts';
import { indexOfBytes } from './search.utf8.ts';
import { PHONE_BIT, type Values } from './search.values.ts';
import { SLICE, type Workspace } from './search.workspace.ts';

/** Called between slices of work; a promise means that others wait and the work goes on after it. */
export type Pause = () => Promise<void> | undefined;

const EXACT_AT_START = rankOf(0, true);
const EXACT = rankOf(0, false);
const ONE_TYPO_AT_START = rankOf(1, true);
/** Two texts that both have more than two typos, as `typosOfTwo` tells it. */
const NEITHER = 15;

/** Ranks in `work.values` every value that the term matches. */
export async function rankValues(values: Values, term: Term, work: Workspace, pause: Pause): Promise<void> {
  work.words.reset(values.words.size);
  work.tokens.reset(values.tokens.size);
  work.phones.reset(values.phones.size);
  work.values.reset(values.size);
  if (term.wordStartsOnly) await rankByShortTerm(values, term, work, pause);
  else await rankByLongTerm(values, term, work, pause);
  for (const each of formsAgainstDigits(term)) {
    if (each.wordStartsOnly)
      await rankWords(values.phones, values.phoneHeads, each, true, work.phones, work, pause);
    else await rankAnywhere(values.phones, each, null, work.phones, work, pause);
  }
  await spread(work.tokens, values.valuesOfToken, work.values, pause);
  await spread(work.phones, values.valuesOfPhone, work.values, pause);
}

/** The same for one value: cheaper than looking through all words when only a few values are left to ask. */
export function rankOfValue(values: Values, term: Term, value: number): number {
  const parts = values.parts.data;
  const end = values.starts.data[value + 1]!;
  let best = NO_MATCH;
  for (let at = values.starts.data[value]!; at < end; at++) {
    const part = parts[at]!;
    if (part < PHONE_BIT) best = Math.min(best, rankOfText(values.tokens, term, part));
    else {
      for (const form of formsAgainstDigits(term))
        best = Math.min(best, rankOfText(values.phones, form, part - PHONE_BIT));
    }
  }
  return best;
}

function rankOfText({ bytes, starts, masksLow, masksHigh }: Dictionary, term: Term, id: number): number {
  const { low, high } = term.mask;
  if (countBits(low & ~masksLow.data[id]!) + countBits(high & ~masksHigh.data[id]!) > term.typos)
    return NO_MATCH;
  return matchToken(term, bytes.data, starts.data[id]!, starts.data[id + 1]!);
}

async function rankByShortTerm(values: Values, term: Term, work: Workspace, pause: Pause): Promise<void> {
  const inWords = term.pattern.codePoints.every(isWordCharacter);
  await rankWords(values.words, values.heads, term, inWords, work.words, work, pause);
  await spread(work.words, values.tokensOfWord, work.tokens, pause);
  // What holds a character that is in no word can only be found in tokens.
  if (!inWords) await rankExact(values.tokens, false, term, work.tokens, work, pause);
}

/** A short term in words: at their beginning but for a typo, and as it is anywhere if it could be within a word. */
async function rankWords(
  words: Dictionary,
  heads: Heads,
  term: Term,
  exactToo: boolean,
  ranks: Ranks,
  work: Workspace,
  pause: Pause,
): Promise<void> {
  if (term.typos > 0) {
    const { pattern } = term;
    const bytes = words.bytes.data;
    const starts = words.starts.data;
    heads.visitWithinOneTypo(pattern.codePoints, (id) => {
      if (pattern.isPrefixWithin(bytes, starts[id]!, starts[id + 1]!, 1))
        ranks.improve(id, ONE_TYPO_AT_START);
    });
  }
  if (exactToo) await rankExact(words, true, term, ranks, work, pause);
}

/** A match lies within one word, or it runs across a junction. */
async function rankByLongTerm(values: Values, term: Term, work: Workspace, pause: Pause): Promise<void> {
  const { words, tokens, junctions } = values;
  const { candidates } = work;
  const core = coreOf(term);
  if (core.pattern.length > WORD_BITS) {
    await rankAnywhere(tokens, term, null, work.tokens, work, pause);
    return;
  }
  await rankAnywhere(words, core, null, work.words, work, pause);
  candidates.reset(tokens.size);
  if (core === term) await spread(work.words, values.tokensOfWord, work.tokens, pause);
  else {
    for (let i = 0; i < work.words.count; i++)
      values.tokensOfWord.each(work.words.touched[i]!, candidates.add);
  }
  junctions.visitTokens(core.pattern.codePoints, candidates.add);
  await rankAnywhere(tokens, term, candidates.bits, work.tokens, work, pause);
}

/**
 * A long term without what stands around its words: whatever holds the term holds this within as many typos. At its
 * end, a dot or a hyphen would tie down nothing, and half of all tokens would have to be compared.
 */
function coreOf(term: Term): Term {
  const { codePoints } = term.pattern;
  const from = codePoints.findIndex(isWordCharacter);
  const to = codePoints.findLastIndex(isWordCharacter) + 1;
  if (to - from === codePoints.length || to - from < ANYWHERE_FROM_LENGTH) return term;
  return compileTerm(String.fromCodePoint(...codePoints.slice(from, to)));
}

/** Gives every member of the ranked lists its list's rank, where that is better. */
async function spread(lists: Ranks, postings: Postings, members: Ranks, pause: Pause): Promise<void> {
  const { touched, best } = lists;
  const counts = postings.counts.data;
  const places = postings.places.data;
  const pool = postings.pool.data;
  await eachSlice(lists.count, pause, (from, to) => {
    for (let i = from; i < to; i++) {
      const list = touched[i]!;
      const rank = best[list]!;
      const count = counts[list]!;
      const place = places[list]!;
      if (count === 1) members.improve(place, rank);
      else for (let at = place; at < place + count; at++) members.improve(pool[at]!, rank);
    }
  });
}

export async function eachSlice(
  size: number,
  pause: Pause,
  work: (from: number, to: number) => void,
): Promise<void> {
  for (let from = 0; from < size; from += SLICE) {
    work(from, Math.min(from + SLICE, size));
    const waiting = pause();
    if (waiting) await waiting;
  }
}

/** Ranks the texts, or those `among` them, that hold the term with its typos. */
async function rankAnywhere(
  dictionary: Dictionary,
  term: Term,
  among: Uint32Array | null,
  ranks: Ranks,
  work: Workspace,
  pause: Pause,
): Promise<void> {
  const { selected } = work;
  await eachSlice(dictionary.size, pause, (from, to) => {
    const count = dictionary.pairs.select(term.pieces, from, to, selected, among);
    compareAnywhere(dictionary, term, selected, count, ranks);
  });
}

function compareAnywhere(
  dictionary: Dictionary,
  term: Term,
  ids: Uint32Array,
  selected: number,
  ranks: Ranks,
): void {
  const { pattern, typos } = term;
  const bytes = dictionary.bytes.data;
  const starts = dictionary.starts.data;
  const count = keepPossible(dictionary, term, ids, selected);
  const isLong = pattern.length > WORD_BITS;
  const inPairs = pattern.length <= HALF_WORD_BITS;
  for (let at = 0; at < count; ) {
    const id = ids[at++]!;
    const start = starts[id]!;
    const end = starts[id + 1]!;
    if (inPairs && at < count) {
      const second = ids[at++]!;
      const secondStart = starts[second]!;
      const secondEnd = starts[second + 1]!;
      const both = pattern.typosOfTwo(bytes, start, end, secondStart, secondEnd);
      if (both === NEITHER) continue;
      const distance = both & 3;
      if (distance <= typos)
        ranks.improve(id, rankOf(distance, matchesAtWordStart(pattern, bytes, start, end, distance)));
      if (both >> 2 <= typos)
        ranks.improve(
          second,
          rankOf(both >> 2, matchesAtWordStart(pattern, bytes, secondStart, secondEnd, both >> 2)),
        );
      continue;
    }
    let distance = pattern.typosUpToTwo(bytes, start, end);
    if (distance > 2) continue;
    if (isLong) distance = pattern.substringDistance(bytes, start, end, typos);
    if (distance > typos) continue;
    ranks.improve(id, rankOf(distance, matchesAtWordStart(pattern, bytes, start, end, distance)));
  }
}

/** Leaves those that are long enough and lack no more characters than there may be typos; returns their number. */
function keepPossible(dictionary: Dictionary, term: Term, ids: Uint32Array, count: number): number {
  const { low, high } = term.mask;
  const starts = dictionary.starts.data;
  const masksLow = dictionary.masksLow.data;
  const masksHigh = dictionary.masksHigh.data;
  const shortest = term.pattern.length - term.typos;
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const id = ids[at]!;
    if (starts[id + 1]! - starts[id]! < shortest) continue;
    if (countBits(low & ~masksLow[id]!) + countBits(high & ~masksHigh[id]!) > term.typos) continue;
    ids[kept++] = id;
  }
  return kept;
}

/** Ranks every text that holds the term as it is. */
async function rankExact(
  dictionary: Dictionary,
  ofWords: boolean,
  term: Term,
  ranks: Ranks,
  work: Workspace,
  pause: Pause,
): Promise<void> {
  const { selected } = work;
  await eachSlice(dictionary.size, pause, (from, to) => {
    const count = dictionary.pairs.select(term.whole, from, to, selected, null);
    compareExactly(dictionary, ofWords, term, selected, count, ranks);
  });
}

function compareExactly(
  dictionary: Dictionary,
  ofWords: boolean,
  term: Term,
  ids: Uint32Array,
  count: number,
  ranks: Ranks,
): void {
  const { pattern } = term;
  const { low, high } = term.mask;
  const bytes = dictionary.bytes.data;
  const starts = dictionary.starts.data;
  const masksLow = dictionary.masksLow.data;
  const masksHigh = dictionary.masksHigh.data;
  for (let i = 0; i < count; i++) {
    const id = ids[i]!;
    if (((low & ~masksLow[id]!) | (high & ~masksHigh[id]!)) !== 0) continue;
    const start = starts[id]!;
    const end = starts[id + 1]!;
    const at = indexOfBytes(bytes, start, end, pattern.bytes);
    if (at === -1) continue;
    const atStart = ofWords ? at === start : matchesAtWordStart(pattern, bytes, start, end, 0);
    ranks.improve(id, atStart ? EXACT_AT_START : EXACT);
  }
}

/** The forms of a term that could match phone numbers' digits. */
function formsAgainstDigits(term: Term): Term[] {
  const { digits } = term;
  // By its digits alone a term is never further away; the term as typed adds nothing unless it may be.
  if (digits !== null && digits.typos === term.typos && digits.wordStartsOnly === term.wordStartsOnly)
    return [digits];
  const others = term.pattern.codePoints.filter((codePoint) => codePoint < 0x30 || codePoint > 0x39);
  const asTyped = others.length <= term.typos ? [term] : [];
  return digits === null ? asTyped : [...asTyped, digits];
}
