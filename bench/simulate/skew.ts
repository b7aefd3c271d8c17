/** How unequal accounts are: a few are large and busy, most are small and quiet. */
import type { Random } from '../corpus/random.ts';

const largestPerAccount = 2;
const mostRecords = 20_000;
const fewestOfLargest = 50;
const sizeExponent = 1.1;
const trafficExponent = 0.8;

/** Records of each account at the beginning, the largest first. */
export function accountSizes(accounts: number): number[] {
  const largest = Math.min(mostRecords, Math.max(fewestOfLargest, accounts * largestPerAccount));
  return Array.from({ length: accounts }, (_, rank) =>
    Math.max(1, Math.round(largest / (rank + 1) ** sizeExponent)),
  );
}

/** Draws accounts by how busy they are: the first of 10,000 gets about 4 % of all requests. */
export function trafficOver<T>(accounts: readonly T[], random: Random): () => T {
  let sum = 0;
  const ends = accounts.map((_, rank) => {
    sum += 1 / (rank + 1) ** trafficExponent;
    return sum;
  });
  return () => {
    const drawn = random.next() * sum;
    let low = 0;
    let high = ends.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ends[middle]! > drawn) high = middle;
      else low = middle + 1;
    }
    return accounts[low]!;
  };
}
