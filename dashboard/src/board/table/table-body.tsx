// biome-ignore-all lint/a11y/useSemanticElements: elements of a table cannot be placed freely
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus
/** The rows in view. */
import type { Kanban } from '../../../../contract/crm/kanbans.ts';
import type { Card } from '../../../../contract/dashboard.ts';
import type { Person } from './cell-view.tsx';
import type { EditedCell, Place, Range, Step } from './grid-state.ts';
import { GroupRow } from './group-row.tsx';
import type { RowMap } from './row-map.ts';
import type { TableColumn } from './table-look.ts';
import { SkeletonRow, TableRow } from './table-row.tsx';
import type { TableGroup } from './use-table-rows.ts';
import { type RowWindow, rowHeight, useDrawn } from './use-window.ts';

export interface TableBodyProps {
  board: Kanban;
  columns: readonly TableColumn[];
  groupBy: string | null;
  groups: readonly TableGroup[];
  folded: ReadonlySet<string>;
  map: RowMap;
  seen: RowWindow;
  /** At least as many as rows in view. It stays the same while scrolling. */
  slots: number;
  cardAt(index: number): Card | undefined;
  active: Place;
  range: Range;
  editing: EditedCell | null;
  openId: string | null;
  personOf(id: string): Person | null;
  onCommit(card: Card, column: TableColumn, value: unknown): void;
  onClose(step: Step | null): void;
}

export function TableBody(props: TableBodyProps) {
  const { board, columns, groupBy, groups, folded, map, seen, active, range, openId } = props;
  const indexes = Array.from({ length: Math.max(0, seen.end - seen.first) }, (_, at) => seen.first + at);
  // The active row stays in the document, so that screen readers and an open editor keep it.
  if (active.index >= 0 && active.index < map.length && !indexes.includes(active.index)) {
    indexes.push(active.index);
  }
  const drawn = useDrawn(seen, (index) => props.cardAt(index) !== undefined);
  const isInRange = (index: number) =>
    index >= range.top && index <= range.bottom && (range.top !== range.bottom || range.left !== range.right);
  return (
    <div
      role="rowgroup"
      className="relative shrink-0"
      style={{ height: map.length * rowHeight, width: 'var(--table-width)', minWidth: '100%' }}
    >
      {indexes.map((index) => {
        const place = map.at(index);
        const group = place && groups[place.group];
        const isActive = index === active.index;
        if (place?.kind === 'group' && group && groupBy !== null) {
          return (
            <GroupRow
              key={`group ${group.value}`}
              board={board}
              groupBy={groupBy}
              group={group}
              index={index}
              columns={columns}
              isFolded={folded.has(group.value ?? '')}
              isActive={isActive}
              personOf={props.personOf}
            />
          );
        }
        // A row that leaves the view is used again for one that enters it: cheaper than a new one.
        const slot = isActive ? 'active' : index % props.slots;
        const card = props.cardAt(index);
        if (!card || !(isActive || drawn.has(index))) return <SkeletonRow key={slot} index={index} />;
        return (
          <TableRow
            key={slot}
            board={board}
            card={card}
            index={index}
            columns={columns}
            activeColumn={isActive ? active.column : -1}
            rangeFrom={isInRange(index) ? range.left : -1}
            rangeTo={isInRange(index) ? range.right : -1}
            editing={isActive ? props.editing : null}
            isOpen={card.recordId === openId}
            personOf={props.personOf}
            onCommit={props.onCommit}
            onClose={props.onClose}
          />
        );
      })}
    </div>
  );
}
