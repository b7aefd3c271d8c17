/** The columns of a board as lists of the store, and the counts of the columns, which are kept current here too. */
import type { QueryKey } from '@tanstack/react-query';
import type { BoardSummary, Card } from '../../../../contract/dashboard.ts';
import { queryClient } from '../../data/query-client.ts';
import { refresh } from '../../data/refresh.ts';
import { findThing, onShown } from '../../data/store/entities.ts';
import { addList, hasInPages, type Ids, withFirstId, withId, withoutId } from '../../data/store/lists.ts';
import { boardKeys } from './board-data.ts';
import type { filterQuery } from './board-look.ts';

type FilterKey = ReturnType<typeof filterQuery>;

const isDecidedByService = ({ q, filter }: FilterKey) => q !== undefined || filter !== undefined;

/** A new message changes a card, but neither what a filter compares nor the order. */
const sameContent = (a: Card, b: Card) => a.updatedAt === b.updatedAt && a.status === b.status;

const filterOf = (key: QueryKey) => key[3] as FilterKey;
const isSameFilter = (a: QueryKey, b: QueryKey) =>
  JSON.stringify(filterOf(a)) === JSON.stringify(filterOf(b));

addList<'record', Ids>({
  kind: 'record',
  isOf: ([board, , cards]) => board === 'board' && cards === 'cards',
  has: hasInPages,
  placed(column, card, { key, before, isRead, hadIt }) {
    const { recordId, kanbanId } = card;
    if (key[1] !== kanbanId) return column;
    const filter = filterOf(key);
    const isSorted = filter.sort !== undefined;
    const had = hasInPages(column, recordId);
    // Only the service knows whether a search or a filter matches; a card that was found stays until it has answered.
    const isFound = !isDecidedByService(filter) || hadIt.some((other) => isSameFilter(other, key));
    const isOfColumn = key[4] === card.status;
    const mayMove = isDecidedByService(filter) || isSorted;
    const isUnsure = (isOfColumn && !isFound) || (mayMove && !(before && sameContent(before, card)));
    if (isUnsure && !isRead) askAgain(boardKeys.allCards(kanbanId));
    if (!isOfColumn || !isFound) return withoutId(column, recordId);
    // In another order than newest first, its place is known once the column was read again.
    if (isSorted) return had ? column : withFirstId(column, recordId);
    return withId(withoutId(column, recordId), recordId, (id) => {
      const other = findThing('record', id);
      return other !== null && isNewer(card, other);
    });
  },
});

const isNewer = (a: Card, b: Card) =>
  a.createdAt > b.createdAt || (a.createdAt === b.createdAt && a.recordId > b.recordId);

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

onShown(({ kind, before, after, isRead }) => {
  if (kind === 'record' && !isRead) count(before, after);
});

/** Counts are updated locally; if the card was never loaded, they are fetched again. */
function count(before: Card | null, after: Card | null): void {
  const { kanbanId } = (before ?? after)!;
  for (const [key, summary] of queryClient.getQueriesData<BoardSummary>({
    queryKey: boardKeys.allSummaries(kanbanId),
  })) {
    if (!summary) continue;
    const [filter, sum] = [filterOf(key), key[4] as string | null];
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
