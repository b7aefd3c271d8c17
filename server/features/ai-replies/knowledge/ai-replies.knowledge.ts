/** Finding what an agent's knowledge says about a question. */
import { LRUCache } from 'lru-cache';
import MiniSearch, { type SearchOptions } from 'minisearch';
import { isFunctionWord, wordsOf } from '../../../platform/language.ts';
import type { KnowledgeEntry } from '../ai-replies.conversation.ts';

export interface KnowledgeHit {
  /** Position in the entries searched. */
  index: number;
  score: number;
  /** Which of the question's terms the entry has. */
  terms: Set<string>;
  /** Their share of the question's terms, 0 to 1. */
  coverage: number;
}

/** Best first. A question without a term, such as "and you?", finds nothing. */
export function searchKnowledge(
  cacheKey: string,
  entries: KnowledgeEntry[],
  question: string,
): KnowledgeHit[] {
  const asked = termsOf(question);
  if (asked.length === 0 || entries.length === 0) return [];
  const index = indexOf(cacheKey, entries);
  const exact = index.search(asked.join(' '));
  const known = new Set(exact.flatMap(({ queryTerms }) => queryTerms));
  const found = known.size === asked.length ? exact : index.search(asked.join(' '), resembling(known));
  return found
    .map(({ id, score, queryTerms }) => {
      const terms = new Set(queryTerms);
      return { index: id as number, score, terms, coverage: terms.size / asked.length };
    })
    .sort((one, other) => other.score - one.score || one.index - other.index);
}

/**
 * Unknown words may be a prefix or a typo; a known word is taken as is. Numbers have no fuzzy matches, and one typo
 * makes another word of a short one: "cash", "wash".
 */
function resembling(known: Set<string>): SearchOptions {
  const open = (term: string, length: number) =>
    term.length >= length && !known.has(term) && !/\d/.test(term);
  return {
    prefix: (term) => open(term, 4),
    fuzzy: (term) => (open(term, 6) ? 1 : false),
    weights: { prefix: 0.6, fuzzy: 0.4 },
  };
}

/** The distinct meaningful words, as in the index. A long text is searched by its last terms. */
function termsOf(text: string): string[] {
  const terms = wordsOf(text)
    .filter((word) => !isFunctionWord(word))
    .map(stem);
  return [...new Set(terms.reverse())].slice(0, 64).reverse();
}

function buildIndex(entries: KnowledgeEntry[]): MiniSearch {
  const index = new MiniSearch({
    fields: ['title', 'text'],
    tokenize: wordsOf,
    processTerm: (word) => (isFunctionWord(word) ? null : stem(word)),
    searchOptions: {
      // The search terms are already stems.
      tokenize: (terms) => terms.split(' '),
      processTerm: (term) => term,
      boost: { title: 2 },
    },
  });
  index.addAll(entries.map(({ title, text }, id) => ({ id, title, text })));
  return index;
}

/**
 * Indexing 500 entries of 150 words takes 100 ms of processor time and a search 0.4 ms, and an agent's knowledge
 * rarely changes: the index is cached while the entries are the same.
 */
const indexes = new LRUCache<string, { entries: KnowledgeEntry[]; index: MiniSearch }>({ max: 64 });

function indexOf(cacheKey: string, entries: KnowledgeEntry[]): MiniSearch {
  const kept = indexes.get(cacheKey);
  if (kept && sameEntries(kept.entries, entries)) return kept.index;
  const index = buildIndex(entries);
  indexes.set(cacheKey, { entries, index });
  return index;
}

function sameEntries(one: KnowledgeEntry[], other: KnowledgeEntry[]): boolean {
  return (
    one === other ||
    (one.length === other.length &&
      one.every(({ title, text }, i) => title === other[i]!.title && text === other[i]!.text))
  );
}

/**
 * Plurals and the most common endings of the three languages, cut on both sides: "devoluções" finds "devolução",
 * "shipping" finds "ship". Not a linguistic stemmer: cutting too much only merges two words.
 */
function stem(word: string): string {
  if (word.length < 4 || /\d/.test(word)) return word;
  const singular = word
    .replace(/(?<=[cs])oes$/, 'ao')
    .replace(/ies$/, 'y')
    .replace(/(?<!s)s$/, '');
  const verb = singular.replace(/(?<=[a-z]{3})(?:ing|ed)$/, '').replace(/([bdgmnprt])\1$/, '$1');
  return verb.length > 3 ? verb.replace(/[aeo]$/, '') : verb;
}
