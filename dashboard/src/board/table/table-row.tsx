// biome-ignore-all lint/a11y/useSemanticElements: elements of a table cannot be placed freely
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus
/** One card as a row. The table handles clicks and keys; a row only shows. */
import { Check, Maximize2 } from 'lucide-react';
import { memo } from 'react';
import type { Kanban } from '../../../../contract/crm/kanbans.ts';
import type { Card } from '../../../../contract/dashboard.ts';
import { shownTitle } from '../../texts/customer-name.ts';
import { t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { useCanSelect, useIsSelected } from '../data/selection.ts';
import { CellEditor } from './cell-editor.tsx';
import { CellView, type Person } from './cell-view.tsx';
import type { EditedCell, Step } from './grid-state.ts';
import { isSummed, type TableColumn } from './table-look.ts';
import { rowHeight } from './use-window.ts';

export const cellId = (index: number, column: number) => `cell-${index}-${column}`;

export interface TableRowProps {
  board: Kanban;
  card: Card;
  index: number;
  columns: readonly TableColumn[];
  /** -1: not in this row. */
  activeColumn: number;
  /** The columns of the selected rectangle; -1: this row is outside. */
  rangeFrom: number;
  rangeTo: number;
  editing: EditedCell | null;
  isOpen: boolean;
  personOf(id: string): Person | null;
  onCommit(card: Card, column: TableColumn, value: unknown): void;
  onClose(step: Step | null): void;
}

export const rowClass = 'absolute left-0 grid min-w-full border-b border-line contain-layout contain-style';
export const rowStyle = (index: number) => ({
  top: index * rowHeight,
  height: rowHeight,
  gridTemplateColumns: 'var(--table-columns)',
  width: 'var(--table-width)',
});

export const TableRow = memo(function TableRow(props: TableRowProps) {
  const { card, index, columns, activeColumn, rangeFrom, rangeTo, isOpen } = props;
  const isSelected = useIsSelected(card.recordId);
  const ground = isSelected ? 'bg-accent-soft' : isOpen ? 'bg-hover' : 'bg-surface group-hover:bg-hover';
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      data-row={index}
      className={cx(rowClass, 'group', props.editing && 'z-1')}
      style={rowStyle(index)}
    >
      <RowCheckbox card={card} isSelected={isSelected} ground={ground} />
      {columns.map((column, at) => (
        <Cell
          key={column.id}
          {...props}
          column={column}
          at={at}
          ground={ground}
          isActive={at === activeColumn}
          isInRange={at >= rangeFrom && at <= rangeTo && rangeFrom >= 0}
        />
      ))}
      <div className={ground} />
    </div>
  );
});

/** The first column stays in place; the checkbox is part of it. */
function RowCheckbox({ card, isSelected, ground }: { card: Card; isSelected: boolean; ground: string }) {
  const canSelect = useCanSelect();
  const place = cx('sticky left-0 z-2 flex items-center pl-3', ground);
  if (!canSelect) return <div role="gridcell" aria-colindex={1} className={place} />;
  return (
    <div role="gridcell" aria-colindex={1} className={place}>
      <button
        type="button"
        role="checkbox"
        aria-checked={isSelected}
        aria-label={t('board.select', { title: shownTitle(card.title) })}
        tabIndex={-1}
        data-select=""
        className={cx(
          'flex size-4 items-center justify-center rounded-[4px] border',
          isSelected ? 'border-accent bg-accent' : 'border-line-strong bg-surface hover:border-faint',
        )}
      >
        {isSelected && <Check aria-hidden className="size-3 text-on-accent" strokeWidth={3} />}
      </button>
    </div>
  );
}

interface CellProps extends TableRowProps {
  column: TableColumn;
  at: number;
  ground: string;
  isActive: boolean;
  isInRange: boolean;
}

function Cell(props: CellProps) {
  const { board, card, index, column, at, ground, isActive, isInRange, editing, personOf } = props;
  const isEdited = editing?.recordId === card.recordId && editing.column === column.id && isActive;
  return (
    <div
      role="gridcell"
      id={cellId(index, at)}
      aria-colindex={at + 2}
      aria-selected={isInRange}
      data-cell={at}
      className={cx(
        'relative flex min-w-0 items-center overflow-hidden border-r border-line px-2 whitespace-nowrap',
        at === 0 ? 'sticky left-9 z-2' : '',
        isInRange ? 'bg-accent-soft' : ground,
        isSummed(column) && 'justify-end',
        isActive && 'outline-2 -outline-offset-2 outline-accent',
        isEdited && 'z-10 overflow-visible!',
      )}
    >
      {isEdited ? (
        <CellEditor
          key={column.id}
          board={board}
          card={card}
          column={column}
          text={editing.text}
          onCommit={(value) => props.onCommit(card, column, value)}
          onClose={props.onClose}
        />
      ) : (
        <CellView board={board} card={card} column={column} personOf={personOf} />
      )}
      {at === 0 && !isEdited && <OpenButton card={card} isActive={isActive} />}
    </div>
  );
}

function OpenButton({ card, isActive }: { card: Card; isActive: boolean }) {
  return (
    <button
      type="button"
      tabIndex={-1}
      data-open=""
      aria-label={t('table.open', { title: shownTitle(card.title) })}
      title={t('board.keys.open')}
      className={cx(
        'ml-auto flex size-6 shrink-0 items-center justify-center rounded-control text-faint hover:bg-pressed hover:text-ink',
        !isActive && 'opacity-0 group-hover:opacity-100 pointer-coarse:opacity-100',
      )}
    >
      <Maximize2 className="size-3.5" />
    </button>
  );
}

/** Not loaded yet. One element: thousands of these fly by when the table is scrolled fast. */
export const SkeletonRow = memo(function SkeletonRow({ index }: { index: number }) {
  return (
    <div role="row" aria-rowindex={index + 2} data-row={index} className={rowClass} style={rowStyle(index)}>
      <div role="gridcell" id={cellId(index, 0)} aria-busy className="col-span-2 flex items-center pl-11">
        <span className="h-2.5 w-40 rounded bg-sunken" />
      </div>
    </div>
  );
});
