/** The queries of a board: its cards by column and page, the counts of its columns, its saved views and fields. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Field } from '../../../../contract/crm/kanbans.ts';
import type { BoardSummary, Card, SavedView } from '../../../../contract/dashboard.ts';
import { api, type Page } from '../../data/api.ts';
import { keys } from '../../data/queries.ts';
import { ofKind, readPage, selectPages } from '../../data/store/lists.ts';
import { type BoardFilters, countQuery, filterQuery } from './board-look.ts';
import { movesEnded } from './moves.ts';

export const boardKeys = {
  calendar: (kanbanId: string) => [...keys.board(kanbanId), 'calendar'] as const,
  allCards: (kanbanId: string) => [...keys.board(kanbanId), 'cards'] as const,
  cards: (kanbanId: string, filters: BoardFilters, status: string) =>
    [...keys.board(kanbanId), 'cards', filterQuery(filters), status] as const,
  allSummaries: (kanbanId: string) => [...keys.board(kanbanId), 'summary'] as const,
  summary: (kanbanId: string, filters: BoardFilters, sum: string | null) =>
    [...keys.board(kanbanId), 'summary', countQuery(filters), sum] as const,
  /** Rows and totals of the table. */
  table: (kanbanId: string) => [...keys.board(kanbanId), 'table'] as const,
  views: (kanbanId: string) => [...keys.board(kanbanId), 'views'] as const,
};

/** A small first page shows cards early; later pages have the maximum size. */
const firstPage = 30;
const nextPages = 100;

interface CardsWanted extends ReturnType<typeof filterQuery> {
  status?: string;
  limit: number;
  nextToken: string | null;
}

export const readCards = (kanbanId: string, query: CardsWanted, signal: AbortSignal) =>
  api<Page<Card>>('GET', `/kanbans/${kanbanId}/cards`, { query: { ...query }, signal });

const selectCards = selectPages('record');

export const cardsQuery = (kanbanId: string, filters: BoardFilters, status: string) =>
  infiniteQueryOptions({
    queryKey: boardKeys.cards(kanbanId, filters, status),
    select: selectCards,
    ...ofKind('record'),
    queryFn: async ({ pageParam, signal }) => {
      await movesEnded(kanbanId);
      const limit = pageParam ? nextPages : firstPage;
      const query = { ...filterQuery(filters), status, limit, nextToken: pageParam };
      return readPage('record', await readCards(kanbanId, query, signal));
    },
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.nextToken,
    staleTime: 5 * 60_000,
  });

export const summaryQuery = (kanbanId: string, filters: BoardFilters, sum: string | null) =>
  queryOptions({
    queryKey: boardKeys.summary(kanbanId, filters, sum),
    queryFn: ({ signal }) =>
      api<BoardSummary>('GET', `/kanbans/${kanbanId}/board-summary`, {
        query: { ...countQuery(filters), sumFieldId: sum },
        signal,
      }),
    placeholderData: (before) => before,
  });

export const viewsQuery = (kanbanId: string) =>
  queryOptions({
    queryKey: boardKeys.views(kanbanId),
    queryFn: ({ signal }) => api<Page<SavedView>>('GET', '/saved-views', { query: { kanbanId }, signal }),
    select: (page) => page.items,
  });

/** Field details that only the settings show; boards are loaded without them. */
export const fieldsQuery = (kanbanId: string) =>
  queryOptions({
    queryKey: ['fields', kanbanId],
    queryFn: ({ signal }) => api<{ fields: Field[] }>('GET', '/crm/fields', { query: { kanbanId }, signal }),
    select: ({ fields }) => new Map(fields.map((field) => [field.fieldId, field])),
  });
