// A page out of many: the elements that would stand at [from, to) if the list were sorted, without sorting it.

/** Up to here a page near the top is found in one pass that keeps only the best; deeper ones are partitioned. */
const KEPT_AT_MOST = 512;

/** `compare` must be a strict order: no two elements equal. The list is reordered. */
export function selectRange(
  list: Uint32Array,
  from: number,
  to: number,
  compare: (a: number, b: number) => number,
): number[] {
  const end = Math.min(to, list.length);
  if (from >= end) return [];
  if (end <= KEPT_AT_MOST) return keepBest(list, end, compare).slice(from);
  if (from > 0) partition(list, 0, list.length, from, compare);
  if (end < list.length) partition(list, from, list.length, end, compare);
  return [...list.subarray(from, end)].sort(compare);
}

function keepBest(list: Uint32Array, count: number, compare: (a: number, b: number) => number): number[] {
  const best: number[] = [];
  for (const element of list) {
    if (best.length === count && compare(element, best[count - 1]!) > 0) continue;
    let low = 0;
    let high = best.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compare(element, best[middle]!) < 0) high = middle;
      else low = middle + 1;
    }
    best.splice(low, 0, element);
    if (best.length > count) best.pop();
  }
  return best;
}

/** Brings the elements that belong before position `nth` before it (Hoare's quickselect). */
function partition(
  list: Uint32Array,
  start: number,
  stop: number,
  nth: number,
  compare: (a: number, b: number) => number,
): void {
  let low = start;
  let high = stop - 1;
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
