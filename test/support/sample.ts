/**
 * Which part of the generated cases a run takes: all of them with TEST_FULL=1, otherwise a share that is drawn from a
 * seed. The seed is the version, so that two runs of one version test the same; TEST_SEED repeats or varies a run.
 */
import { version } from '../../contract/version.ts';

export const isFull = process.env.TEST_FULL === '1';
export const seed = seedFrom(process.env.TEST_SEED, version);
console.log(`seed ${version} (TEST_SEED=${seed})${isFull ? ', everything' : ''}`);

/** A number as it is, any other text by its hash. */
export function seedFrom(asked: string | undefined, otherwise: string): number {
  return asked && /^\d+$/.test(asked) ? Number(asked) % 2 ** 31 : hashOf(asked || otherwise) >>> 1;
}

/** How often a property is tried. */
export function runsOf(full: number): number {
  return isFull ? full : Math.min(full, Math.max(10, Math.ceil(full / 4)));
}

/** A share of the items in their order, at least one: for one seed and name always the same. */
export function sampleOf<T>(items: readonly T[], share: number, name: string): T[] {
  return isFull ? [...items] : draw(items, share, `${seed} ${name}`);
}

export function draw<T>(items: readonly T[], share: number, key: string): T[] {
  const wanted = Math.ceil(items.length * share);
  const ranks = items.map((_, index) => ({ index, rank: hashOf(`${key} ${index}`) }));
  const chosen = ranks.sort((a, b) => a.rank - b.rank || a.index - b.index).slice(0, wanted);
  return chosen.sort((a, b) => a.index - b.index).map(({ index }) => items[index]!);
}

/** FNV-1a, its bits mixed: neighbouring texts are far apart. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const letter of text) hash = Math.imul(hash ^ letter.codePointAt(0)!, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
