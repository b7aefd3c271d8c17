/**
 * Finds by brute force which records a query must find: the term against every distinct token of the corpus with
 * plain dynamic programming. It shares no code with the measured engines.
 */
import type { QueryKind } from './queries.ts';

const isWordCharacter = (character: string) => /[\p{L}\p{N}]/u.test(character);

export class Truth {
  readonly #recordsOf = new Map<string, number[]>();

  /** `texts` are folded, one per record. */
  constructor(texts: readonly string[]) {
    for (const [record, text] of texts.entries()) {
      for (const token of new Set(text.split(/\s+/))) {
        const known = this.#recordsOf.get(token);
        if (known) known.push(record);
        else this.#recordsOf.set(token, [record]);
      }
    }
  }

  /** Records within as many edits as the kind of query made, up to what the rules tolerate from these lengths on. */
  find(term: string, kind: QueryKind, [one, two] = [3, 6]): Set<number> {
    const length = [...term].length;
    const tolerated = length < one! ? 0 : length < two! ? 1 : 2;
    const edits = Math.min(kind === 'typo1' ? 1 : kind === 'typo2' ? 2 : 0, tolerated);
    const found = new Set<number>();
    for (const [token, records] of this.#recordsOf) {
      const holds =
        token.includes(term) || (edits > 0 && (length < 6 ? begins : contains)(term, token, edits));
      if (holds) for (const record of records) found.add(record);
    }
    return found;
  }
}

/** Some substring of the token is at most `edits` away. */
function contains(term: string, token: string, edits: number): boolean {
  return leastDistance(term, token, true) <= edits;
}

/** Some beginning of a word of the token is. */
function begins(term: string, token: string, edits: number): boolean {
  const words = token.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  return words.some((word) => isWordCharacter(word[0]!) && leastDistance(term, word, false) <= edits);
}

let rows: [Uint8Array, Uint8Array, Uint8Array] = [
  new Uint8Array(256),
  new Uint8Array(256),
  new Uint8Array(256),
];

/** Optimal string alignment; one column per character of the text, at which the match may end. */
function leastDistance(term: string, text: string, anywhere: boolean): number {
  const m = Math.min(term.length, 250);
  let [before, last, next] = rows;
  for (let i = 0; i <= m; i++) last[i] = i;
  let best = m;
  const end = Math.min(text.length, anywhere ? 250 : m + 2);
  for (let j = 1; j <= end; j++) {
    next[0] = anywhere ? 0 : j;
    const letter = text.charCodeAt(j - 1);
    for (let i = 1; i <= m; i++) {
      const own = term.charCodeAt(i - 1);
      let cost = last[i - 1]! + (own === letter ? 0 : 1);
      if (last[i]! + 1 < cost) cost = last[i]! + 1;
      if (next[i - 1]! + 1 < cost) cost = next[i - 1]! + 1;
      if (i > 1 && j > 1 && own === text.charCodeAt(j - 2) && term.charCodeAt(i - 2) === letter) {
        if (before[i - 2]! + 1 < cost) cost = before[i - 2]! + 1;
      }
      next[i] = cost;
    }
    if (next[m]! < best) best = next[m]!;
    [before, last, next] = [last, next, before];
  }
  rows = [before, last, next];
  return best;
}
