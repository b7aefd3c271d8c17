// Selects a page from a long list: the elements at [from, to) of the sorted list, without sorting it.

/** Up to this position a page is found in one pass that keeps only the best; deeper pages are partitioned. */
const MAX_KEPT = 512;

/** Elements by descending key; `breakTie` orders elements with equal keys and never reports two as equal. */
export type Ranked = {
  elements: Uint32Array;
  /** By element. */
  keys: Float64Array;
  breakTie: (a: number, b: number) => number;
  /** Whether the first elements are probably the best; otherwise the last are. */
  isBestFirst?: boolean;
};

export function selectRange(list: Ranked, from: number, to: number): number[] {
  const end = Math.min(to, list.elements.length);
  if (from >= end) return [];
  if (end <= MAX_KEPT) return keepBest(list, end).slice(from);
  const order = list.elements.slice();
  const compare = (a: number, b: number): number => list.keys[b]! - list.keys[a]! || list.breakTie(a, b);
  if (from > 0) partition(order, 0, from, compare);
  if (end < order.length) partition(order, from, end, compare);
  return [...order.subarray(from, end)].sort(compare);
}

function keepBest({ elements, keys, breakTie, isBestFirst }: Ranked, count: number): number[] {
  const best: number[] = [];
  const bestKeys: number[] = [];
  let worst = Number.NEGATIVE_INFINITY;
  // Usually from the end: later slots hold newer records, so the first elements seen are nearly all that is kept.
  for (let i = elements.length - 1; i >= 0; i--) {
    const element = elements[isBestFirst ? elements.length - 1 - i : i]!;
    const key = keys[element]!;
    if (key < worst) continue;
    // One comparison instead of a search: with few distinct keys most elements get here.
    if (best.length === count && key === worst && breakTie(element, best[count - 1]!) > 0) continue;
    let low = 0;
    let high = best.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((bestKeys[middle]! - key || breakTie(element, best[middle]!)) < 0) high = middle;
      else low = middle + 1;
    }
    if (low === count) continue;
    best.splice(low, 0, element);
    bestKeys.splice(low, 0, key);
    if (best.length > count) {
      best.pop();
      bestKeys.pop();
    }
    if (best.length === count) worst = bestKeys[count - 1]!;
  }
  return best;
}

/** Moves the elements that belong before position `nth` in front of it (Hoare's quickselect). */
function partition(
  list: Uint32Array,
  start: number,
  nth: number,
  compare: (a: number, b: number) => number,
): void {
  let low = start;
  let high = list.length - 1;
  while (low < high) {
    const pivot = list[(low + high) >>> 1]!;
    let i = low;
    let j = high;
    while (i <= j) {
      while (compare(list[i]!, pivot) < 0) i++;
      while (compare(list[j]!, pivot) > 0) j--;
      if (i > j) break;
      const kept = list[i]!;
      list[i++] = list[j]!;
      list[j--] = kept;
    }
    if (nth <= j) high = j;
    else if (nth >= i) low = i;
    else return;
  }
}
