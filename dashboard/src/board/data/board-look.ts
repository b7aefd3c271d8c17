/** How a board is shown: filters (in the URL) and the fields on its cards (stored per board and in views). */
import type { Kanban } from '../../../../contract/crm/kanbans.ts';
import { oldConditions, readFilter, withTimeZone, writeFilter } from '../filters/filter-model.ts';

export interface BoardFilters {
  q?: string;
  /** Conditions, as JSON (contract/crm/filters.ts). */
  filter?: string;
  /** As the API's `sort`. */
  sort?: string;
}

/** As an address or a saved view has them; older ones have one person and one exact value. */
export interface StoredFilters {
  q?: string;
  filter?: unknown;
  sort?: string;
  assignee?: string;
  field?: string;
  value?: string;
}

/** Only what the board knows: fields may have been deleted since. */
export function cleanFilters(board: Kanban, stored: StoredFilters): BoardFilters {
  const group = readFilter(board, typeof stored.filter === 'string' ? parsed(stored.filter) : stored.filter);
  const old = oldConditions(board, stored);
  const parts = group.join === 'and' || old.length === 0 ? [...group.parts, ...old] : [group, ...old];
  const written = writeFilter({ join: old.length > 0 ? 'and' : group.join, parts });
  return {
    q: stored.q || undefined,
    filter: written && JSON.stringify(written),
    sort: stored.sort && isSort(board, stored.sort) ? stored.sort : undefined,
  };
}

/** The order in which people put the cards. */
export const manualOrder = 'manual';

const isSort = (board: Kanban, sort: string) =>
  sort === manualOrder || sortableFields(board).includes(sort.replace(/^-/, ''));

export const sortableFields = (board: Kanban): string[] => [
  ...['title', 'status', 'createdAt', 'updatedAt'],
  ...board.fields.map(({ id }) => id),
];

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** How the cards are arranged; layouts.tsx says how each one is shown. */
export const layoutNames = ['board', 'table', 'calendar'] as const;
export type LayoutName = (typeof layoutNames)[number];

/** An address or a saved view without a layout, or with an unknown one, is a board. */
export const cleanLayout = (layout: unknown): LayoutName =>
  layoutNames.find((name) => name === layout) ?? 'board';

export interface BoardLook {
  /** The fields on a card's face, at most four. */
  face: string[];
  /** The field that column headers sum up. */
  sum: string | null;
  /** Each layout's own settings; the layout cleans them when it is opened. */
  own?: { [layout in LayoutName]?: object };
}

export interface ViewSettings extends BoardLook {
  filters: BoardFilters;
  /** Older views have none: the board. */
  layout?: LayoutName;
}

export const maxFaceFields = 4;

export const isFiltered = ({ q, filter }: BoardFilters) => Boolean(q || filter);

/** Defaults: the first amount, and the most useful fields for a small card. */
function firstLook(board: Kanban): BoardLook {
  const fields = [...board.fields].sort((a, b) => a.order - b.order);
  const sum = fields.find((field) => field.type === 'currency')?.id ?? null;
  const telling = fields.filter((field) =>
    ['currency', 'select', 'date', 'multiselect'].includes(field.type),
  );
  const rest = fields.filter((field) => ['phone', 'email', 'text'].includes(field.type));
  return { sum, face: [...telling, ...rest].slice(0, 3).map((field) => field.id) };
}

/** Stored settings may name deleted fields. */
export function cleanLook(board: Kanban, look: Partial<BoardLook>): BoardLook {
  const first = firstLook(board);
  const has = (id: string) => board.fields.some((field) => field.id === id);
  const sum = look.sum === undefined ? first.sum : look.sum;
  return {
    face: Array.isArray(look.face) ? look.face.filter(has).slice(0, maxFaceFields) : first.face,
    sum: sum !== null && has(sum) ? sum : null,
    ...(typeof look.own === 'object' && look.own !== null && { own: look.own }),
  };
}

/** The query parameters of the API. */
export const filterQuery = ({ q, filter, sort }: BoardFilters) => ({
  q: q?.trim() || undefined,
  filter: filter && JSON.stringify(withTimeZone(JSON.parse(filter))),
  sort,
});

/** Counts and totals have no order. */
export const countQuery = (filters: BoardFilters) => filterQuery({ ...filters, sort: undefined });
