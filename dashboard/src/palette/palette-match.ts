/** How well a text matches the query, and which letters to mark. Tolerates typos as the service's search does. */

/** From, to (exclusive), in the text as it is shown. */
export type Range = readonly [from: number, to: number];
export interface Fit {
  /** Fewer is better. */
  typos: number;
  /** How early and how completely the words match; fewer is better. */
  distance: number;
  ranges: Range[];
}

/** Letter by letter without case and accents, so that places stay those of the original. */
const fold = (text: string): string =>
  Array.from(text, (letter) => {
    const plain = letter.normalize('NFD').charAt(0).toLowerCase();
    // A pair of surrogates has two places.
    return letter.length === 1 && plain.length === 1 ? plain : letter;
  }).join('');

export const wordsOf = (text: string): string[] => fold(text).split(/\s+/).filter(Boolean);

const maxTypos = (word: string) => (word.length < 4 ? 0 : word.length < 7 ? 1 : 2);

/** Null unless every word of `query` is found: within a word, or as one with a few typos. */
export function fit(query: readonly string[], text: string): Fit | null {
  const folded = fold(text);
  const places = [...folded.matchAll(/[\p{L}\p{N}]+/gu)].map((match) => [match.index, match[0]] as const);
  const result: Fit = { typos: 0, distance: 0, ranges: [] };
  for (const word of query) {
    const found = findWord(word, folded, places);
    if (!found) return null;
    result.typos += found.typos;
    result.distance += found.distance;
    result.ranges.push(found.range);
  }
  return { ...result, ranges: merged(result.ranges) };
}

type Place = readonly [at: number, word: string];

function findWord(
  word: string,
  text: string,
  places: readonly Place[],
): { typos: number; distance: number; range: Range } | null {
  const begins = places.findIndex(([, one]) => one.startsWith(word));
  if (begins >= 0) {
    const [at, whole] = places[begins]!;
    const distance = begins + (whole.length === word.length ? 0 : 0.5);
    return { typos: 0, distance, range: [at, at + word.length] };
  }
  const inside = text.indexOf(word);
  if (inside >= 0) return { typos: 0, distance: 10, range: [inside, inside + word.length] };
  const most = maxTypos(word);
  let best: { typos: number; distance: number; range: Range } | null = null;
  for (const [at, whole] of places) {
    for (const part of partsOf(whole, word.length, most)) {
      const typos = editDistance(word, part, best ? best.typos - 1 : most);
      if (typos !== null) best = { typos, distance: 20, range: [at, at + part.length] };
    }
  }
  return best;
}

/** The word itself, and the prefixes that an unfinished word may match. */
function partsOf(whole: string, length: number, most: number): Set<string> {
  const parts = new Set<string>();
  if (most === 0) return parts;
  for (let size = length - most; size <= length + most; size++) parts.add(whole.slice(0, Math.max(1, size)));
  return parts;
}

/** Letters added, left out, replaced, or swapped with their neighbour; null: more than `most`. */
export function editDistance(a: string, b: string, most: number): number | null {
  if (most < 0 || Math.abs(a.length - b.length) > most) return null;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, before[j - 2]! + 1);
      }
      next.push(cost);
    }
    if (Math.min(...next) > most) return null;
    [before, row] = [row, next];
  }
  const distance = row[b.length]!;
  return distance <= most ? distance : null;
}

function merged(ranges: Range[]): Range[] {
  const done: [number, number][] = [];
  for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = done.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else done.push([from, to]);
  }
  return done;
}

/** The ranges to mark in a search result: words of the query that occur in it, with typos. */
export function marksIn(query: readonly string[], text: string): Range[] {
  return merged(query.flatMap((word) => fit([word], text)?.ranges ?? []));
}
