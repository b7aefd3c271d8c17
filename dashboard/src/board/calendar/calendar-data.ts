/** The cards of a period: read through the board's filter with one more condition, and kept current by every change. */
import { queryOptions } from '@tanstack/react-query';
import type { FilterNode } from '../../../../contract/crm/filters.ts';
import type { Kanban, KanbanField } from '../../../../contract/crm/kanbans.ts';
import type { Card } from '../../../../contract/dashboard.ts';
import { limits } from '../../../../contract/limits.ts';
import type { Page } from '../../data/api.ts';
import { addList, ofKind, readItems, selectOnce, things } from '../../data/store/lists.ts';
import { askAgain } from '../data/board-cache.ts';
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

const selectCards = selectOnce(
  ({ ids, ...listed }: Listed): CalendarCards => ({ ...listed, cards: things('record', ids) }),
);

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
    select: selectCards,
    ...ofKind('record'),
    placeholderData: (before) => before,
    staleTime: 60_000,
  });
};

/** As it is cached. */
interface Listed {
  ids: string[];
  isCut: boolean;
  from: Day;
}

async function readPeriod(kanbanId: string, wanted: QueryKey, signal: AbortSignal): Promise<Listed> {
  const { q, filter, field, from, to } = wanted;
  const ids: string[] = [];
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
    ids.push(...readItems('record', page.items));
    nextToken = page.nextToken;
  } while (nextToken !== null && ids.length < maxCards);
  return { ids, isCut: nextToken !== null, from };
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

addList<'record', Listed>({
  kind: 'record',
  isOf: ([board, , calendar]) => board === 'board' && calendar === 'calendar',
  has: ({ ids }, id) => ids.includes(id),
  placed(listed, card, { key, isRead }) {
    if (key[1] !== card.kanbanId) return listed;
    const wanted = key[3] as QueryKey;
    const { recordId } = card;
    const had = listed.ids.includes(recordId);
    const belongs = isInside(wanted, card);
    if (!had && !belongs) return listed;
    if (isUnsure(wanted) && !isRead) askAgain(boardKeys.calendar(card.kanbanId));
    if (!belongs) return { ...listed, ids: listed.ids.filter((id) => id !== recordId) };
    return had || isUnsure(wanted) ? listed : { ...listed, ids: [...listed.ids, recordId] };
  },
});
