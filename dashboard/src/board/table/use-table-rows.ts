/** The loaded cards of a table by their index, and what is loaded next. */
import { useQueries, useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { Kanban } from '../../../../contract/crm/kanbans.ts';
import type { Card, TableSummary } from '../../../../contract/dashboard.ts';
import { queryClient } from '../../data/query-client.ts';
import { boardKeys } from '../data/board-data.ts';
import { type BoardFilters, manualOrder } from '../data/board-look.ts';
import { useOrderLive } from '../data/order-live.ts';
import { RowMap } from './row-map.ts';
import { type GroupKey, pageSize, rowsOf, rowsQuery, tableSummaryQuery } from './table-data.ts';
import type { RowWindow } from './use-window.ts';

/** While the rows fly by, nothing is loaded. */
const settleMs = 70;

export type TableGroup = TableSummary['groups'][number];

export function useTableGroups(
  board: Kanban,
  filters: BoardFilters,
  groupBy: string | null,
  sums: readonly string[],
  folded: ReadonlySet<string>,
) {
  const summary = useQuery(tableSummaryQuery(board.id, filters, groupBy, sums));
  const { data } = summary;
  const map = useMemo(() => {
    if (!data) return new RowMap([], false);
    if (groupBy === null) return new RowMap([{ count: data.count, isFolded: false }], false);
    const groups = data.groups.map(({ count, value }) => ({ count, isFolded: folded.has(value ?? '') }));
    return new RowMap(groups, true);
  }, [data, groupBy, folded]);
  return { summary, map };
}

export interface TableRowsAnswer {
  /** Undefined: not loaded yet, or not a card. */
  cardAt(index: number): Card | undefined;
  error: unknown;
  retry(): void;
}

export function useTableRows(
  board: Kanban,
  filters: BoardFilters,
  groupBy: string | null,
  groups: readonly TableGroup[],
  map: RowMap,
  seen: RowWindow,
): TableRowsAnswer {
  useOrderLive(board.id, boardKeys.table(board.id), filters.sort === manualOrder);
  const pageOf = useCallback(
    (index: number): { group: GroupKey; page: number; at: number } | null => {
      const place = map.at(index);
      if (place?.kind !== 'row') return null;
      const group = groupBy === null ? null : { by: groupBy, value: groups[place.group]?.value ?? null };
      return { group, page: Math.floor(place.position / pageSize), at: place.position % pageSize };
    },
    [map, groupBy, groups],
  );
  const settled = useSettled(seen);
  const wanted = useMemo(() => {
    const found = new Map<string, { group: GroupKey; page: number }>();
    for (let index = settled.first; index < settled.end; index++) {
      const place = pageOf(index);
      if (place) found.set(JSON.stringify([place.group?.value, place.page]), place);
    }
    return [...found.values()];
  }, [settled, pageOf]);
  const answers = useQueries({
    queries: wanted.map(({ group, page }) => rowsQuery(board.id, filters, group, page)),
  });
  const failed = answers.find((answer) => answer.isError && !answer.data);
  // Pages that were loaded before and are seen again are looked up, once per render.
  const pages = new Map<string, Card[] | undefined>();
  for (const [at, { group, page }] of wanted.entries()) {
    const { data } = answers[at]!;
    if (data) pages.set(`${group?.value} ${page}`, data);
  }
  const cardAt = (index: number): Card | undefined => {
    const place = pageOf(index);
    if (!place) return undefined;
    const name = `${place.group?.value} ${place.page}`;
    if (!pages.has(name)) {
      const { queryKey } = rowsQuery(board.id, filters, place.group, place.page);
      const ids = queryClient.getQueryData<string[]>(queryKey);
      pages.set(name, ids && rowsOf(ids));
    }
    return pages.get(name)?.[place.at];
  };
  return { cardAt, error: failed?.error, retry: () => void failed?.refetch() };
}

function useSettled(seen: RowWindow): RowWindow {
  const [settled, setSettled] = useState(seen);
  const isNear = Math.abs(seen.first - settled.first) < 20 && Math.abs(seen.end - settled.end) < 40;
  const { first, end } = seen;
  useEffect(() => {
    const timer = setTimeout(() => setSettled({ first, end }), isNear ? 0 : settleMs);
    return () => clearTimeout(timer);
  }, [first, end, isNear]);
  return settled;
}
