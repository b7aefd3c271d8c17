// From one term to the values it matches. Words and tokens are distinct and looked at once, however many records hold
// them; masks and signatures spare nearly all of them the real comparison. Complete by construction: whatever is
// skipped was refused by a necessary condition.

import type { Dictionary } from './search.dictionary.ts';
import type { Heads } from './search.heads.ts';
import { countBits } from './search.masks.ts';
import { compileTerm, matchesAtWordStart, matchToken, NO_MATCH, rankOf, type Term } from './search.match.ts';
import { WORD_BITS } from './search.pattern.ts';
import { hasOne } from './search.pieces.ts';
import type { Postings } from './search.postings.ts';
import type { Ranks } from './search.ranks.ts';
import { ANYWHERE_FROM_LENGTH, isWordCharacter } from './search.text.ts';
import { indexOfBytes } from './search.utf8.ts';
import type { Values } from './search.values.ts';
import type { Workspace } from './search.workspace.ts';

/** Called between slices of work; a promise means that others wait and the work goes on after it. */
export type Pause = () => Promise<void> | undefined;

/** How many texts are looked at between two calls of the pause: some 0.1 ms. */
const SLICE = 8192;
const EXACT_AT_START = rankOf(0, true);
const EXACT = rankOf(0, false);
const ONE_TYPO_AT_START = rankOf(1, true);

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
      await rankWords(values.phones, values.phoneHeads, each, true, work.phones, pause);
    else
      await eachSlice(values.phones.size, pause, (from, to) =>
        scanAnywhere(values.phones, each, from, to, work.phones),
      );
  }
  await spread(work.tokens, values.valuesOfToken, work.values, pause);
  await spread(work.phones, values.valuesOfPhone, work.values, pause);
}

/** The same for one value: cheaper than looking through all words when only a few values are left to ask. */
export function rankOfValue(values: Values, term: Term, value: number): number {
  let best = NO_MATCH;
  values.eachPart(value, (id, isPhone) => {
    const { bytes, starts } = isPhone ? values.phones : values.tokens;
    for (const each of isPhone ? formsAgainstDigits(term) : [term]) {
      best = Math.min(best, matchToken(each, bytes.data, starts.data[id]!, starts.data[id + 1]!));
    }
  });
  return best;
}

async function rankByShortTerm(values: Values, term: Term, work: Workspace, pause: Pause): Promise<void> {
  const { words, tokens } = values;
  const inWords = term.pattern.codePoints.every(isWordCharacter);
  await rankWords(words, values.heads, term, inWords, work.words, pause);
  await spread(work.words, values.tokensOfWord, work.tokens, pause);
  if (inWords) return;
  // What holds a character that is in no word can only be found in tokens.
  await eachSlice(tokens.size, pause, (from, to) => scanExact(tokens, false, term, from, to, work.tokens));
}

/** A short term in words: at their beginning but for a typo, and as it is anywhere if it could be within a word. */
async function rankWords(
  words: Dictionary,
  heads: Heads,
  term: Term,
  exactToo: boolean,
  ranks: Ranks,
  pause: Pause,
): Promise<void> {
  const possible = term.typos === 0 ? null : heads.withinOneTypo(term.pattern.codePoints);
  await eachSlice(words.size, pause, (from, to) => {
    if (possible !== null) scanBeginnings(words, heads.ofText.data, possible, term, from, to, ranks);
    if (exactToo) scanExact(words, true, term, from, to, ranks);
  });
}

/** A match lies within one word, or it runs across a junction. */
async function rankByLongTerm(values: Values, term: Term, work: Workspace, pause: Pause): Promise<void> {
  const { words, tokens, junctions } = values;
  const core = coreOf(term);
  if (core.pattern.length > WORD_BITS) {
    await eachSlice(tokens.size, pause, (from, to) => scanAnywhere(tokens, term, from, to, work.tokens));
    return;
  }
  await eachSlice(words.size, pause, (from, to) => scanAnywhere(words, core, from, to, work.words));
  const candidates = new Candidates(tokens.size);
  if (core === term) await spread(work.words, values.tokensOfWord, work.tokens, pause);
  else {
    for (let i = 0; i < work.words.count; i++)
      values.tokensOfWord.each(work.words.touched[i]!, candidates.add);
  }
  junctions.visitTokens(core.pattern.codePoints, candidates.add);
  const { ids } = candidates;
  await eachSlice(ids.length, pause, (from, to) => scanAnywhere(tokens, term, from, to, work.tokens, ids));
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

/** Tokens that are to be compared, each once. */
class Candidates {
  readonly ids: number[] = [];
  readonly #seen: Uint8Array;

  constructor(size: number) {
    this.#seen = new Uint8Array(size);
  }

  readonly add = (id: number): void => {
    if (this.#seen[id] === 1) return;
    this.#seen[id] = 1;
    this.ids.push(id);
  };
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

/** All texts from one id to another, or those of a list from one place to another. */
function scanAnywhere(
  dictionary: Dictionary,
  term: Term,
  from: number,
  to: number,
  ranks: Ranks,
  list: number[] | null = null,
): void {
  const { pattern, typos, pieces } = term;
  const { low, high } = term.mask;
  const bytes = dictionary.bytes.data;
  const starts = dictionary.starts.data;
  const masksLow = dictionary.masksLow.data;
  const masksHigh = dictionary.masksHigh.data;
  const pairsLow = dictionary.pairsLow.data;
  const pairsHigh = dictionary.pairsHigh.data;
  const shortest = pattern.length - typos;
  const isLong = pattern.length > WORD_BITS;
  for (let at = from; at < to; at++) {
    const id = list === null ? at : list[at]!;
    let missing = low & ~masksLow[id]!;
    if (missing !== 0) {
      // Most texts lack three letters or more: told by clearing two bits, cheaper than counting them.
      missing &= missing - 1;
      if ((missing & (missing - 1)) !== 0) continue;
    }
    if (high !== 0 && countBits(low & ~masksLow[id]!) + countBits(high & ~masksHigh[id]!) > typos) continue;
    if (!hasOne(pieces, pairsLow[id]!, pairsHigh[id]!)) continue;
    const start = starts[id]!;
    const end = starts[id + 1]!;
    if (end - start < shortest) continue;
    let distance = pattern.typosUpToTwo(bytes, start, end);
    if (distance > 2) continue;
    if (isLong) distance = pattern.substringDistance(bytes, start, end, typos);
    if (distance > typos) continue;
    ranks.improve(id, rankOf(distance, matchesAtWordStart(pattern, bytes, start, end, distance)));
  }
}

function scanBeginnings(
  words: Dictionary,
  heads: Uint32Array,
  possible: Uint8Array,
  { pattern }: Term,
  from: number,
  to: number,
  ranks: Ranks,
): void {
  const bytes = words.bytes.data;
  const starts = words.starts.data;
  for (let id = from; id < to; id++) {
    if (possible[heads[id]!] === 0) continue;
    if (pattern.prefixDistance(bytes, starts[id]!, starts[id + 1]!, 1) <= 1)
      ranks.improve(id, ONE_TYPO_AT_START);
  }
}

/** Every text that holds the term as it is. */
function scanExact(
  dictionary: Dictionary,
  ofWords: boolean,
  term: Term,
  from: number,
  to: number,
  ranks: Ranks,
): void {
  const { pattern } = term;
  const { low, high } = term.mask;
  const bytes = dictionary.bytes.data;
  const starts = dictionary.starts.data;
  const masksLow = dictionary.masksLow.data;
  const masksHigh = dictionary.masksHigh.data;
  for (let id = from; id < to; id++) {
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
