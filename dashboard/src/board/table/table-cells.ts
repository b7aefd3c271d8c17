/** Changes of several cells at once: emptied, pasted, and what copying reads. */
import type { CrmRecord } from '../../../../contract/crm/records.ts';
import type { Card } from '../../../../contract/dashboard.ts';
import { t, tn } from '../../texts/texts.ts';
import { toast } from '../../ui/overlays/toast.tsx';
import { changeEach, type RecordChange } from '../data/board-actions.ts';
import { nameOfField } from '../filters/filter-words.ts';
import { type CellContext, changeOfCell, readCell, textOfCell, valueOfCell } from './cell-text.ts';
import type { Range } from './grid-state.ts';
import { isReadOnly, type TableColumn } from './table-look.ts';
import { readTabbed, writeTabbed } from './text/tabbed-text.ts';

/** More is a job for an import. */
const maxCells = 2_000;
/** Named in a message; more of them only make it longer. */
const maxNamed = 3;

export interface CellSource extends CellContext {
  columns: readonly TableColumn[];
  /** Null: a group's header. Undefined: not loaded. */
  cardAt(index: number): Card | null | undefined;
  rowCount: number;
}

interface CellChange {
  card: Card;
  column: TableColumn;
  value: unknown;
}

/** Null: a part of it is not loaded, or it is too large. */
function cardsOf(source: CellSource, { top, bottom, left, right }: Range): Card[] | null {
  if ((bottom - top + 1) * (right - left + 1) > maxCells) {
    toast.show(t('table.tooMany', { count: maxCells }));
    return null;
  }
  const cards: Card[] = [];
  for (let index = top; index <= bottom; index++) {
    const card = source.cardAt(index);
    if (card === undefined) {
      toast.show(t('table.notLoaded'));
      return null;
    }
    if (card) cards.push(card);
  }
  return cards;
}

export function copyCells(source: CellSource, range: Range): string | null {
  const cards = cardsOf(source, range);
  const columns = source.columns.slice(range.left, range.right + 1);
  return cards && writeTabbed(cards.map((card) => columns.map((column) => textOfCell(card, column, source))));
}

export function emptyCells(source: CellSource, range: Range): void {
  const columns = source.columns
    .slice(range.left, range.right + 1)
    .filter((column) => !isReadOnly(column) && column.id !== 'title' && column.id !== 'status');
  const cards = cardsOf(source, range) ?? [];
  const cells = cards.flatMap((card) => columns.map((column) => ({ card, column, value: null })));
  const changed = changedCells(cells);
  write(changed, tn('table.emptied', changed.length));
}

export function pasteCells(source: CellSource, range: Range, text: string): void {
  const rows = readTabbed(text);
  const width = Math.max(...rows.map((row) => row.length));
  // One value fills the whole rectangle.
  const isFilling = rows.length === 1 && width === 1;
  const height = isFilling ? range.bottom - range.top + 1 : rowsFor(source, range.top, rows.length);
  const right = isFilling ? range.right : range.left + width - 1;
  if (height < 0 || right >= source.columns.length) {
    toast.problem(t('table.paste.none'), t('table.paste.noRoom', { rows: rows.length, columns: width }));
    return;
  }
  const cards = cardsOf(source, { ...range, right, bottom: range.top + height - 1 });
  if (!cards) return;
  const cells: CellChange[] = [];
  const wrong: string[] = [];
  for (const [at, card] of cards.entries()) {
    for (let index = range.left; index <= right; index++) {
      const column = source.columns[index]!;
      if (isReadOnly(column)) continue;
      const given = isFilling ? rows[0]![0]! : rows[at]?.[index - range.left];
      // A row that is shorter than others changes fewer cells.
      if (given === undefined) continue;
      const value = readCell(given, column, source);
      if (value === undefined) {
        wrong.push(
          t('table.paste.wrong', { value: given.trim(), field: nameOfField(source.board, column.id) }),
        );
      } else cells.push({ card, column, value });
    }
  }
  if (wrong.length > 0) {
    const named = wrong.slice(0, maxNamed).join(', ');
    const more = wrong.length - maxNamed;
    toast.problem(t('table.paste.none'), more > 0 ? `${named} ${tn('table.paste.more', more)}` : named);
    return;
  }
  const changed = changedCells(cells);
  write(changed, tn('table.paste.done', changed.length));
}

/** How many rows from `top` on hold this many cards, headers of groups included; -1: there are not as many. */
function rowsFor({ cardAt, rowCount }: CellSource, top: number, cards: number): number {
  let left = cards;
  for (let index = top; index < rowCount; index++) {
    if (cardAt(index) !== null) left--;
    if (left === 0) return index - top + 1;
  }
  return -1;
}

const sameValue = (a: unknown, b: unknown) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
const isList = (value: unknown) => (Array.isArray(value) && value.length === 0 ? null : value);
const changedCells = (cells: readonly CellChange[]) =>
  cells.filter(({ card, column, value }) => !sameValue(isList(valueOfCell(card, column)), isList(value)));

/** One change per card, also where a card is in several groups. */
function write(cells: readonly CellChange[], done: string): void {
  const changes = new Map<string, RecordChange>();
  for (const { card, column, value } of cells) {
    const { customFields, ...rest } = changeOfCell(column, value);
    const before = changes.get(card.recordId)?.change;
    const values = { ...before?.customFields, ...customFields };
    changes.set(card.recordId, {
      record: card as CrmRecord,
      change: { ...before, ...rest, ...(Object.keys(values).length > 0 && { customFields: values }) },
    });
  }
  void changeEach([...changes.values()], { done });
}
