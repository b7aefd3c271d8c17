/**
 * The rows of a table, by page and position, and its totals. Pages are loaded where the table is looked at, so a jump
 * into the middle loads one page. Local and live changes are shown in the loaded pages at once; then what is in view and
 * the totals are read again, because only the service knows the order and what a filter finds.
 */
import { queryOptions } from '@tanstack/react-query';
import type { TableRows, TableSummary } from '../../../../contract/dashboard.ts';
import { api } from '../../data/api.ts';
import { queryClient } from '../../data/query-client.ts';
import { onShown } from '../../data/store/entities.ts';
import { addList, ofKind, readItems, selectOnce, things } from '../../data/store/lists.ts';
import { askAgain } from '../data/board-cache.ts';
import { boardKeys } from '../data/board-data.ts';
import { type BoardFilters, countQuery, filterQuery } from '../data/board-look.ts';

export const pageSize = 100;
/** Pages that nobody looks at; a table of 100,000 rows is not kept as a whole. */
const keptMs = 2 * 60_000;

/** A group of the table: the field, and its value. Null: the table has no groups. */
export type GroupKey = { by: string; value: string | null } | null;

export const rowsOf = selectOnce((ids: string[]) => things('record', ids));

export const rowsQuery = (kanbanId: string, filters: BoardFilters, group: GroupKey, page: number) =>
  queryOptions({
    queryKey: [...boardKeys.table(kanbanId), 'rows', filterQuery(filters), group, page] as const,
    queryFn: async ({ signal }) => {
      const answer = await api<TableRows>('GET', `/kanbans/${kanbanId}/table-rows`, {
        query: {
          ...filterQuery(filters),
          groupBy: group?.by,
          ...(group && { group: group.value ?? '' }),
          first: page * pageSize + 1,
          limit: pageSize,
        },
        signal,
      });
      return readItems('record', answer.items);
    },
    select: rowsOf,
    ...ofKind('record'),
    staleTime: 5 * 60_000,
    gcTime: keptMs,
  });

export const tableSummaryQuery = (
  kanbanId: string,
  filters: BoardFilters,
  groupBy: string | null,
  sums: readonly string[],
) =>
  queryOptions({
    queryKey: [...boardKeys.table(kanbanId), 'summary', groupBy, countQuery(filters), sums] as const,
    queryFn: ({ signal }) =>
      api<TableSummary>('GET', `/kanbans/${kanbanId}/table-summary`, {
        query: { ...countQuery(filters), groupBy, sumFieldIds: sums.join(',') || undefined },
        signal,
      }),
    placeholderData: (before, query) => (query?.queryKey[4] === groupBy ? before : undefined),
  });

const isRows = ([board, , table, rows]: readonly unknown[]) =>
  board === 'board' && table === 'table' && rows === 'rows';

addList<'record', string[]>({
  kind: 'record',
  isOf: isRows,
  has: (ids, id) => ids.includes(id),
  placed: (ids) => ids,
});

onShown(({ kind, id, before, after, isRead }) => {
  if (kind !== 'record' || isRead) return;
  const { kanbanId } = (before ?? after)!;
  // A new message changes a card, but neither a cell nor the order.
  if (before && before.updatedAt === after?.updatedAt) return;
  const rows = queryClient.getQueriesData<string[]>({ queryKey: [...boardKeys.table(kanbanId), 'rows'] });
  if (!after && rows.some(([, ids]) => ids?.includes(id))) countLess(kanbanId);
  askAgain(boardKeys.table(kanbanId));
});

/** Until the totals were read again. Of groups it is not known here which one lost the card. */
function countLess(kanbanId: string): void {
  queryClient.setQueriesData<TableSummary>(
    { queryKey: [...boardKeys.table(kanbanId), 'summary', null] },
    (summary) => summary && { ...summary, count: Math.max(0, summary.count - 1) },
  );
}
