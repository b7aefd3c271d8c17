// Decides which of several terms is searched first, and whether later terms are searched at all. The order does not
// affect the result.

import type { Term } from '../match/match.ts';
import { isWordCharacter } from '../store/text.ts';
import type { Values } from '../store/values.ts';

type Ordered = {
  term: Term;
  /** Up to this many records or values it is faster to check each one than to search all for the term. */
  few: number;
};

/** What is searched: records or values. */
type Searched = {
  size: number;
  isMatch: (term: Term, id: number) => boolean;
  /** Microseconds for one of them, by the kind of term. */
  asking: { long: number; short: number };
};

/** Measured with 100,000 records, in microseconds. */
export const ASKING_A_VALUE = { long: 2.5, short: 2.5 };
/** A short term is compared with all tokens of a record: bigram columns cannot filter its typos. */
export const ASKING_A_RECORD = { long: 0.5, short: 1 };
const LOOKING = 100;
const LOOKING_PER_TOKEN = 0.005;
const COMPARING_WORD = 0.05;
const COMPARING_TOKEN = 0.1;
/** From the tokens that match to one more record or value. */
const REACHING = 0.06;
/** The cost of checking whether one match of the first term also matches another. */
const KEEPING = 0.1;
/**
 * Sample size for the order of terms, at a microsecond or two each: it shows how common words are, which tokens do
 * not.
 */
const SAMPLED = 64;
/** How many parts of a sampled record or value are looked at: thousands would take a millisecond. */
export const SAMPLED_PARTS = 64;
/** With more terms than this, sampling would take longer than a bad order. */
const MAX_SAMPLED_TERMS = 16;

type Estimate = { term: Term; matched: number; looking: number; asking: number };

/** Puts the term first with which all of them take the least time. */
export function cheapestFirst(values: Values, terms: Term[], searched: Searched): Ordered[] {
  if (terms.length < 2) return terms.map((term) => ({ term, few: 0 }));
  const isSampled = terms.length <= MAX_SAMPLED_TERMS;
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

/** About how long it takes to compare all texts that the bigram columns leave. */
function comparing({ words, tokens, heads }: Values, term: Term): number {
  const columns = term.wordStartsOnly ? term.whole : term.bigramPieces;
  const cover = term.wordStartsOnly ? null : term.bigramCover;
  const compared = term.pattern.codePoints.every(isWordCharacter)
    ? words.bigrams.estimate(columns, cover) * COMPARING_WORD
    : tokens.bigrams.estimate(columns, cover) * COMPARING_TOKEN;
  const begun = term.wordStartsOnly && term.typos > 0 ? heads.countWithinOneTypo(term.pattern.codePoints) : 0;
  return compared + begun * COMPARING_WORD;
}
