// The best passages for a question. Passages need not have all of its words: each word adds to the score, rare ones more.

import type { Yielder } from '../query/yielder.ts';
import { type AllowedTypos, allowedInMessages, beginningOf } from '../store/text.ts';
import { nearTerms } from './near-terms.ts';
import { type PassageIndex, WEIGHT_BITS, wordsOf } from './passage-index.ts';
import { encodeUtf8 } from '../store/utf8.ts';

export type PassageFilter = {
  sourceIds?: readonly string[] | undefined;
  audience?: string | undefined;
  /** `pt` also finds documents in `pt-BR`. */
  language?: string | undefined;
};

export type FoundPassage = {
  documentId: string;
  version: number;
  number: number;
  score: number;
  /** Words of the question, folded. */
  matched: string[];
};

/** Of a longer question only these count. A bit of a number marks each. */
const MAX_WORDS = 32;
const MAX_LENGTH = 1_000;
const SATURATION = 1.2;
const LENGTH_NORMALIZATION = 0.75;
/** For each typo. */
const TYPO_FACTOR = 0.6;
const MAX_NEAR_TERMS = 8;
const allowed: AllowedTypos = allowedInMessages;
const WEIGHT_MASK = 2 ** WEIGHT_BITS - 1;

type Candidate = { term: number; factor: number };

export async function searchPassages(
  index: PassageIndex,
  question: string,
  filter: PassageFilter,
  count: number,
  pause: Yielder,
): Promise<FoundPassage[]> {
  const passing = passingDocuments(index, filter);
  const words = [...new Set(wordsOf(beginningOf(question, MAX_LENGTH)))].slice(0, MAX_WORDS);
  const scores = new Float64Array(index.slots);
  const matched = new Uint32Array(index.slots);
  const ofWord = new Float64Array(index.slots);
  for (const [i, word] of words.entries()) {
    addWord(index, candidatesFor(index, word, filter.language), { scores, matched, ofWord, bit: 1 << i });
    const waiting = pause();
    if (waiting) await waiting;
  }
  return bestOf(index, scores, passing, count).map((slot) => {
    const { id, version } = index.documents[index.documentOf.data[slot]!]!;
    return {
      documentId: id,
      version,
      number: index.numbers.data[slot]!,
      score: scores[slot]!,
      matched: words.filter((_, i) => (matched[slot]! & (1 << i)) !== 0),
    };
  });
}

const isInLanguage = (language: string, wanted: string): boolean =>
  language === wanted || language.startsWith(`${wanted}-`);

function passingDocuments(index: PassageIndex, { sourceIds, audience, language }: PassageFilter): Uint8Array {
  const sources = sourceIds && new Set(sourceIds);
  return Uint8Array.from(index.documents, (document, number) => {
    const passes =
      (sources?.has(document.sourceId) ?? true) &&
      (audience === undefined || document.audience === audience) &&
      (language === undefined || isInLanguage(document.language, language)) &&
      index.isCurrent(number);
    return passes ? 1 : 0;
  });
}

/** The terms that a word stands for: its stem in each language, else those that are it with typos. */
function candidatesFor(index: PassageIndex, word: string, language: string | undefined): Candidate[] {
  const languages = [...index.languages.keys()].filter(
    (one) => language === undefined || isInLanguage(one, language),
  );
  const stems = [...new Set(languages.map((one) => index.stem(one, word)))].sort();
  const exact = stems.map((stem) => termOf(index, stem)).filter((term) => term !== -1 && isUsed(index, term));
  if (exact.length > 0) return exact.map((term) => ({ term, factor: 1 }));
  const typos = allowed(word.length);
  if (typos === 0) return [];
  const near = new Map<number, number>();
  for (const stem of stems) {
    for (const found of nearTerms(index.terms, stem, typos, (term) => isUsed(index, term)))
      near.set(found.term, Math.min(near.get(found.term) ?? typos, found.typos));
  }
  const least = Math.min(...near.values());
  return [...near]
    .filter(([, typos]) => typos === least)
    .map(([term, typos]) => ({
      term,
      factor: TYPO_FACTOR ** typos,
      count: usesOf(index, term),
      text: textOf(index, term),
    }))
    .sort((a, b) => b.count - a.count || (a.text < b.text ? -1 : 1))
    .slice(0, MAX_NEAR_TERMS);
}

function termOf({ terms }: PassageIndex, stem: string): number {
  const bytes = encodeUtf8(stem);
  return terms.find(bytes, 0, bytes.length);
}

const textOf = ({ terms }: PassageIndex, term: number): string => {
  const { bytes, starts } = terms.texts;
  return Buffer.from(bytes.subarray(starts[term]!, starts[term + 1]!)).toString();
};

/** In how many passages a term is. */
function usesOf(index: PassageIndex, term: number): number {
  if (index.garbage === 0) return index.postings.count(term);
  const alive = index.alive.data;
  let count = 0;
  index.postings.each(term, (posting) => {
    count += alive[posting >>> WEIGHT_BITS]!;
  });
  return count;
}

const isUsed = (index: PassageIndex, term: number): boolean =>
  index.postings.count(term) > 0 && usesOf(index, term) > 0;

interface Sums {
  scores: Float64Array;
  matched: Uint32Array;
  /** All zero before and after. */
  ofWord: Float64Array;
  bit: number;
}

/** A passage that has several of the candidates gets the best one's score. */
function addWord(index: PassageIndex, candidates: readonly Candidate[], sums: Sums): void {
  const { scores, matched, ofWord, bit } = sums;
  const { alive, lengths, postings, aliveSlots, averageLength } = index;
  const [aliveData, lengthData] = [alive.data, lengths.data];
  const base = SATURATION * (1 - LENGTH_NORMALIZATION);
  const slope = (SATURATION * LENGTH_NORMALIZATION) / averageLength;
  const isSingle = candidates.length === 1;
  for (const { term, factor } of candidates) {
    const uses = usesOf(index, term);
    const rarity = factor * Math.log(1 + (aliveSlots - uses + 0.5) / (uses + 0.5)) * (SATURATION + 1);
    postings.each(term, (posting) => {
      const slot = posting >>> WEIGHT_BITS;
      if (aliveData[slot] === 0) return;
      const weight = posting & WEIGHT_MASK;
      const score = (rarity * weight) / (weight + base + slope * lengthData[slot]!);
      if (isSingle) scores[slot]! += score;
      else if (score > ofWord[slot]!) ofWord[slot] = score;
      matched[slot]! |= bit;
    });
  }
  if (isSingle) return;
  for (const { term } of candidates) {
    postings.each(term, (posting) => {
      const slot = posting >>> WEIGHT_BITS;
      scores[slot]! += ofWord[slot]!;
      ofWord[slot] = 0;
    });
  }
}

/** The slots with the highest scores, the best first. Equal ones by document and place. */
function bestOf(index: PassageIndex, scores: Float64Array, passing: Uint8Array, count: number): number[] {
  const documents = index.documentOf.data;
  const isBefore = (a: number, b: number): boolean => {
    if (scores[a] !== scores[b]) return scores[a]! > scores[b]!;
    const [left, right] = [index.documents[documents[a]!]!.id, index.documents[documents[b]!]!.id];
    return left === right ? index.numbers.data[a]! < index.numbers.data[b]! : left < right;
  };
  const best: number[] = [];
  for (let slot = 0; slot < scores.length; slot++) {
    if (scores[slot] === 0 || passing[documents[slot]!] === 0) continue;
    if (best.length === count && !isBefore(slot, best.at(-1)!)) continue;
    let place = best.length;
    while (place > 0 && isBefore(slot, best[place - 1]!)) place--;
    best.splice(place, 0, slot);
    if (best.length > count) best.pop();
  }
  return best;
}
