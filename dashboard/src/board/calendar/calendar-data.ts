/** The cards of a period: read through the board's filter with one more condition, and kept current by every change. */
import { queryOptions } from '@tanstack/react-query';
import type { FilterNode } from '../../../../contract/crm/filters.ts';
import type { Kanban, KanbanField } from '../../../../contract/crm/kanbans.ts';
import type { Card } from '../../../../contract/dashboard.ts';
import { limits } from '../../../../contract/limits.ts';
import type { Page } from '../../data/api.ts';
import { BoundedMap } from '../../data/bounded-map.ts';
import { queryClient } from '../../data/query-client.ts';
import { addCardStore, askAgain, latestState } from '../data/board-cache.ts';
import { boardKeys, readCards } from '../data/board-data.ts';
import type { BoardFilters, BoardLook } from '../data/board-look.ts';
import { withTimeZone } from '../filters/filter-model.ts';
import { type DateType, type Day, dayOfValue } from './calendar-days.ts';

export type Span = 'month' | 'week';
export type DateField = KanbanField & { type: DateType };
export interface CalendarLook {
  /** Null: the board has no date field. */
  field: DateField | null;
  span: Span;
}
export interface Period {
  from: Day;
  to: Day;
}
export interface CalendarCards {
  cards: Card[];
  isCut: boolean;
  /** While another period is read, the one before is kept. */
  from: Day;
}

/** So many cards of a period are shown. */
const maxCards = 500;

export const dateFields = (board: Kanban): DateField[] =>
  [...board.fields]
    .sort((a, b) => a.order - b.order)
    .filter((field): field is DateField => field.type === 'date' || field.type === 'datetime');

/** Stored settings may name a deleted field. */
export function calendarLook(board: Kanban, look: BoardLook): CalendarLook {
  const kept = (look.own?.calendar ?? {}) as { field?: unknown; span?: unknown };
  const fields = dateFields(board);
  return {
    field: fields.find(({ id }) => id === kept.field) ?? fields[0] ?? null,
    span: kept.span === 'week' ? 'week' : 'month',
  };
}

export const withCalendarLook = (look: BoardLook, field: DateField, span: Span): BoardLook => ({
  ...look,
  own: { ...look.own, calendar: { field: field.id, span } },
});

interface QueryKey extends Period {
  q: string | undefined;
  filter: string | undefined;
  field: string;
  type: DateType;
}

export const calendarQuery = (
  kanbanId: string,
  filters: BoardFilters,
  field: DateField,
  { from, to }: Period,
) => {
  const wanted: QueryKey = {
    q: filters.q?.trim() || undefined,
    filter: filters.filter,
    field: field.id,
    type: field.type,
    from,
    to,
  };
  return queryOptions({
    queryKey: [...boardKeys.calendar(kanbanId), wanted],
    queryFn: ({ signal }) => readPeriod(kanbanId, wanted, signal),
    placeholderData: (before) => before,
    staleTime: 60_000,
  });
};

async function readPeriod(kanbanId: string, wanted: QueryKey, signal: AbortSignal): Promise<CalendarCards> {
  const { q, filter, field, from, to } = wanted;
  const startedAt = Date.now();
  const cards: Card[] = [];
  let nextToken: string | null = null;
  do {
    const query = {
      q,
      filter: JSON.stringify(withTimeZone(within(filter, field, { from, to }))),
      sort: field,
      limit: limits.recordsPage.max,
      nextToken,
    };
    const page: Page<Card> = await readCards(kanbanId, query, signal);
    cards.push(...page.items);
    nextToken = page.nextToken;
  } while (nextToken !== null && cards.length < maxCards);
  return { cards: withRecent(kanbanId, wanted, cards, startedAt), isCut: nextToken !== null, from };
}

/** What was placed or dropped in the last seconds: an answer that was read before does not have it. */
const recent = new BoundedMap<{ kanbanId: string; card: Card | null; at: number }>({
  max: 1_000,
  maxAgeMs: 15_000,
});

function withRecent(kanbanId: string, wanted: QueryKey, answer: readonly Card[], startedAt: number): Card[] {
  const cards = answer.flatMap((card) => latestState(card) ?? []).filter((card) => isInside(wanted, card));
  const had = new Set(answer.map(({ recordId }) => recordId));
  for (const [recordId, change] of recent.entries()) {
    const { card, at } = change;
    if (change.kanbanId !== kanbanId || !card || had.has(recordId) || !isInside(wanted, card)) continue;
    if (!isUnsure(wanted)) cards.push(card);
    else if (at >= startedAt) askAgain(boardKeys.calendar(kanbanId));
  }
  return cards;
}

function isInside({ type, field, from, to }: QueryKey, card: Card): boolean {
  const day = dayOfValue(type, card.customFields[field]);
  return day !== null && day >= from && day <= to;
}

/** Only the service knows whether a search or a filter matches. */
const isUnsure = ({ q, filter }: QueryKey) => q !== undefined || filter !== undefined;

/** The board's filter and the period. Groups can be only so deep, so an `and` is extended. */
function within(filter: string | undefined, field: string, { from, to }: Period): FilterNode {
  const condition: FilterNode = { field, op: 'between', value: [from, to] };
  const own = filter === undefined ? null : (JSON.parse(filter) as FilterNode);
  if (own === null) return condition;
  return 'and' in own ? { and: [...own.and, condition] } : { and: [own, condition] };
}

/** By day, in the order of their times. */
export function byDay(cards: readonly Card[], field: DateField): Map<Day, Card[]> {
  const days = new Map<Day, Card[]>();
  for (const card of cards) {
    const day = dayOfValue(field.type, card.customFields[field.id]);
    if (day === null) continue;
    const own = days.get(day);
    if (own) own.push(card);
    else days.set(day, [card]);
  }
  if (field.type === 'datetime') {
    const timeOf = (card: Card) => Number(card.customFields[field.id]);
    for (const own of days.values()) own.sort((a, b) => timeOf(a) - timeOf(b));
  }
  return days;
}

const cached = (kanbanId: string) =>
  queryClient.getQueriesData<CalendarCards>({ queryKey: boardKeys.calendar(kanbanId) });

addCardStore({
  find(kanbanId, recordId) {
    for (const [, data] of cached(kanbanId)) {
      const card = data?.cards.find((one) => one.recordId === recordId);
      if (card) return card;
    }
    return null;
  },
  place(card) {
    recent.set(card.recordId, { kanbanId: card.kanbanId, card, at: Date.now() });
    for (const [key, data] of cached(card.kanbanId)) {
      if (!data) continue;
      const wanted = key[3] as QueryKey;
      const belongs = isInside(wanted, card);
      const had = data.cards.some((one) => one.recordId === card.recordId);
      if (!had && !belongs) continue;
      if (isUnsure(wanted)) askAgain(boardKeys.calendar(card.kanbanId));
      if (!had && isUnsure(wanted)) continue;
      const others = data.cards.filter((one) => one.recordId !== card.recordId);
      const cards = !belongs
        ? others
        : had
          ? data.cards.map((one) => (one.recordId === card.recordId ? card : one))
          : [...others, card];
      queryClient.setQueryData<CalendarCards>(key, { ...data, cards });
    }
  },
  drop(kanbanId, recordId) {
    recent.set(recordId, { kanbanId, card: null, at: Date.now() });
    for (const [key, data] of cached(kanbanId)) {
      if (!data?.cards.some((one) => one.recordId === recordId)) continue;
      const cards = data.cards.filter((one) => one.recordId !== recordId);
      queryClient.setQueryData<CalendarCards>(key, { ...data, cards });
    }
  },
});
