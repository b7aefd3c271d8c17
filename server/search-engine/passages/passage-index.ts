// Passages of documents, ranked by BM25: words of the title and of the headings count more than others. A word is found
// by its stem in the language of the document, or with typos if no document has it. Its order depends on the passages
// alone, not on the order in which they came.

import { Bytes, Integers } from '../store/arrays.ts';
import { Dictionary } from '../store/dictionary.ts';
import { Postings } from '../store/postings.ts';
import { foldText } from '../store/text.ts';
import { encodeUtf8 } from '../store/utf8.ts';
import { TermsByLength } from './near-terms.ts';
import { PassageScores, WEIGHT_BITS } from './passage-scores.ts';

export type PassageDocument = {
  id: string;
  version: number;
  sourceId: string;
  audience: string;
  language: string;
  title: string;
  passages: readonly { number: number; heading: string | null; text: string }[];
};

/** What is known of the words of a language. Words are folded. */
export type Vocabulary = {
  /** Primary tags. Documents in all others are treated as in one language without a stemmer. */
  languages: readonly string[];
  /** The word itself in a language without a stemmer. */
  stem(language: string, word: string): string;
  /** A word that says nothing about a subject, such as an article. */
  isFunctionWord(language: string, word: string): boolean;
  /** Other stems that are used for the same as this one. */
  related(language: string, stem: string): readonly string[];
};

type Entry = {
  id: string;
  version: number;
  sourceId: string;
  audience: string;
  language: string;
  /** Its slots are next to each other. */
  first: number;
  count: number;
};

const MAX_WEIGHT = 2 ** WEIGHT_BITS - 1;
const MAX_SLOTS = 2 ** (31 - WEIGHT_BITS);
const TITLE_WEIGHT = 3;
const HEADING_WEIGHT = 2;
const MAX_WORD_LENGTH = 64;
/** Words whose term is remembered, for each language. */
const REMEMBERED_WORDS = 200_000;
/** An account asks with few: those of its agents and its help center. */
const REMEMBERED_FILTERS = 4;

const WORDS = /[\p{L}\p{N}]+/gu;
export const wordsOf = (text: string): string[] =>
  (foldText(text).match(WORDS) ?? []).map((word) => word.slice(0, MAX_WORD_LENGTH));

export class PassageIndex {
  readonly terms = new Dictionary();
  readonly termsByLength = new TermsByLength();
  readonly postings = new Postings();
  /** By slot. */
  readonly alive = new Bytes();
  readonly lengths = new Integers();
  readonly numbers = new Integers();
  readonly documentOf = new Integers();
  /** By the number of the document; one that is gone stays until the index is rebuilt. */
  readonly documents: Entry[] = [];
  /** How many documents there are in each language of the vocabulary, and in others (''). */
  readonly languages = new Map<string, number>();
  readonly vocabulary: Vocabulary;
  /** Of the search that is running. */
  readonly scores = new PassageScores();
  readonly #numberOf = new Map<string, number>();
  /** By language and word: the term, or its complement if the word is a function word. */
  readonly #termOfWord = new Map<string, Map<string, number>>();
  /** What searches compute of the index as it is, until the next change. */
  readonly #norms = new Map<string, Float64Array>();
  readonly #uses = new Map<number, number>();
  #aliveSlots = 0;
  #totalLength = 0;

  constructor(vocabulary: Vocabulary) {
    this.vocabulary = vocabulary;
  }

  get slots(): number {
    return this.alive.length;
  }

  get aliveSlots(): number {
    return this.#aliveSlots;
  }

  get averageLength(): number {
    return Math.max(1, this.#totalLength / Math.max(1, this.#aliveSlots));
  }

  /** The share of slots that belong to nothing. */
  get garbage(): number {
    return this.slots === 0 ? 0 : 1 - this.#aliveSlots / this.slots;
  }

  get byteLength(): number {
    const arrays = [
      this.terms,
      this.termsByLength,
      this.postings,
      this.alive,
      this.lengths,
      this.numbers,
      this.documentOf,
    ];
    const ofDocuments = this.documents.length * 400;
    const ofSearches =
      this.scores.byteLength + this.#norms.size * this.slots * Float64Array.BYTES_PER_ELEMENT;
    return arrays.reduce((sum, { byteLength }) => sum + byteLength, ofDocuments + ofSearches);
  }

  /** For a filter: what the weight of a posting is divided by besides itself; zero for a slot that must not be found. */
  normsFor(filter: string, compute: () => Float64Array): Float64Array {
    const norms = this.#norms.get(filter) ?? compute();
    if (this.#norms.size >= REMEMBERED_FILTERS) this.#norms.clear();
    this.#norms.set(filter, norms);
    return norms;
  }

  /** In how many passages a term is. */
  usesOf(term: number): number {
    if (this.garbage === 0) return this.postings.count(term);
    const known = this.#uses.get(term);
    if (known !== undefined) return known;
    const alive = this.alive.data;
    let count = 0;
    this.postings.each(term, (posting) => {
      count += alive[posting >>> WEIGHT_BITS]!;
    });
    if (this.#uses.size >= REMEMBERED_WORDS) this.#uses.clear();
    this.#uses.set(term, count);
    return count;
  }

  upsert(document: PassageDocument): void {
    this.remove(document.id);
    this.#forget();
    const { passages, title, ...rest } = document;
    if (this.slots + passages.length > MAX_SLOTS) throw new Error('the index has no slot left');
    const number = this.documents.length;
    const language = this.languageOf(document.language);
    this.documents.push({ ...rest, first: this.slots, count: passages.length });
    this.#numberOf.set(document.id, number);
    this.languages.set(language, (this.languages.get(language) ?? 0) + 1);
    const ofTitle = this.#termsOf(language, title);
    const weights = new Map<number, number>();
    for (const passage of passages) {
      weights.clear();
      const count = (terms: readonly number[], weight: number) => {
        for (const term of terms) weights.set(term, (weights.get(term) ?? 0) + weight);
      };
      const body = this.#termsOf(language, passage.text, true);
      count(ofTitle, TITLE_WEIGHT);
      if (passage.heading !== null) count(this.#termsOf(language, passage.heading), HEADING_WEIGHT);
      count(body, 1);
      const slot = this.alive.push(1);
      this.lengths.push(body.length);
      this.numbers.push(passage.number);
      this.documentOf.push(number);
      this.#aliveSlots++;
      this.#totalLength += body.length;
      for (const [term, weight] of weights)
        this.postings.append(term, slot * 2 ** WEIGHT_BITS + Math.min(weight, MAX_WEIGHT));
    }
  }

  remove(id: string): void {
    const number = this.#numberOf.get(id);
    if (number === undefined) return;
    this.#forget();
    const { first, count, language: tag } = this.documents[number]!;
    const language = this.languageOf(tag);
    for (let slot = first; slot < first + count; slot++) {
      this.alive.data[slot] = 0;
      this.#aliveSlots--;
      this.#totalLength -= this.lengths.data[slot]!;
    }
    this.#numberOf.delete(id);
    const left = this.languages.get(language)! - 1;
    if (left === 0) this.languages.delete(language);
    else this.languages.set(language, left);
  }

  /** A website may name a language of its own on every page: an index has as many as the vocabulary. */
  languageOf(tag: string): string {
    const primary = tag.split('-', 1)[0]!;
    return this.vocabulary.languages.includes(primary) ? primary : '';
  }

  /** Removes all other documents. */
  retain(ids: ReadonlySet<string>): void {
    for (const id of [...this.#numberOf.keys()]) if (!ids.has(id)) this.remove(id);
  }

  #forget(): void {
    this.#norms.clear();
    this.#uses.clear();
  }

  #termsOf(language: string, text: string, isBody = false): number[] {
    let known = this.#termOfWord.get(language);
    if (known === undefined || known.size > REMEMBERED_WORDS) {
      known = new Map();
      this.#termOfWord.set(language, known);
    }
    const terms: number[] = [];
    for (const word of wordsOf(text)) {
      let term = known.get(word);
      if (term === undefined) {
        term = this.#intern(this.vocabulary.stem(language, word));
        if (this.vocabulary.isFunctionWord(language, word)) term = ~term;
        known.set(word, term);
      }
      if (term >= 0) terms.push(term);
      // A question of function words alone is about a title, such as "About us".
      else if (!isBody) terms.push(~term);
    }
    return terms;
  }

  #intern(stem: string): number {
    const bytes = encodeUtf8(stem);
    const term = this.terms.intern(bytes, 0, bytes.length);
    if (term === this.postings.size) {
      this.postings.addList();
      this.termsByLength.add(term, bytes);
    }
    return term;
  }
}
