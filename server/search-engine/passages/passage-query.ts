// The best passages for a question. Passages need not have all of its words: each word adds to the score, rare ones more.

import type { Yielder } from '../query/yielder.ts';
import { type AllowedTypos, allowedInMessages, beginningOf } from '../store/text.ts';
import { encodeUtf8 } from '../store/utf8.ts';
import { nearTerms, termsBeginningWith } from './near-terms.ts';
import { type PassageIndex, wordsOf } from './passage-index.ts';
import { placeOf, type Scored } from './passage-scores.ts';

export type PassageFilter = {
  sourceIds?: readonly string[] | undefined;
  audience?: string | undefined;
  /** `pt` also finds documents in `pt-BR`. */
  language?: string | undefined;
  /** Documents in exactly these are left out. */
  otherLanguages?: readonly string[] | undefined;
};

export type FoundPassage = {
  documentId: string;
  version: number;
  number: number;
  score: number;
  /** Words of the question, folded. */
  matched: string[];
};

/** Of a longer question only these count. */
const MAX_WORDS = 256;
const MAX_LENGTH = 8_000;
const SATURATION = 1.2;
const LENGTH_NORMALIZATION = 0.5;
/** For a word that is used for the same. */
const RELATED_FACTOR = 0.4;
/** A word that the question repeats counts more, up to so many times. */
const MAX_REPEATS = 3;
/** For each typo. */
const TYPO_FACTOR = 0.6;
const MAX_NEAR_TERMS = 8;
/** For a word of which the question has the beginning. */
const BEGINNING_FACTOR = 0.6;
const MIN_BEGINNING = 2;
const MAX_BEGUN_TERMS = 32;
const allowed: AllowedTypos = allowedInMessages;
/** Of postings: from here on it is worth asking which slots are still open. */
const LONG_LIST = 2_000;
/** A look-up takes as long as so many postings. */
const LOOK_UP_COST = 10;

type Candidate = { term: number; factor: number };
type Word = { word: string; scored: Scored[]; bound: number };

/** `isTyping`: the last word of the question may be the beginning of one. */
export async function searchPassages(
  index: PassageIndex,
  question: string,
  filter: PassageFilter,
  count: number,
  pause: Yielder,
  isTyping = false,
): Promise<FoundPassage[]> {
  const languages = languagesOf(index, filter.language);
  const all = wordsOf(beginningOf(question, MAX_LENGTH));
  const repeats = repeatsOf(all);
  const openWord = isTyping && /[\p{L}\p{N}]$/u.test(question) ? all.at(-1) : undefined;
  const words: Word[] = [];
  for (const word of subjectOf(index, languages, [...repeats.keys()]).slice(0, MAX_WORDS)) {
    const emphasis = Math.sqrt(Math.min(MAX_REPEATS, repeats.get(word)!));
    const begun = word === openWord ? begunBy(index, word, languages) : [];
    const candidates = distinct([...candidatesFor(index, word, languages), ...begun]);
    const scored = candidates.map(({ term, factor }) => ({
      postings: index.postings.view(term),
      rarity: emphasis * factor * rarityOf(index, index.usesOf(term)),
    }));
    words.push({ word, scored, bound: Math.max(0, ...scored.map(({ rarity }) => rarity)) });
    const waiting = pause();
    if (waiting) await waiting;
  }
  const best = bestSlots(index, words, normsOf(index, filter), count);
  return best.map(({ slot, score }) => {
    const { id, version } = index.documents[index.documentOf.data[slot]!]!;
    const has = ({ postings }: Scored) => placeOf(postings, slot, 0) >= 0;
    const matched = words.filter(({ scored }) => scored.some(has)).map(({ word }) => word);
    return { documentId: id, version, number: index.numbers.data[slot]!, score, matched };
  });
}

const isInLanguage = (language: string, wanted: string): boolean =>
  language === wanted || language.startsWith(`${wanted}-`);

function passingDocuments(
  index: PassageIndex,
  { sourceIds, audience, language, otherLanguages = [] }: PassageFilter,
): Uint8Array {
  const passing = new Uint8Array(index.documents.length).fill(1);
  if (
    sourceIds === undefined &&
    audience === undefined &&
    language === undefined &&
    otherLanguages.length === 0
  )
    return passing;
  const sources = sourceIds && new Set(sourceIds);
  for (const [number, document] of index.documents.entries()) {
    const passes =
      (sources?.has(document.sourceId) ?? true) &&
      (audience === undefined || document.audience === audience) &&
      (language === undefined || isInLanguage(document.language, language)) &&
      !otherLanguages.includes(document.language);
    if (!passes) passing[number] = 0;
  }
  return passing;
}

function repeatsOf(words: readonly string[]): Map<string, number> {
  const repeats = new Map<string, number>();
  for (const word of words) repeats.set(word, (repeats.get(word) ?? 0) + 1);
  return repeats;
}

/** Those of the documents that may be found. */
const languagesOf = (index: PassageIndex, wanted: string | undefined): string[] =>
  wanted === undefined ? [...index.languages.keys()].sort() : [index.languageOf(wanted)];

/**
 * Without the function words of the language that the question is in: the one with most of them. A question of nothing
 * else is searched as it is.
 */
function subjectOf({ vocabulary }: PassageIndex, languages: readonly string[], asked: string[]): string[] {
  let subject = asked;
  // Documents may name another language than theirs.
  for (const language of [...languages, ...vocabulary.languages]) {
    const rest = asked.filter((word) => !vocabulary.isFunctionWord(language, word));
    if (rest.length < subject.length) subject = rest;
  }
  return subject.length === 0 ? asked : subject;
}

/**
 * The terms that a word stands for: its stem in each language, and less so those that are used for the same. If no
 * document has any of them: those that are its stem with typos.
 */
function candidatesFor(index: PassageIndex, word: string, languages: readonly string[]): Candidate[] {
  const { vocabulary } = index;
  const factors = new Map<string, number>();
  for (const language of languages) {
    const stem = vocabulary.stem(language, word);
    factors.set(stem, 1);
    for (const other of vocabulary.related(language, stem)) {
      if (!factors.has(other)) factors.set(other, RELATED_FACTOR);
    }
  }
  const known = [...factors]
    .map(([stem, factor]) => ({ term: termOf(index, stem), factor }))
    .filter(({ term }) => term !== -1 && index.usesOf(term) > 0);
  if (known.length > 0) return known;
  const stems = [...new Set(languages.map((language) => vocabulary.stem(language, word)))].sort();
  const typos = allowed(word.length);
  if (typos === 0) return [];
  const near = new Map<number, number>();
  for (const stem of stems) {
    for (const found of nearTerms(
      index.terms,
      index.termsByLength,
      stem,
      typos,
      (term) => index.usesOf(term) > 0,
    ))
      near.set(found.term, Math.min(near.get(found.term) ?? typos, found.typos));
  }
  const least = Math.min(...near.values());
  return [...near]
    .filter(([, typos]) => typos === least)
    .map(([term, typos]) => ({
      term,
      factor: TYPO_FACTOR ** typos,
      count: index.usesOf(term),
      text: textOf(index, term),
    }))
    .sort((a, b) => b.count - a.count || (a.text < b.text ? -1 : 1))
    .slice(0, MAX_NEAR_TERMS);
}

/** The most frequent terms that begin with the stem of the word. */
function begunBy(index: PassageIndex, word: string, languages: readonly string[]): Candidate[] {
  if (word.length < MIN_BEGINNING) return [];
  const stems = new Set(languages.map((language) => index.vocabulary.stem(language, word)));
  return [...stems]
    .flatMap((stem) => termsBeginningWith(index.terms, stem))
    .map((term) => ({ term, factor: BEGINNING_FACTOR, uses: index.usesOf(term) }))
    .filter(({ uses }) => uses > 0)
    .sort((a, b) => b.uses - a.uses || (textOf(index, a.term) < textOf(index, b.term) ? -1 : 1))
    .slice(0, MAX_BEGUN_TERMS);
}

/** The first of each term, which has the greatest factor. */
const distinct = (candidates: readonly Candidate[]): Candidate[] =>
  candidates.filter(({ term }, at) => candidates.findIndex((one) => one.term === term) === at);

function termOf({ terms }: PassageIndex, stem: string): number {
  const bytes = encodeUtf8(stem);
  return terms.find(bytes, 0, bytes.length);
}

const textOf = ({ terms }: PassageIndex, term: number): string => {
  const { bytes, starts } = terms.texts;
  return Buffer.from(bytes.subarray(starts[term]!, starts[term + 1]!)).toString();
};

const rarityOf = ({ aliveSlots }: PassageIndex, uses: number): number =>
  Math.log(1 + (aliveSlots - uses + 0.5) / (uses + 0.5)) * (SATURATION + 1);

/**
 * Rare words first. Once the rest cannot lift other passages above those that are already among the best, the postings
 * of the rest, which are long, are only looked up for the passages that still can be.
 */
function bestSlots(
  index: PassageIndex,
  words: readonly Word[],
  norms: Float64Array,
  count: number,
): { slot: number; score: number }[] {
  const { scores } = index;
  scores.begin(index.slots);
  const ordered = words.toSorted((a, b) => b.bound - a.bound || (a.word < b.word ? -1 : 1));
  let left = ordered.reduce((sum, { bound }) => sum + bound, 0);
  let added = 0;
  let open: Uint32Array | null = null;
  for (const { scored, bound } of ordered) {
    const length = scored.reduce((sum, { postings }) => sum + postings.length, 0);
    const atMost = Math.floor(length / LOOK_UP_COST);
    // No score exceeds what was added.
    if (length > LONG_LIST && added > left && (open === null || open.length > atMost))
      open = scores.open(left, count, atMost, open) ?? open;
    if (open !== null && open.length <= atMost) scores.addAt(scored, norms, open);
    else scores.add(scored, norms);
    left -= bound;
    added += bound;
  }
  return scores.best(index, count, open);
}

/** By slot. An index remembers those of its last filters. */
function normsOf(index: PassageIndex, filter: PassageFilter): Float64Array {
  return index.normsFor(JSON.stringify(filter), () => {
    const passing = passingDocuments(index, filter);
    const { slots, averageLength } = index;
    const [alive, lengths, documents] = [index.alive.data, index.lengths.data, index.documentOf.data];
    const base = SATURATION * (1 - LENGTH_NORMALIZATION);
    const slope = (SATURATION * LENGTH_NORMALIZATION) / averageLength;
    const norms = new Float64Array(slots);
    for (let slot = 0; slot < slots; slot++) {
      if (alive[slot] === 1 && passing[documents[slot]!] === 1) norms[slot] = base + slope * lengths[slot]!;
    }
    return norms;
  });
}
