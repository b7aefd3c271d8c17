// biome-ignore-all lint/a11y/useSemanticElements: elements of a table cannot be placed freely
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus
/** The header of a group with its count and totals, and the footer with those of the whole table. */
import { ChevronDown, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Kanban } from '../../../../contract/crm/kanbans.ts';
import { FieldValue, valueText } from '../../fields/field-value.tsx';
import { number } from '../../texts/format.ts';
import { t, tn } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { Count } from '../../ui/display/badge.tsx';
import { People, type Person, StatusName } from './cell-view.tsx';
import { isSummed, type TableColumn } from './table-look.ts';
import { cellId, rowClass, rowStyle } from './table-row.tsx';
import type { TableGroup } from './use-table-rows.ts';
import { rowHeight } from './use-window.ts';

type Totals = Pick<TableGroup, 'count' | 'totals'>;

export interface GroupRowProps {
  board: Kanban;
  groupBy: string;
  group: TableGroup;
  index: number;
  columns: readonly TableColumn[];
  isFolded: boolean;
  isActive: boolean;
  personOf(id: string): Person | null;
}

export function GroupRow(props: GroupRowProps) {
  const { group, index, columns, isFolded, isActive } = props;
  const Chevron = isFolded ? ChevronRight : ChevronDown;
  return (
    <div role="row" aria-rowindex={index + 2} data-row={index} className={rowClass} style={rowStyle(index)}>
      <div
        role="gridcell"
        id={cellId(index, 0)}
        aria-colindex={1}
        aria-colspan={2}
        className={cx(
          'sticky left-0 z-2 col-span-2 flex min-w-0 items-center border-r border-line bg-sunken pr-2',
          isActive && 'outline-2 -outline-offset-2 outline-accent',
        )}
      >
        <button
          type="button"
          tabIndex={-1}
          data-fold=""
          aria-expanded={!isFolded}
          className="flex h-full min-w-0 flex-1 items-center gap-2 pl-2.5 text-left font-medium"
        >
          <Chevron aria-hidden className="size-4 shrink-0 text-muted" />
          <span className="flex min-w-0 items-center truncate">
            <GroupName {...props} />
          </span>
          <Count>{number(group.count)}</Count>
        </button>
      </div>
      <TotalCells columns={columns} totals={group} className="bg-sunken" />
    </div>
  );
}

function GroupName({ board, groupBy, group: { value }, personOf }: GroupRowProps): ReactNode {
  if (value === null) {
    return (
      <span className="text-muted">
        {groupBy === 'assignedUserIds' ? t('table.nobody') : t('table.noValue')}
      </span>
    );
  }
  if (groupBy === 'status') return <StatusName board={board} value={value} />;
  if (groupBy === 'assignedUserIds') {
    return <People people={[personOf(value) ?? { id: value, name: t('board.someone') }]} />;
  }
  const field = board.fields.find(({ id }) => id === groupBy);
  if (!field) return value;
  return <FieldValue field={field} value={field.type === 'boolean' ? value === 'true' : value} />;
}

/** From the second column on. */
function TotalCells({
  columns,
  totals,
  className,
}: {
  columns: readonly TableColumn[];
  totals: Totals | undefined;
  className: string;
}) {
  return (
    <>
      {columns.slice(1).map((column, at) => (
        <div
          key={column.id}
          role="gridcell"
          aria-colindex={at + 3}
          data-total={column.id}
          className={cx(
            'tabular flex min-w-0 items-center justify-end truncate border-r border-line px-2 text-muted',
            className,
          )}
        >
          {isSummed(column) && totals && valueText(column.field!, totals.totals[column.id] ?? 0)}
        </div>
      ))}
      <div className={className} />
    </>
  );
}

/** Below the rows, always in view. */
export function TableFooter({
  columns,
  totals,
  rowIndex,
}: {
  columns: readonly TableColumn[];
  totals: Totals | undefined;
  rowIndex: number;
}) {
  return (
    <div role="rowgroup" className="sticky bottom-0 z-3">
      <div
        role="row"
        aria-rowindex={rowIndex}
        className="grid min-w-full border-t border-line"
        style={{
          height: rowHeight,
          gridTemplateColumns: 'var(--table-columns)',
          width: 'var(--table-width)',
        }}
      >
        <div
          role="gridcell"
          aria-colindex={1}
          aria-colspan={2}
          className="tabular sticky left-0 z-2 col-span-2 flex items-center border-r border-line bg-canvas pl-3 text-muted"
        >
          {totals && tn('board.cards', totals.count)}
        </div>
        <TotalCells columns={columns} totals={totals} className="bg-canvas" />
      </div>
    </div>
  );
}
