/** Records by conditions, in any order: a page, all of them, or their counts and sums. */
import {
  callerAsAssignee,
  comparisonOf,
  type FilterNode,
  ownFilterFields,
} from '../../../../contract/crm/filters.ts';
import type { Db } from '../../../platform/db/db.ts';
import { type Condition, evaluate, type Leaf } from '../../../search-engine/columns/conditions.ts';
import { sumGroups } from '../../../search-engine/columns/group-sums.ts';
import type { Sort, SortPlace } from '../../../search-engine/columns/order.ts';
import {
  type ColumnSum,
  type PageStart,
  type SortedItem,
  type SortedPage,
  sortedPage,
  sumByStatus,
} from '../../../search-engine/columns/sorted-page.ts';
import { compileQuery } from '../../../search-engine/match/match.ts';
import type { SearchFilter } from '../../../search-engine/query/filter.ts';
import { type SearchPage, searchPage } from '../../../search-engine/query/query.ts';
import type { Workspace } from '../../../search-engine/query/workspace.ts';
import { createYielder, type Yielder } from '../../../search-engine/query/yielder.ts';
import type { SearchIndex } from '../../../search-engine/store/index.ts';
import { type Actor, personOf } from '../../accounts/accounts.ts';
import {
  type Definitions,
  type DefinitionsCache,
  type FieldDefinition,
  maySee,
  visibleTo,
} from '../../kanbans/kanbans.ts';
import {
  type FoundPage,
  lookupKey,
  type PageCursor,
  type RecordConditions,
  type RecordFinder,
  selectIdsByLookupKey,
  selectTexts,
} from '../../records/records.ts';
import { isTextColumn } from '../account-index/search.documents.ts';
import type { IndexCache } from '../account-index/search.index-cache.ts';
import { type FilterReading, readFilter } from './search.filter.ts';
import { newestFirst, readSort } from './search.sort.ts';

interface Deps {
  db: Db;
  definitions: DefinitionsCache;
  indexCache: IndexCache;
  clock: { now(): number };
}

interface Prepared {
  q: string;
  filter: SearchFilter;
  condition: Condition | null;
  /** What a look-up found; null: none was asked for. */
  among: string[] | null;
  sort: Sort | null;
  /** The columns that have texts, of those that the condition and the order name. */
  textColumns: string[];
}

type Question<T> = (index: SearchIndex, filter: SearchFilter, work: Workspace, pause: Yielder) => Promise<T>;

export interface Finder extends RecordFinder {
  /** In the order of a text search where there is a text and no other order. */
  search(actor: Actor, query: RecordConditions, offset: number, count: number): Promise<SearchPage>;
}

export function createFinder({ db, definitions, indexCache, clock }: Deps): Finder {
  const prepare = async (actor: Actor, query: RecordConditions): Promise<Prepared> => {
    const current = await definitions.fresh(actor.accountId);
    const fieldOf = fieldsFor(current, actor, query.kanbanId);
    const reading = ofRecords(fieldOf, personOf(actor)?.id ?? actor.id, clock.now());
    const conditions: Condition[] = [];
    if (query.filter !== undefined) conditions.push(readFilter(parse(query.filter), 'filter', reading));
    if (query.group !== undefined) {
      conditions.push(readFilter(groupCondition(query.group, fieldOf), 'filter', reading));
    }
    if (query.assignedUserId !== undefined) conditions.push(assignedTo(query.assignedUserId));
    const { kanbanId, status, lookup } = query;
    const sort = query.sort === undefined ? null : readSort(query.sort, current, fieldOf);
    const named = new Set([...conditions.flatMap(fieldsIn), ...(sort ? [sort.field] : [])]);
    return {
      q: query.q ?? '',
      filter: { kanbanId, status, openKanbanIds: visibleTo(actor, current) ?? undefined },
      condition: conditions.length === 0 ? null : { and: conditions },
      among: lookup
        ? await selectIdsByLookupKey(db, actor.accountId, lookupKey(lookup.id, lookup.value))
        : null,
      sort,
      textColumns: [...named].filter((name) => isTextColumn(name, fieldOf(name)?.type)),
    };
  };

  const filterOn = async (
    accountId: string,
    index: SearchIndex,
    { filter, condition, among }: Prepared,
    pause: Yielder,
  ): Promise<SearchFilter> => {
    if (!condition && !among) return filter;
    const readTexts = (field: string, ids: string[]) => selectTexts(db, accountId, field, ids);
    const passing = condition
      ? await evaluate(index, condition, isWanted(filter), readTexts, pause)
      : new Uint8Array(index.records.slots).fill(1);
    if (among) keepAmong(index, among, passing);
    return { ...filter, passing };
  };

  const ask = <T>({ accountId }: Actor, prepared: Prepared, question: Question<T>): Promise<T> =>
    indexCache.ask(
      accountId,
      async (index, work) => {
        const pause = createYielder();
        const filter = await filterOn(accountId, index, prepared, pause);
        return question(index, filter, work, pause);
      },
      prepared.textColumns,
    );

  const sorted = (actor: Actor, prepared: Prepared, start: PageStart, count: number): Promise<SortedPage> =>
    ask(actor, prepared, (index, filter, work, pause) => {
      const terms = compileQuery(prepared.q);
      return sortedPage(index, terms, filter, prepared.sort ?? newestFirst, start, count, work, pause);
    });

  return {
    async search(actor, query, offset, count) {
      const prepared = await prepare(actor, query);
      if (prepared.sort !== null || prepared.q.trim() === '') {
        return sorted(actor, prepared, { offset }, count);
      }
      return ask(actor, prepared, (index, filter, work, pause) =>
        searchPage(index, compileQuery(prepared.q), filter, offset, count, work, pause),
      );
    },

    async findPage(actor, query, after, count): Promise<FoundPage> {
      const start = after ? { after: placeOf(after) } : { offset: 0 };
      const { items } = await sorted(actor, await prepare(actor, query), start, count + 1);
      const page = items.slice(0, count);
      const last = items.length > count ? page.at(-1) : undefined;
      return { ids: page.map(({ id }) => id), next: last ? cursorOf(last) : null };
    },

    async findAll(actor, query) {
      const prepared = await prepare(actor, query);
      const { items } = await sorted(actor, prepared, { offset: 0 }, Number.MAX_SAFE_INTEGER);
      return items.map(({ id }) => id);
    },

    async findRows(actor, query, offset, count) {
      const { items, total } = await sorted(actor, await prepare(actor, query), { offset }, count);
      return { ids: items.map(({ id }) => id), total };
    },

    async sumGroups(actor, query, groupBy, sumFieldIds) {
      const prepared = await prepare(actor, query);
      const { all, groups } = await ask(actor, prepared, (index, filter, work, pause) =>
        sumGroups(index, compileQuery(prepared.q), filter, groupBy, sumFieldIds, work, pause),
      );
      return { all, groups };
    },

    async sumColumns(actor, query, sumFieldId): Promise<ColumnSum[]> {
      const prepared = await prepare(actor, query);
      return ask(actor, prepared, (index, filter, work, pause) =>
        sumByStatus(index, compileQuery(prepared.q), filter, sumFieldId, work, pause),
      );
    },
  };
}

/** With a board that the caller may see only its fields can be named, otherwise those of all of them. */
function fieldsFor(current: Definitions, actor: Actor, kanbanId: string | undefined) {
  const visible = [...current.kanbans.values()].filter((kanban) => maySee(actor, kanban));
  const named = visible.filter(({ id }) => id === kanbanId);
  const boards = named.length > 0 ? named : visible;
  return (id: string) => boards.find((board) => board.fields.has(id))?.fields.get(id);
}

/** `callerId`: who `me` is. */
const ofRecords = (
  fieldOf: (id: string) => FieldDefinition | undefined,
  callerId: string,
  now: number,
): FilterReading => ({
  fieldOf(field) {
    const comparison = comparisonOf(field, fieldOf(field)?.type);
    return comparison && { comparison };
  },
  fieldNames: `${Object.keys(ownFilterFields).join(', ')} or the id of a field of the board`,
  valueFor: (field, value) => (field === 'assignedUserIds' && value === callerAsAssignee ? callerId : value),
  now,
});

/** What is no JSON is refused with the form. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function fieldsIn(condition: Condition): string[] {
  if ('test' in condition) return [condition.field];
  return ('and' in condition ? condition.and : condition.or).flatMap(fieldsIn);
}

/** As a filter. Booleans are 0 and 1 in the index. */
function groupCondition(
  { field, value }: { field: string; value: string | null },
  fieldOf: (id: string) => { type: string } | undefined,
): FilterNode {
  if (value === null) return { field, op: 'empty' };
  const op = field === 'assignedUserIds' ? 'contains' : 'is';
  return { field, op, value: fieldOf(field)?.type === 'boolean' ? value === '1' : value };
}

const assignedTo = (userId: string): Leaf => ({
  field: 'assignedUserIds',
  test: 'hasAny',
  values: [userId],
});

const isWanted =
  ({ kanbanId, openKanbanIds }: SearchFilter) =>
  (id: string) =>
    (kanbanId === undefined || kanbanId === id) &&
    (openKanbanIds === undefined || openKanbanIds.includes(id));

function keepAmong(index: SearchIndex, ids: readonly string[], passing: Uint8Array): void {
  const among = new Uint8Array(passing.length);
  for (const id of ids) {
    const slot = index.records.find(id);
    if (slot !== null) among[slot] = 1;
  }
  for (let slot = 0; slot < passing.length; slot++) passing[slot]! &= among[slot]!;
}

/** A token's cursor has no null: an empty value is ''. */
const cursorOf = ({ place }: SortedItem): PageCursor => [place.key ?? '', place.text ?? '', place.id];

const placeOf = ([key, text, id]: PageCursor): SortPlace => ({
  key: key === '' ? null : Number(key),
  text: String(text),
  id: String(id),
});
