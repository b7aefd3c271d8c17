// The scores of passages while a question is searched. Only slots that have a score are visited again, and the memory
// is that of the search before.

import type { PassageIndex } from './passage-index.ts';

/** A posting is a slot and how often the passage has the term, weighted. */
export const WEIGHT_BITS = 8;
const WEIGHT_MASK = 2 ** WEIGHT_BITS - 1;
/** Sums of the same numbers differ in their last digits. */
const ROUNDING = 1e-9;

/** A list of postings, and what each of them adds at most. */
export type Scored = { postings: Uint32Array; rarity: number };

/** Slots in the beginning of an array that is longer. */
class SlotList {
  slots = new Uint32Array(0);
  count = 0;
}

export class PassageScores {
  #scores = new Float64Array(0);
  /** What the word that is being added adds. */
  #ofWord = new Float64Array(0);
  readonly #scored = new SlotList();
  readonly #scoredByWord = new SlotList();

  get byteLength(): number {
    const arrays = [this.#scores, this.#ofWord, this.#scored.slots, this.#scoredByWord.slots];
    return arrays.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** All scores are zero. */
  begin(slots: number): void {
    if (this.#scores.length < slots) {
      const capacity = slots + (slots >>> 3);
      this.#scores = new Float64Array(capacity);
      this.#ofWord = new Float64Array(capacity);
      this.#scored.slots = new Uint32Array(capacity);
      this.#scoredByWord.slots = new Uint32Array(capacity);
    } else {
      for (let i = 0; i < this.#scored.count; i++) this.#scores[this.#scored.slots[i]!] = 0;
    }
    this.#scored.count = 0;
  }

  /** A passage that has several of the terms gets the best one's score. */
  add(scored: readonly Scored[], norms: Float64Array): void {
    if (scored.length === 1) {
      addTo(this.#scores, this.#scored, scored[0]!, norms);
      return;
    }
    const ofWord = this.#ofWord;
    const list = this.#scoredByWord;
    list.count = 0;
    for (const one of scored) raiseTo(ofWord, list, one, norms);
    const scores = this.#scores;
    const all = this.#scored;
    for (let i = 0; i < list.count; i++) {
      const slot = list.slots[i]!;
      if (scores[slot] === 0) all.slots[all.count++] = slot;
      scores[slot]! += ofWord[slot]!;
      ofWord[slot] = 0;
    }
  }

  /** Only for slots that have a score. */
  addAt(scored: readonly Scored[], norms: Float64Array, slots: Uint32Array): void {
    const places = scored.map(() => 0);
    for (const slot of slots) {
      let best = 0;
      for (let i = 0; i < scored.length; i++) {
        const { postings, rarity } = scored[i]!;
        const place = placeOf(postings, slot, places[i]!);
        places[i] = place < 0 ? ~place : place;
        if (place < 0) continue;
        const weight = postings[place]! & WEIGHT_MASK;
        best = Math.max(best, (rarity * weight) / (weight + norms[slot]!));
      }
      this.#scores[slot]! += best;
    }
  }

  /**
   * Those that can still be among the best if at most `left` is added to a score, in their order; null: more than
   * `atMost`.
   */
  open(left: number, count: number, atMost: number, among: Uint32Array | null): Uint32Array | null {
    const scores = this.#scores;
    const slots = among ?? this.#all();
    if (slots.length < count) return null;
    const best = new Float64Array(count);
    let worst = 0;
    for (let i = 0; i < slots.length; i++) {
      const score = scores[slots[i]!]!;
      if (score <= worst) continue;
      let place = count - 1;
      for (; place > 0 && score > best[place - 1]!; place--) best[place] = best[place - 1]!;
      best[place] = score;
      worst = best[count - 1]!;
    }
    const least = worst * (1 - ROUNDING) - left;
    if (least <= 0) return null;
    const open = new Uint32Array(Math.min(atMost, slots.length));
    let found = 0;
    for (let i = 0; i < slots.length; i++) {
      const slot = slots[i]!;
      if (scores[slot]! < least) continue;
      if (found === atMost) return null;
      open[found++] = slot;
    }
    return open.subarray(0, found).sort();
  }

  /** The slots with the highest scores, the best first. Equal ones by document and place. */
  best(index: PassageIndex, count: number, among: Uint32Array | null): { slot: number; score: number }[] {
    const scores = this.#scores;
    const slots = among ?? this.#all();
    const documents = index.documentOf.data;
    const isBefore = (a: number, b: number): boolean => {
      if (scores[a] !== scores[b]) return scores[a]! > scores[b]!;
      const [left, right] = [index.documents[documents[a]!]!.id, index.documents[documents[b]!]!.id];
      return left === right ? index.numbers.data[a]! < index.numbers.data[b]! : left < right;
    };
    const best: number[] = [];
    let least = 0;
    for (let i = 0; i < slots.length; i++) {
      const slot = slots[i]!;
      if (scores[slot]! < least) continue;
      if (best.length === count && !isBefore(slot, best[count - 1]!)) continue;
      let place = best.length;
      while (place > 0 && isBefore(slot, best[place - 1]!)) place--;
      best.splice(place, 0, slot);
      if (best.length > count) best.pop();
      if (best.length === count) least = scores[best[count - 1]!]!;
    }
    return best.map((slot) => ({ slot, score: scores[slot]! }));
  }

  #all(): Uint32Array {
    return this.#scored.slots.subarray(0, this.#scored.count);
  }
}

function addTo(
  scores: Float64Array,
  list: SlotList,
  { postings, rarity }: Scored,
  norms: Float64Array,
): void {
  const { slots } = list;
  let { count } = list;
  for (let at = 0; at < postings.length; at++) {
    const posting = postings[at]!;
    const slot = posting >>> WEIGHT_BITS;
    const norm = norms[slot]!;
    if (norm === 0) continue;
    const weight = posting & WEIGHT_MASK;
    const score = scores[slot]!;
    if (score === 0) slots[count++] = slot;
    scores[slot] = score + (rarity * weight) / (weight + norm);
  }
  list.count = count;
}

function raiseTo(
  scores: Float64Array,
  list: SlotList,
  { postings, rarity }: Scored,
  norms: Float64Array,
): void {
  const { slots } = list;
  let { count } = list;
  for (let at = 0; at < postings.length; at++) {
    const posting = postings[at]!;
    const slot = posting >>> WEIGHT_BITS;
    const norm = norms[slot]!;
    if (norm === 0) continue;
    const weight = posting & WEIGHT_MASK;
    const score = (rarity * weight) / (weight + norm);
    const before = scores[slot]!;
    if (before === 0) slots[count++] = slot;
    if (score > before) scores[slot] = score;
  }
  list.count = count;
}

/** Where the posting of a slot is at or after `from`; if it is not there, the complement of where it would be. */
export function placeOf(postings: Uint32Array, slot: number, from: number): number {
  let low = from;
  let high = postings.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (postings[middle]! >>> WEIGHT_BITS < slot) low = middle + 1;
    else high = middle;
  }
  return low < postings.length && postings[low]! >>> WEIGHT_BITS === slot ? low : ~low;
}
