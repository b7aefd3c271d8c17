/** What mouse, keyboard and clipboard do in the table. */
import {
  type ClipboardEvent,
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
  useEffect,
  useRef,
} from 'react';
import type { Card } from '../../../../contract/dashboard.ts';
import { useMay } from '../../data/session.ts';
import { t, tn } from '../../texts/texts.ts';
import { toast } from '../../ui/overlays/toast.tsx';
import { changeRecords } from '../data/board-actions.ts';
import { sortableFields } from '../data/board-look.ts';
import type { LayoutProps } from '../data/layout-props.ts';
import { selection } from '../data/selection.ts';
import { changeOfCell, valueOfCell } from './cell-text.ts';
import { type Place, rangeOf, type Step, useGridState } from './grid-state.ts';
import type { RowMap } from './row-map.ts';
import { type CellSource, copyCells, emptyCells, pasteCells } from './table-cells.ts';
import { handleKey } from './table-keys.ts';
import { isReadOnly, type TableColumn, type TableLook, widthOf, withTable } from './table-look.ts';
import { indexNear, useFollow, useReveal } from './use-reveal.ts';

export interface GridOptions extends LayoutProps {
  scroller: RefObject<HTMLDivElement | null>;
  table: TableLook;
  columns: readonly TableColumn[];
  map: RowMap;
  users: CellSource['users'];
  cardAt(index: number): Card | undefined;
  seen(): number;
  onFold(group: number): void;
}

export function useGrid(options: GridOptions) {
  const { board, filters, look, table, columns, map, users, cardAt, scroller } = options;
  const { state: kept, moveTo, shift, edit } = useGridState();
  const lastRow = map.length - 1;
  const clamped = (place: Place) => ({ ...place, index: Math.min(place.index, lastRow) });
  const state = { ...kept, active: clamped(kept.active), anchor: clamped(kept.anchor) };
  const { active } = state;
  const column = columns[active.column];
  const mayEdit = useMay('records.edit');
  const isEditing = useRef(false);
  isEditing.current = state.editing !== null;
  const arrangement = JSON.stringify([filters, table.group]);
  const source: CellSource = {
    board,
    users,
    columns,
    rowCount: map.length,
    cardAt: (index) => (map.at(index)?.kind === 'row' ? cardAt(index) : null),
  };
  useReveal(scroller, state);
  useFollow({
    index: active.index,
    arrangement,
    editedId: state.editing?.recordId,
    cardAt: source.cardAt,
    shift: (by) => shift(by, lastRow),
    onGone: () => edit(null),
  });
  const selectRow = useRowSelection(source, arrangement);
  const setTable = (next: Partial<TableLook>) => options.onLook(withTable(look, { ...table, ...next }));
  const commit = (card: Card, to: TableColumn, value: unknown) => {
    void changeRecords([card], changeOfCell(to, value), { done: tn('table.paste.done', 1) });
  };
  const actions = {
    moveTo,
    edit(text?: string) {
      const card = cardAt(active.index);
      if (!mayEdit || !card || !column || isReadOnly(column)) return;
      if (column.field?.type === 'boolean') {
        if (text === undefined) actions.toggle();
        return;
      }
      edit({ recordId: card.recordId, column: column.id, ...(text !== undefined && { text }) });
    },
    toggle() {
      const card = cardAt(active.index);
      if (!mayEdit || !card || column?.field?.type !== 'boolean') return false;
      commit(card, column, valueOfCell(card, column) !== true);
      return true;
    },
    empty() {
      if (mayEdit) emptyCells(source, rangeOf(state));
    },
    open() {
      const card = cardAt(active.index);
      if (card) options.onOpen(card);
    },
    selectRow: () => selectRow(active.index),
    fold: options.onFold,
    sort({ id }: TableColumn) {
      if (!sortableFields(board).includes(id)) return;
      const next = filters.sort === id ? `-${id}` : filters.sort === `-${id}` ? undefined : id;
      options.onFilters({ ...filters, sort: next });
    },
    moveColumn(from: number, by: number) {
      const to = from + by;
      if (from < 1 || to < 1 || to >= columns.length) return;
      const order = [...table.columns];
      const [moved] = order.splice(from - 1, 1);
      order.splice(to - 1, 0, moved!);
      setTable({ columns: order });
      moveTo({ index: -1, column: to });
    },
    widen: (to: TableColumn, by: number) => actions.setWidth(to, widthOf(to.width + by)),
    setWidth: ({ id }: TableColumn, width: number) => setTable({ widths: { ...table.widths, [id]: width } }),
  };

  /** Null: the focus is elsewhere already and stays there. */
  const close = (step: Step | null) => {
    isEditing.current = false;
    if (!step) return edit(null);
    const [rows, by] = step;
    scroller.current?.focus({ preventScroll: true });
    const index = Math.max(0, Math.min(lastRow, active.index + rows));
    moveTo({ index, column: Math.max(0, Math.min(columns.length - 1, active.column + by)) });
  };
  const isOwn = (event: { target: EventTarget; currentTarget: EventTarget }) =>
    event.target === event.currentTarget;
  const mouse = useMouse({ state, moveTo, isEditing, scroller });
  return {
    state,
    actions,
    commit,
    close,
    toTop() {
      scroller.current?.scrollTo({ top: 0 });
      if (active.index > 0) moveTo({ index: 0, column: active.column });
    },
    handlers: {
      onKeyDown(event: KeyboardEvent<HTMLElement>) {
        if (!isOwn(event) || event.nativeEvent.isComposing) return;
        if (!handleKey(event, { state, map, columns, seen: options.seen, actions })) return;
        event.preventDefault();
        event.stopPropagation();
      },
      onCopy(event: ClipboardEvent<HTMLElement>) {
        if (!isOwn(event) || active.index < 0) return;
        event.preventDefault();
        const text = copyCells(source, rangeOf(state));
        if (text !== null) event.clipboardData.setData('text/plain', text);
      },
      onPaste(event: ClipboardEvent<HTMLElement>) {
        if (!mayEdit || !isOwn(event) || active.index < 0) return;
        event.preventDefault();
        pasteCells(source, rangeOf(state), event.clipboardData.getData('text/plain'));
      },
      onMouseDown: mouse.onMouseDown,
      onMouseOver: mouse.onMouseOver,
      onClick(event: MouseEvent) {
        const row = rowOf(event.target);
        if (row === null) return;
        const target = event.target as Element;
        const place = map.at(row);
        const card = cardAt(row);
        if (target.closest('[data-select]')) selectRow(row, event.shiftKey);
        else if (target.closest('[data-open]') && card) options.onOpen(card);
        else if (target.closest('[data-fold]') && place?.kind === 'group') options.onFold(place.group);
        else if (mouse.isTapOnActive(event)) actions.edit();
      },
      onDoubleClick: (event: MouseEvent) => placeOf(event.target) && actions.edit(),
    },
  };
}

/** Selects a row, or with Shift all rows from the last selected one on. */
function useRowSelection({ cardAt }: CellSource, arrangement: string) {
  const last = useRef<{ index: number; recordId: string; arrangement: string } | null>(null);
  return (index: number, isRange = false) => {
    const card = cardAt(index);
    if (!card) return;
    const before = isRange && last.current?.arrangement === arrangement ? last.current : null;
    const from = (before && indexNear(cardAt, before.recordId, before.index)) ?? index;
    if (from === index) selection.toggle(card);
    else {
      const length = Math.abs(from - index) + 1;
      const cards = Array.from({ length }, (_, at) => cardAt(Math.min(from, index) + at));
      if (cards.includes(undefined)) return void toast.show(t('table.notLoaded'));
      selection.add(cards.flatMap((one) => one ?? []));
    }
    last.current = { index, recordId: card.recordId, arrangement };
  };
}

function rowOf(target: EventTarget): number | null {
  const row = (target as Element).closest('[data-row]')?.getAttribute('data-row');
  return row ? Number(row) : null;
}

function placeOf(target: EventTarget): Place | null {
  const element = target as Element;
  if (element.closest('button, input, textarea')) return null;
  const [row, cell] = [rowOf(target), element.closest('[data-cell]')?.getAttribute('data-cell')];
  return row === null || !cell ? null : { index: row, column: Number(cell) };
}

interface MouseOptions {
  state: { active: Place };
  moveTo(place: Place, isExtending?: boolean): void;
  isEditing: RefObject<boolean>;
  scroller: RefObject<HTMLDivElement | null>;
}

/** A press moves the active cell, dragging extends the rectangle. */
function useMouse({ state, moveTo, isEditing, scroller }: MouseOptions) {
  const isDragging = useRef(false);
  const wasActive = useRef(false);
  useEffect(() => {
    const end = () => {
      isDragging.current = false;
    };
    addEventListener('mouseup', end);
    return () => removeEventListener('mouseup', end);
  }, []);
  return {
    isTapOnActive: (event: MouseEvent) =>
      wasActive.current &&
      (event.nativeEvent as PointerEvent).pointerType === 'touch' &&
      placeOf(event.target) !== null,
    onMouseDown(event: MouseEvent) {
      const target = event.target as Element;
      // React passes on events of the editor's list too, which is elsewhere in the document.
      if (!event.currentTarget.contains(target)) return;
      if (event.button !== 0 || target.closest('input, textarea')) return;
      event.preventDefault();
      // Leaving the editor commits it. What cannot be read stays in it.
      scroller.current?.focus({ preventScroll: true });
      const input = scroller.current?.querySelector<HTMLElement>('[data-cell] [data-own-keys]');
      if (isEditing.current && input) return input.focus();
      const place = placeOf(event.target);
      if (!place) return;
      wasActive.current = place.index === state.active.index && place.column === state.active.column;
      isDragging.current = true;
      if (!wasActive.current || event.shiftKey) moveTo(place, event.shiftKey);
    },
    onMouseOver(event: MouseEvent) {
      if (!isDragging.current || event.buttons !== 1) return;
      const place = placeOf(event.target);
      if (place) moveTo(place, true);
    },
  };
}
