// biome-ignore-all lint/a11y/useSemanticElements: elements of a table cannot be placed freely
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus
/** The names of the columns: a click sorts, the edge changes the width, dragging moves. */
import { ArrowDown, ArrowUp } from 'lucide-react';
import { type PointerEvent, useRef, useState } from 'react';
import type { Kanban } from '../../../../contract/crm/kanbans.ts';
import { FieldIcon } from '../../fields/field-icon.tsx';
import { t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { nameOfField } from '../filters/filter-words.ts';
import { isSummed, type TableColumn, widthOf } from './table-look.ts';
import { cellId } from './table-row.tsx';
import { rowHeight } from './use-window.ts';

export interface TableHeaderProps {
  board: Kanban;
  columns: readonly TableColumn[];
  sort: string | undefined;
  /** -1: the active cell is not in the header. */
  activeColumn: number;
  onSort(column: TableColumn): void;
  /** While the edge is dragged, then once more with `isDone`. */
  onWidth(column: TableColumn, width: number, isDone: boolean): void;
  onMove(from: number, to: number): void;
}

export function TableHeader(props: TableHeaderProps) {
  const { columns } = props;
  const [target, setTarget] = useState<number | null>(null);
  return (
    <div role="rowgroup" className="sticky top-0 z-3">
      <div
        role="row"
        aria-rowindex={1}
        className="grid min-w-full border-b border-line-strong"
        style={{
          height: rowHeight,
          gridTemplateColumns: 'var(--table-columns)',
          width: 'var(--table-width)',
        }}
      >
        <div role="columnheader" aria-colindex={1} className="sticky left-0 z-2 bg-canvas">
          <span className="sr-only">{t('table.selected')}</span>
        </div>
        {columns.map((column, at) => (
          <HeaderCell
            key={column.id}
            {...props}
            column={column}
            at={at}
            isTarget={target === at}
            onTarget={setTarget}
          />
        ))}
        <div className="bg-canvas" />
      </div>
    </div>
  );
}

/** Anything shorter is a click. */
const dragFrom = 5;

interface HeaderCellProps extends TableHeaderProps {
  column: TableColumn;
  at: number;
  isTarget: boolean;
  onTarget(at: number | null): void;
}

function HeaderCell({
  board,
  column,
  at,
  sort,
  activeColumn,
  isTarget,
  onSort,
  onWidth,
  onMove,
  onTarget,
}: HeaderCellProps) {
  const drag = useRef<{ x: number; to: number | null } | null>(null);
  const order =
    sort?.replace(/^-/, '') === column.id ? (sort.startsWith('-') ? 'descending' : 'ascending') : 'none';
  const onPointerDown = (event: PointerEvent) => {
    if (event.button !== 0) return;
    drag.current = { x: event.clientX, to: null };
    if (event.pointerType === 'mouse') event.currentTarget.setPointerCapture(event.pointerId);
  };
  const onPointerMove = (event: PointerEvent) => {
    if (!drag.current || at === 0 || event.pointerType !== 'mouse') return;
    if (drag.current.to === null && Math.abs(event.clientX - drag.current.x) < dragFrom) return;
    const over = document.elementFromPoint(event.clientX, event.clientY)?.closest('[data-header]');
    const to = Number(over?.getAttribute('data-header') ?? at);
    drag.current.to = Math.max(1, to);
    onTarget(drag.current.to);
  };
  const onPointerUp = () => {
    const to = drag.current?.to ?? null;
    if (drag.current && to === null) onSort(column);
    else if (to !== null && to !== at) onMove(at, to);
    drag.current = null;
    onTarget(null);
  };
  return (
    <div
      role="columnheader"
      id={cellId(-1, at)}
      aria-colindex={at + 2}
      aria-sort={order}
      data-header={at}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={() => {
        drag.current = null;
        onTarget(null);
      }}
      className={cx(
        'relative flex min-w-0 items-center gap-1.5 border-r border-line bg-canvas px-2 text-sm font-medium whitespace-nowrap text-muted select-none hover:text-ink',
        at === 0 && 'sticky left-9 z-2',
        isSummed(column) && 'justify-end',
        at === activeColumn && 'outline-2 -outline-offset-2 outline-accent',
        isTarget && 'bg-accent-soft',
      )}
    >
      {column.field && <FieldIcon type={column.field.type} className="size-3.5 shrink-0" />}
      <span className="truncate" title={nameOfField(board, column.id)}>
        {nameOfField(board, column.id)}
      </span>
      {order === 'ascending' && <ArrowUp aria-hidden className="size-3 shrink-0" />}
      {order === 'descending' && <ArrowDown aria-hidden className="size-3 shrink-0" />}
      <Edge column={column} onWidth={onWidth} />
    </div>
  );
}

function Edge({ column, onWidth }: Pick<HeaderCellProps, 'column' | 'onWidth'>) {
  const drag = useRef<{ x: number; width: number } | null>(null);
  const widthAt = (event: PointerEvent) => widthOf(drag.current!.width + event.clientX - drag.current!.x);
  return (
    <span
      aria-hidden
      data-edge={column.id}
      onPointerDown={(event) => {
        event.stopPropagation();
        event.currentTarget.setPointerCapture(event.pointerId);
        drag.current = { x: event.clientX, width: column.width };
      }}
      onPointerMove={(event) => drag.current && onWidth(column, widthAt(event), false)}
      onPointerUp={(event) => {
        event.stopPropagation();
        if (drag.current) onWidth(column, widthAt(event), true);
        drag.current = null;
      }}
      onPointerCancel={() => {
        if (drag.current) onWidth(column, drag.current.width, true);
        drag.current = null;
      }}
      className="absolute inset-y-0 -right-1 z-1 w-2 cursor-col-resize touch-none hover:bg-accent/40"
    />
  );
}
