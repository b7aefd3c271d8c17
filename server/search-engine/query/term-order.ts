// Of several terms, which is looked for first, and whether those after it are looked for at all. In what order terms are
// taken makes no difference to the answer.

import type { Term } from '../match/match.ts';
import { isWordCharacter } from '../store/text.ts';
import type { Values } from '../store/values.ts';

type Ordered = {
  term: Term;
  /** Up to so many records or values are better asked one by one than this term looked for among all of them. */
  few: number;
};

/** What is searched: records or values. */
type Searched = {
  size: number;
  isMatch: (term: Term, id: number) => boolean;
  /** Microseconds for one of them, by the kind of the term. */
  asking: { long: number; short: number };
};

/** Measured with 100,000 records, in microseconds. */
export const ASKING_A_VALUE = { long: 2.5, short: 2.5 };
/** A short term is held against all tokens of a record: no columns tell of its typos. */
export const ASKING_A_RECORD = { long: 0.5, short: 1 };
const LOOKING = 100;
const LOOKING_PER_TOKEN = 0.005;
const COMPARING_WORD = 0.05;
const COMPARING_TOKEN = 0.1;
/** From the tokens that match to one more record or value. */
const REACHING = 0.06;
/** Of those that matched the first term, to ask whether one of them stays. */
const KEEPING = 0.1;
/** So many are asked for the order of terms, at a microsecond or two each: they tell of common words what tokens do not. */
const SAMPLED = 64;
/** Of a sampled record or value, so many parts are looked at: one that has thousands would take a millisecond. */
export const SAMPLED_PARTS = 64;
/** With more terms than these the sample itself would take longer than a bad order. */
const MOST_SAMPLED_TERMS = 16;

type Estimate = { term: Term; matched: number; looking: number; asking: number };

/** First the term with which all of them take the least time. */
export function cheapestFirst(values: Values, terms: Term[], searched: Searched): Ordered[] {
  if (terms.length < 2) return terms.map((term) => ({ term, few: 0 }));
  const isSampled = terms.length <= MOST_SAMPLED_TERMS;
  const estimates = terms
    .map((term) => estimate(values, term, searched, isSampled))
    .sort((a, b) => a.matched - b.matched || a.looking - b.looking);
  if (isSampled) putFirst(estimates, cheapestOf(estimates));
  return estimates.map(({ term, looking, asking }) => ({ term, few: looking / asking }));
}

function cheapestOf(estimates: Estimate[]): number {
  const times = estimates.map((first) => timeOf(first, estimates));
  return times.indexOf(Math.min(...times));
}

function putFirst<T>(list: T[], at: number): void {
  list.unshift(...list.splice(at, 1));
}

function timeOf(first: Estimate, all: Estimate[]): number {
  let time = first.looking + first.matched * REACHING;
  for (const other of all) {
    if (other !== first)
      time += Math.min(other.looking, first.matched * other.asking) + first.matched * KEEPING;
  }
  return time;
}

function estimate(values: Values, term: Term, searched: Searched, isSampled: boolean): Estimate {
  const { asking } = searched;
  return {
    term,
    matched: isSampled ? matchedBy(term, searched) : 0,
    looking: LOOKING + values.tokens.size * LOOKING_PER_TOKEN + comparing(values, term),
    asking: term.wordStartsOnly ? asking.short : asking.long,
  };
}

/** About how many match. */
function matchedBy(term: Term, { size, isMatch }: Searched): number {
  const step = Math.ceil(size / SAMPLED);
  let matched = 0;
  for (let id = step >> 1; id < size; id += step) if (isMatch(term, id)) matched += step;
  return matched;
}

/** About how long the comparison of all texts takes that columns do not refuse. */
function comparing({ words, tokens, heads }: Values, term: Term): number {
  const columns = term.wordStartsOnly ? term.whole : term.bigramPieces;
  const cover = term.wordStartsOnly ? null : term.bigramCover;
  const compared = term.pattern.codePoints.every(isWordCharacter)
    ? words.bigrams.estimate(columns, cover) * COMPARING_WORD
    : tokens.bigrams.estimate(columns, cover) * COMPARING_TOKEN;
  const begun = term.wordStartsOnly && term.typos > 0 ? heads.countWithinOneTypo(term.pattern.codePoints) : 0;
  return compared + begun * COMPARING_WORD;
}
