/**
 * Lists of the store: a query holds the ids that the service listed, `select` gives a view the things themselves. A list
 * renders again when one of its things does, and has those that were created or moved since it was read.
 */
import { type InfiniteData, notifyManager, type Query, type QueryKey } from '@tanstack/react-query';
import type { Page } from '../api.ts';
import { BoundedMap } from '../bounded-map.ts';
import { onLive } from '../live.ts';
import { queryClient } from '../query-client.ts';
import {
  editedIds,
  findThing,
  type Heard,
  hear,
  hearDeleted,
  hearHidden,
  isEdited,
  isKnown,
  isNewThing,
  type Kind,
  type Kinds,
  keepOnly,
  onShown,
} from './entities.ts';

export type Ids = InfiniteData<Page<string>, string | null>;

/** For a query whose data are ids of this kind. Comparing them with those before would cost more than it saves. */
export const ofKind = (kind: Kind) => ({ meta: { kind }, structuralSharing: false });

export const readItems = <K extends Kind>(kind: K, items: readonly Heard[K][]): string[] =>
  items.map((one) => hear(kind, one, { isRead: true }));

export const readPage = <K extends Kind>(kind: K, page: Page<Heard[K]>): Page<string> => ({
  ...page,
  items: readItems(kind, page.items),
});

export const things = <K extends Kind>(kind: K, ids: readonly string[]): Kinds[K][] =>
  ids.flatMap((id) => findThing(kind, id) ?? []);

/**
 * For `select`. The same data have the same result: what they list is the same until they are replaced, and another
 * object at each call would render for ever while a placeholder is shown.
 */
export function selectOnce<Data extends object, Result>(
  select: (data: Data) => Result,
): (data: Data) => Result {
  const results = new WeakMap<Data, Result>();
  return (data) => {
    if (!results.has(data)) results.set(data, select(data));
    return results.get(data)!;
  };
}

type IdPage = { items: readonly string[] };

export const selectPages = <K extends Kind, P extends IdPage = Page<string>, Param = string | null>(
  kind: K,
) =>
  selectOnce(
    (data: InfiniteData<P, Param>): InfiniteData<Omit<P, 'items'> & { items: Kinds[K][] }, Param> => ({
      ...data,
      pages: data.pages.map((page) => ({ ...page, items: things(kind, page.items) })),
    }),
  );

export interface One {
  id: string;
}
export const selectOne =
  <K extends Kind>(kind: K) =>
  ({ id }: One): Kinds[K] | null =>
    findThing(kind, id);

export interface ListRules<K extends Kind, Data> {
  kind: K;
  isOf(key: QueryKey): boolean;
  has(data: Data, id: string): boolean;
  /** The data with or without the thing, where it belongs. The same: nothing changes. */
  placed(data: Data, one: Kinds[K], place: ListPlace<K>): Data;
}

export interface ListPlace<K extends Kind> {
  key: QueryKey;
  /** What was shown until now. */
  before: Kinds[K] | null;
  /** It was read, here or elsewhere, and has not changed now. */
  isRead: boolean;
  /** The keys of all lists that had it. */
  hadIt: readonly QueryKey[];
}

const lists: ListRules<Kind, unknown>[] = [];
/** Counts changes and reads: what came first. */
let turn = 0;
/** What was changed in the last seconds: an answer that was read before does not have it. */
const recent = new BoundedMap<{ kind: Kind; id: string; isGone: boolean; turn: number }>({
  max: 5_000,
  maxAgeMs: 15_000,
});
/** The turn in which the latest read of a list began. */
const began = new WeakMap<Query, number>();

export function addList<K extends Kind, Data>(rules: ListRules<K, Data>): void {
  lists.push(rules as unknown as ListRules<Kind, unknown>);
}

/** For queries of one thing. */
export const addOne = (kind: Kind, isOf: (key: QueryKey) => boolean) =>
  addList<Kind, One>({ kind, isOf, has: (one, id) => one.id === id, placed: (one) => one });

/** Its data are a new object, so that `select` runs again. */
const again = (data: unknown) => (Array.isArray(data) ? [...data] : { ...(data as object) });

function show(
  query: Query,
  list: ListRules<Kind, unknown>,
  id: string,
  how: Omit<ListPlace<Kind>, 'key'>,
): void {
  const { data } = query.state;
  if (data === undefined) return;
  const one = findThing(list.kind, id);
  const next = one ? list.placed(data, one, { ...how, key: query.queryKey }) : data;
  // Not `setQueryData`: a list that is to be read again stays so.
  if (next !== data) query.setState({ data: next });
  else if (list.has(data, id)) query.setState({ data: again(data) });
}

onShown(({ kind, id, before, after, isRead }) => {
  if (!isRead) recent.set(`${kind} ${id}`, { kind, id, isGone: after === null, turn: ++turn });
  for (const list of lists) {
    if (list.kind !== kind) continue;
    const queries = queryClient.getQueryCache().findAll({ predicate: (query) => list.isOf(query.queryKey) });
    const having = queries.filter(({ state }) => state.data !== undefined && list.has(state.data, id));
    const hadIt = having.map(({ queryKey }) => queryKey);
    // What one list has read says nothing about the others.
    for (const query of isRead ? having : queries) show(query, list, id, { before, isRead, hadIt });
  }
});

queryClient.getQueryCache().subscribe((event) => {
  if (event.type === 'removed') return forgetUnusedSoon();
  if (event.type !== 'updated') return;
  const { query, action } = event;
  if (action.type === 'fetch') began.set(query, ++turn);
  if (action.type !== 'success' || action.manual) return;
  const own = lists.filter((list) => list.isOf(query.queryKey));
  if (own.length === 0) return;
  queueMicrotask(() =>
    notifyManager.batch(() => {
      for (const list of own) {
        // What was changed before the read began is in it.
        const since = began.get(query) ?? 0;
        const changed = recent
          .entries()
          .flatMap(([, one]) => (one.kind === list.kind && one.turn > since ? one : []));
        for (const { id, isGone } of changed) {
          // What only waits for its deletion may come back.
          if (isGone && !isEdited(list.kind, id)) hearHidden(list.kind, id);
        }
        for (const id of new Set([...changed.map(({ id }) => id), ...editedIds(list.kind)])) {
          const hadIt = isNewThing(id) ? [] : [query.queryKey];
          show(query, list, id, { before: findThing(list.kind, id), isRead: true, hadIt });
        }
      }
    }),
  );
});

onLive('record.updated', ({ record }) => {
  if (isKnown('record', record.recordId)) hear('record', record);
});
onLive('record.deleted', ({ recordId }) => hearDeleted('record', recordId));

let isForgetting = false;
const forgetAfterMs = 1_000;
/** Things that no query holds any more. */
function forgetUnusedSoon(): void {
  if (isForgetting) return;
  isForgetting = true;
  setTimeout(() => {
    isForgetting = false;
    const used = new Map<Kind, Set<string>>();
    for (const { meta, state } of queryClient.getQueryCache().getAll()) {
      const kind = meta?.kind as Kind | undefined;
      if (kind === undefined) continue;
      // Its first pages may have been heard already.
      if (state.fetchStatus === 'fetching') return forgetUnusedSoon();
      const ids = used.get(kind) ?? new Set();
      used.set(kind, ids);
      for (const id of idsIn(state.data)) ids.add(id);
    }
    keepOnly(used);
  }, forgetAfterMs);
}

function idsIn(data: unknown): readonly string[] {
  if (data === undefined || data === null) return [];
  if (Array.isArray(data)) return data;
  const { id, ids, pages } = data as Partial<One & { ids: string[] } & Ids>;
  return pages?.flatMap((page) => page.items) ?? ids ?? (id === undefined ? [] : [id]);
}

export const hasInPages = (data: { pages: readonly IdPage[] }, id: string): boolean =>
  data.pages.some((page) => page.items.includes(id));

export function withoutId<Data extends Ids>(data: Data, id: string): Data {
  if (!hasInPages(data, id)) return data;
  const pages = data.pages.map((page) =>
    page.items.includes(id) ? { ...page, items: page.items.filter((one) => one !== id) } : page,
  );
  return { ...data, pages };
}

/** Before all others. */
export const withFirstId = (data: Ids, id: string): Ids => ({
  ...data,
  pages: data.pages.map((page, index) => (index === 0 ? { ...page, items: [id, ...page.items] } : page)),
});

/** Before the first that it precedes. A thing that belongs after everything loaded is left for its own page. */
export function withId(data: Ids, id: string, precedes: (other: string) => boolean): Ids {
  const last = data.pages.length - 1;
  const at = data.pages.findIndex((page) => page.items.some(precedes));
  if (at < 0 && data.pages[last]?.nextToken) return data;
  const target = at < 0 ? last : at;
  const pages = data.pages.map((page, index) => {
    if (index !== target) return page;
    const place = page.items.findIndex(precedes);
    return { ...page, items: page.items.toSpliced(place < 0 ? page.items.length : place, 0, id) };
  });
  return { ...data, pages };
}
