// Passages of documents, ranked by BM25: words of the title and of the headings count more than others. A word is found
// by its stem in the language of the document, or with typos if no document has it. Its order depends on the passages
// alone, not on the order in which they came.

import { Bytes, Integers } from '../store/arrays.ts';
import { Dictionary } from '../store/dictionary.ts';
import { Postings } from '../store/postings.ts';
import { foldText } from '../store/text.ts';
import { encodeUtf8 } from '../store/utf8.ts';

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
  /** Those with function words. */
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

/** A posting is a slot and how often the passage has the term, weighted. */
export const WEIGHT_BITS = 8;
const MAX_WEIGHT = 2 ** WEIGHT_BITS - 1;
const MAX_SLOTS = 2 ** (31 - WEIGHT_BITS);
const TITLE_WEIGHT = 3;
const HEADING_WEIGHT = 2;
const MAX_WORD_LENGTH = 64;
/** Words whose term is remembered, for each language. */
const REMEMBERED_WORDS = 200_000;

const WORDS = /[\p{L}\p{N}]+/gu;
export const wordsOf = (text: string): string[] =>
  (foldText(text).match(WORDS) ?? []).map((word) => word.slice(0, MAX_WORD_LENGTH));

export class PassageIndex {
  readonly terms = new Dictionary();
  readonly postings = new Postings();
  /** By slot. */
  readonly alive = new Bytes();
  readonly lengths = new Integers();
  readonly numbers = new Integers();
  readonly documentOf = new Integers();
  /** By the number of the document; one that is gone stays until the index is rebuilt. */
  readonly documents: Entry[] = [];
  /** How many documents there are in each language. */
  readonly languages = new Map<string, number>();
  readonly vocabulary: Vocabulary;
  readonly #numberOf = new Map<string, number>();
  readonly #termOfWord = new Map<string, Map<string, number>>();
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
    const arrays = [this.terms, this.postings, this.alive, this.lengths, this.numbers, this.documentOf];
    const ofDocuments = this.documents.length * 400;
    return arrays.reduce((sum, { byteLength }) => sum + byteLength, ofDocuments);
  }

  upsert(document: PassageDocument): void {
    this.remove(document.id);
    const { passages, title, ...rest } = document;
    if (this.slots + passages.length > MAX_SLOTS) throw new Error('the index has no slot left');
    const number = this.documents.length;
    const { language } = document;
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
    const { first, count, language } = this.documents[number]!;
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

  /** Removes all other documents. */
  retain(ids: ReadonlySet<string>): void {
    for (const id of [...this.#numberOf.keys()]) if (!ids.has(id)) this.remove(id);
  }

  #termsOf(language: string, text: string, isBody = false): number[] {
    let known = this.#termOfWord.get(language);
    if (known === undefined || known.size > REMEMBERED_WORDS) {
      known = new Map();
      this.#termOfWord.set(language, known);
    }
    const terms: number[] = [];
    for (const word of wordsOf(text)) {
      // A question of function words alone is about a title, such as "About us".
      if (isBody && this.vocabulary.isFunctionWord(language, word)) continue;
      let term = known.get(word);
      if (term === undefined) {
        term = this.#intern(this.vocabulary.stem(language, word));
        known.set(word, term);
      }
      terms.push(term);
    }
    return terms;
  }

  #intern(stem: string): number {
    const bytes = encodeUtf8(stem);
    const term = this.terms.intern(bytes, 0, bytes.length);
    if (term === this.postings.size) this.postings.addList();
    return term;
  }
}
