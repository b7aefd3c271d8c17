/** Which columns a table has, how wide they are and by what its rows are grouped; stored per board and in views. */
import type { Kanban, KanbanField } from '../../../../contract/crm/kanbans.ts';
import type { BoardLook } from '../data/board-look.ts';

export interface TableLook {
  /** After the title, in order. */
  columns: string[];
  /** In px, by column. */
  widths: { [column: string]: number };
  group: string | null;
}

export interface TableColumn {
  /** `title`, `status`, `assignedUserIds`, `createdAt`, `updatedAt` or the id of a field. */
  id: string;
  field: KanbanField | null;
  width: number;
}

const columnWidth = { min: 64, max: 640 };
export const widthOf = (width: number) =>
  Math.round(Math.max(columnWidth.min, Math.min(columnWidth.max, width)));

/** A new table of a board with many fields stays readable. */
const fieldsAtFirst = 8;

const sortedFields = (board: Kanban) => [...board.fields].sort((a, b) => a.order - b.order);

/** All but the title, which is always there. */
export const possibleColumns = (board: Kanban): string[] => [
  ...['status', 'assignedUserIds'],
  ...sortedFields(board).map(({ id }) => id),
  ...['createdAt', 'updatedAt'],
];

export const possibleGroups = (board: Kanban): string[] => [
  ...['status', 'assignedUserIds'],
  ...sortedFields(board)
    .filter(({ type }) => type === 'select' || type === 'boolean')
    .map(({ id }) => id),
];

/** Stored settings may name deleted fields. */
export function tableLook(board: Kanban, look: BoardLook): TableLook {
  const kept = (look.own?.table ?? {}) as Partial<TableLook>;
  const possible = possibleColumns(board);
  const first = possible.filter((id) => id !== 'createdAt').slice(0, fieldsAtFirst + 2);
  const columns = Array.isArray(kept.columns)
    ? [...new Set(kept.columns)].filter((id) => possible.includes(id))
    : [...new Set([...first, 'updatedAt'])];
  const widths = Object.entries(kept.widths ?? {}).filter(
    ([id, width]) => (id === 'title' || possible.includes(id)) && Number.isFinite(width),
  );
  return {
    columns,
    widths: Object.fromEntries(widths.map(([id, width]) => [id, widthOf(width)])),
    group: kept.group && possibleGroups(board).includes(kept.group) ? kept.group : null,
  };
}

/** Merged into the settings of the board; those of other layouts stay. */
export const withTable = (look: BoardLook, table: TableLook): BoardLook => ({
  ...look,
  own: { ...look.own, table },
});

export const columnsOf = (board: Kanban, { columns, widths }: TableLook): TableColumn[] =>
  ['title', ...columns].map((id) => {
    const field = board.fields.find((one) => one.id === id) ?? null;
    return { id, field, width: widths[id] ?? firstWidth(id, field) };
  });

function firstWidth(id: string, field: KanbanField | null): number {
  if (id === 'title') return 260;
  if (!field) return 160;
  if (field.type === 'boolean') return 96;
  if (field.type === 'number' || field.type === 'currency' || field.type === 'date') return 128;
  return field.type === 'textarea' ? 240 : 176;
}

export const isSummed = ({ field }: TableColumn) => field?.type === 'number' || field?.type === 'currency';
/** Set by the service. */
export const isReadOnly = ({ id }: TableColumn) => id === 'createdAt' || id === 'updatedAt';
