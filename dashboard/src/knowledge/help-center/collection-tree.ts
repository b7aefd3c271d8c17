/** Collections as a tree: in which order they are shown, and where one may be put. */
import type { KnowledgeCollection } from '../../../../contract/knowledge-collections.ts';
import { limits } from '../../../../contract/limits.ts';

export interface PlacedCollection {
  collection: KnowledgeCollection;
  /** From 0. */
  level: number;
  /** In their order; `collection` is one of them. */
  siblings: KnowledgeCollection[];
}

/** Each before what is in it. The service lists them by order. */
export function placeCollections(all: readonly KnowledgeCollection[]): PlacedCollection[] {
  const below = (parent: string | null, level: number): PlacedCollection[] => {
    const siblings = all.filter((one) => one.parent === parent);
    return siblings.flatMap((collection) => [
      { collection, level, siblings },
      ...below(collection.id, level + 1),
    ]);
  };
  return below(null, 0);
}

/** Those that it can be in: not itself, none in it, and none that would make the tree too deep. Null: a new one. */
export function possibleParents(all: readonly KnowledgeCollection[], id: string | null): PlacedCollection[] {
  const inside = (one: string): string[] => [
    one,
    ...all.filter(({ parent }) => parent === one).flatMap((child) => inside(child.id)),
  ];
  const depth = (one: string): number =>
    1 + Math.max(0, ...all.filter(({ parent }) => parent === one).map((child) => depth(child.id)));
  const own = new Set(id === null ? [] : inside(id));
  const height = id === null ? 1 : depth(id);
  return placeCollections(all).filter(
    ({ collection, level }) =>
      !own.has(collection.id) && level + 1 + height <= limits.knowledgeCollectionLevels,
  );
}

/** The new order of those that change it. */
export function reordered(
  siblings: readonly KnowledgeCollection[],
  id: string,
  by: -1 | 1,
): { id: string; order: number }[] {
  const from = siblings.findIndex((one) => one.id === id);
  const to = from + by;
  if (from < 0 || to < 0 || to >= siblings.length) return [];
  const next = [...siblings];
  const [moved] = next.splice(from, 1);
  next.splice(to, 0, moved!);
  return next.flatMap((one, order) => (one.order === order ? [] : [{ id: one.id, order }]));
}
