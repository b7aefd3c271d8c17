/** Moves cards between the cached columns, so that local and live changes are visible immediately. */
import type { InfiniteData } from '@tanstack/react-query';
import type { CrmRecord } from '../../../../contract/crm/records.ts';
import type { BoardSummary, Card } from '../../../../contract/dashboard.ts';
import type { Page } from '../../data/api.ts';
import { BoundedMap } from '../../data/bounded-map.ts';
import { queryClient } from '../../data/query-client.ts';
import { refresh } from '../../data/refresh.ts';
import { withPending } from '../../record/pending-changes.ts';
import { boardKeys } from './board-data.ts';
import type { filterQuery } from './board-look.ts';

type Column = InfiniteData<Page<Card>, string | null>;
type FilterKey = ReturnType<typeof filterQuery>;

const columnsOf = (kanbanId: string) =>
  queryClient.getQueriesData<Column>({ queryKey: boardKeys.allCards(kanbanId) });

/** Another layout's own copies of the cards. */
export interface CardStore {
  find(kanbanId: string, recordId: string): Card | null;
  place(card: Card): void;
  drop(kanbanId: string, recordId: string): void;
}
const stores: CardStore[] = [];
export const addCardStore = (store: CardStore) => void stores.push(store);

export function findCard(kanbanId: string, recordId: string): Card | null {
  for (const [, column] of columnsOf(kanbanId)) {
    for (const page of column?.pages ?? []) {
      const card = page.items.find((one) => one.recordId === recordId);
      if (card) return card;
    }
  }
  for (const store of stores) {
    const card = store.find(kanbanId, recordId);
    if (card) return card;
  }
  return null;
}

/**
 * A page that arrives is appended to the pages as they were when it was requested, and would undo what was moved since.
 * The changes of the last seconds are therefore applied again after it.
 */
interface RecentChange {
  kanbanId: string;
  record: CrmRecord | Card | null;
}
const recent = new BoundedMap<RecentChange>({ max: 5_000, maxAgeMs: 15_000 });

const noteChange = (kanbanId: string, recordId: string, record: CrmRecord | Card | null) =>
  recent.set(recordId, { kanbanId, record });

/** The state that was last shown where the service's answer is older, with what is being sent; null: it was deleted. */
export function latestState(card: Card): Card | null {
  const current = withPending(card);
  const change = recent.get(card.recordId);
  if (!change) return current;
  if (!change.record) return null;
  return change.record.updatedAt >= card.updatedAt
    ? { ...card, unverifiedFieldIds: undefined, ...change.record }
    : current;
}

queryClient.getQueryCache().subscribe((event) => {
  if (event.type !== 'updated' || event.action.type !== 'success' || event.action.manual) return;
  const [board, kanbanId, cards] = event.query.queryKey;
  if (board !== 'board' || cards !== 'cards') return;
  queueMicrotask(() => {
    for (const [recordId, change] of recent.entries()) {
      if (change.kanbanId !== kanbanId) continue;
      const shown = findCard(change.kanbanId, recordId);
      if (!change.record) {
        if (shown) drop(change.kanbanId, recordId);
      } else if (!shown || shown.updatedAt <= change.record.updatedAt) place(change.record);
      else {
        const current = withPending(shown);
        if (current !== shown) place(current);
      }
    }
  });
});

/** Puts the record's current state into every cached column it belongs to and removes it from the others. */
export function placeCard(record: CrmRecord | Card): void {
  noteChange(record.kanbanId, record.recordId, record);
  place(record);
}

function place(record: CrmRecord | Card): void {
  const { kanbanId, recordId } = record;
  const old = findCard(kanbanId, recordId);
  const conversation = 'conversation' in record ? record.conversation : (old?.conversation ?? null);
  const tasks = 'tasks' in record ? record.tasks : (old?.tasks ?? { open: 0, nextDueAt: null });
  const card: Card = { ...record, conversation, tasks };
  let unsure = false;
  const columns = columnsOf(kanbanId);
  const shownUnder = new Set(
    columns
      .filter(([, column]) => column && contains(column, recordId))
      .map(([key]) => JSON.stringify(key[3])),
  );
  for (const [key, column] of columns) {
    if (!column) continue;
    const [filter, status] = [key[3] as FilterKey, key[4] as string];
    const had = contains(column, recordId);
    // Only the service knows whether a search or a filter matches; a card that was found stays until it has answered.
    const isShown = !isDecidedByService(filter) || shownUnder.has(JSON.stringify(filter));
    const belongs = status === card.status && isShown;
    if (!isShown && status === card.status) unsure = true;
    const isOrdered = filter.filter !== undefined || filter.sort !== undefined;
    if (isOrdered && !(old && sameContent(old, card))) unsure = true;
    if (!had && !belongs) continue;
    queryClient.setQueryData(key, placed(column, card, had, belongs, filter.sort !== undefined));
  }
  if (unsure) askAgain(boardKeys.allCards(kanbanId));
  for (const store of stores) store.place(card);
  count(kanbanId, old, card);
}

export function dropCard(kanbanId: string, recordId: string): void {
  noteChange(kanbanId, recordId, null);
  drop(kanbanId, recordId);
}

function drop(kanbanId: string, recordId: string): void {
  const old = findCard(kanbanId, recordId);
  for (const [key, column] of columnsOf(kanbanId)) {
    if (column && contains(column, recordId)) queryClient.setQueryData(key, remove(column, recordId));
  }
  for (const store of stores) store.drop(kanbanId, recordId);
  if (old) count(kanbanId, old, null);
  else askAgain(boardKeys.allSummaries(kanbanId));
}

const asked = new Map<string, ReturnType<typeof setTimeout>>();

/** An import or a batch makes hundreds of changes at once: one request for all of them, which the next changes do not abort. */
export function askAgain(queryKey: readonly unknown[]): void {
  const name = JSON.stringify(queryKey);
  if (asked.has(name)) return;
  const ask = () => {
    asked.delete(name);
    void refresh(queryKey);
  };
  asked.set(name, setTimeout(ask, 400));
}

const contains = (column: Column, recordId: string) =>
  column.pages.some((page) => page.items.some((card) => card.recordId === recordId));

const remove = (column: Column, recordId: string): Column => ({
  ...column,
  pages: column.pages.map((page) =>
    page.items.some((card) => card.recordId === recordId)
      ? { ...page, items: page.items.filter((card) => card.recordId !== recordId) }
      : page,
  ),
});

/** Newest first. A card that belongs after everything loaded is left for its own page. */
function insert(column: Column, card: Card): Column {
  const isBefore = (other: Card) =>
    card.createdAt > other.createdAt ||
    (card.createdAt === other.createdAt && card.recordId > other.recordId);
  const at = column.pages.findIndex((page) => page.items.some(isBefore));
  const last = column.pages.length - 1;
  if (at < 0 && column.pages[last]?.nextToken) return column;
  const target = at < 0 ? last : at;
  return {
    ...column,
    pages: column.pages.map((page, index) => {
      if (index !== target) return page;
      const place = page.items.findIndex(isBefore);
      const items = [...page.items];
      items.splice(place < 0 ? items.length : place, 0, card);
      return { ...page, items };
    }),
  };
}

const isDecidedByService = ({ q, filter }: FilterKey) => q !== undefined || filter !== undefined;

/** A new message changes a card, but neither what a filter compares nor the order. */
const sameContent = (a: Card, b: Card) => a.updatedAt === b.updatedAt && a.status === b.status;

function placed(column: Column, card: Card, had: boolean, belongs: boolean, isSorted: boolean): Column {
  if (had && belongs && isSorted) return replace(column, card);
  const without = had ? remove(column, card.recordId) : column;
  if (!belongs) return without;
  return isSorted ? prepend(without, card) : insert(without, card);
}

const replace = (column: Column, card: Card): Column => ({
  ...column,
  pages: column.pages.map((page) => ({
    ...page,
    items: page.items.map((one) => (one.recordId === card.recordId ? card : one)),
  })),
});

/** In another order than newest first, its place is known once the column was read again. */
const prepend = (column: Column, card: Card): Column => ({
  ...column,
  pages: column.pages.map((page, index) => (index === 0 ? { ...page, items: [card, ...page.items] } : page)),
});

/** Counts are updated locally; if the card was never loaded, they are fetched again. */
function count(kanbanId: string, before: Card | null, after: Card | null): void {
  for (const [key, summary] of queryClient.getQueriesData<BoardSummary>({
    queryKey: boardKeys.allSummaries(kanbanId),
  })) {
    if (!summary) continue;
    const [filter, sum] = [key[3] as FilterKey, key[4] as string | null];
    if (!before || isDecidedByService(filter)) {
      askAgain(boardKeys.allSummaries(kanbanId));
      continue;
    }
    const amount = (card: Card | null) => (sum && card ? Number(card.customFields[sum] ?? 0) || 0 : 0);
    const counts = (card: Card | null, status: string) => (card && card.status === status ? 1 : 0);
    const columns = summary.columns.map((column) => {
      const [was, is] = [counts(before, column.status), counts(after, column.status)];
      if (!was && !is) return column;
      const total = column.total === null ? null : column.total - was * amount(before) + is * amount(after);
      return { ...column, count: column.count + is - was, total };
    });
    queryClient.setQueryData(key, { columns, count: columns.reduce((all, column) => all + column.count, 0) });
  }
}
