/** How a board is shown: filters (in the URL) and the fields on its cards (stored per board and in views). */
import type { Kanban } from '../../../../contract/kanbans.ts';

export interface BoardFilters {
  q?: string;
  assignee?: string;
  field?: string;
  value?: string;
}

export interface BoardLook {
  /** The fields on a card's face, at most four. */
  face: string[];
  /** The field that column headers sum up. */
  sum: string | null;
}

export interface ViewSettings extends BoardLook {
  filters: BoardFilters;
}

export const maxFaceFields = 4;

export const isFiltered = ({ q, assignee, field, value }: BoardFilters) =>
  Boolean(q || assignee || (field && value));

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
  };
}

/** The query parameters of the API. */
export const filterQuery = ({ q, assignee, field, value }: BoardFilters) => ({
  q: q?.trim() || undefined,
  assignedUserId: assignee,
  ...(field && value ? { fieldId: field, fieldValue: value } : {}),
});
