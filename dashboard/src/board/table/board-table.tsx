// biome-ignore-all lint/a11y/useSemanticElements: elements of a table cannot be placed freely
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid has the focus
/** The cards of a board as a table: rows by position, edited in place, in groups with totals. */
import { type CSSProperties, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useShortcut } from '../../app/shortcuts.tsx';
import { usePersonOf, useUsers } from '../../data/queries.ts';
import { useMay } from '../../data/session.ts';
import { t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { ErrorState } from '../../ui/display/states.tsx';
import { QuickAdd } from '../columns/quick-add.tsx';
import type { LayoutProps } from '../data/layout-props.ts';
import { useCanSelect } from '../data/selection.ts';
import { rangeOf } from './grid-state.ts';
import { TableFooter } from './group-row.tsx';
import { TableBody } from './table-body.tsx';
import { TableHeader } from './table-header.tsx';
import { columnsOf, isSummed, type TableColumn, tableLook } from './table-look.ts';
import { cellId } from './table-row.tsx';
import { useGrid } from './use-grid.ts';
import { useTableGroups, useTableRows } from './use-table-rows.ts';
import { rowHeight, useWindow } from './use-window.ts';

const nothing: never[] = [];

export default function BoardTable(props: LayoutProps) {
  const { board, filters, look, openId, addingTo, onAddingTo } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const table = useMemo(() => tableLook(board, look), [board, look]);
  const columns = useMemo(() => columnsOf(board, table), [board, table]);
  const sums = useMemo(() => columns.filter(isSummed).map(({ id }) => id), [columns]);
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const users = useUsers();
  const personOf = usePersonOf();
  const { summary, map } = useTableGroups(board, filters, table.group, sums, folded);
  const groups = summary.data?.groups ?? nothing;
  const [seen, rowsSeen, slots] = useWindow(scroller, map.length);
  const { cardAt, error, retry } = useTableRows(board, filters, table.group, groups, map, seen);
  const onFold = (at: number) => {
    const value = groups[at]?.value ?? '';
    const next = new Set(folded);
    if (!next.delete(value)) next.add(value);
    setFolded(next);
  };
  const grid = useGrid({ ...props, scroller, table, columns, map, users, cardAt, seen: rowsSeen, onFold });
  const { state, actions } = grid;
  const { active } = state;
  const latest = useRef(grid);
  latest.current = grid;
  /** Stable, so that rows are not rendered again. */
  const onCommit = useCallback<typeof grid.commit>((...args) => latest.current.commit(...args), []);
  const onClose = useCallback<typeof grid.close>((...args) => latest.current.close(...args), []);
  useTableKeys(props);
  const arrangement = JSON.stringify([filters, table.group]);
  const shown = useRef(arrangement);
  useEffect(() => {
    if (shown.current === arrangement) return;
    shown.current = arrangement;
    // Another order or filter begins at the top.
    latest.current.toTop();
  }, [arrangement]);
  const problem = summary.error ?? error;
  return (
    <div className="flex min-h-0 flex-1 flex-col bg-surface">
      {addingTo !== null && (
        <div className="flex shrink-0 flex-col border-b border-line px-3 pt-2">
          <QuickAdd kanbanId={board.id} status={addingTo} onClose={() => onAddingTo(null)} />
        </div>
      )}
      {Boolean(problem) && (
        <ErrorState error={problem} onRetry={() => (summary.error ? void summary.refetch() : retry())} />
      )}
      <div
        ref={scroller}
        role="grid"
        aria-label={t('table.label', { board: board.name })}
        aria-rowcount={map.length + 2}
        aria-colcount={columns.length + 1}
        aria-multiselectable
        aria-busy={summary.isPending}
        aria-activedescendant={cellId(
          active.index,
          map.at(active.index)?.kind === 'group' ? 0 : active.column,
        )}
        tabIndex={0}
        data-quiet-focus=""
        {...grid.handlers}
        hidden={Boolean(problem)}
        className={cx(
          'relative flex min-h-0 flex-1 flex-col overflow-auto overscroll-contain outline-none select-none',
          // With a card open, the last column can still be scrolled out from under its panel.
          openId === null ? '[--table-end:0px]' : '[--table-end:552px] max-md:[--table-end:0px]',
        )}
        style={sizesOf(columns)}
      >
        <TableHeader
          board={board}
          columns={columns}
          sort={filters.sort}
          activeColumn={active.index < 0 ? active.column : -1}
          onSort={actions.sort}
          onMove={(from, to) => actions.moveColumn(from, to - from)}
          onWidth={(column, width, isDone) => {
            if (isDone) return actions.setWidth(column, width);
            const shown = columns.map((one) => (one.id === column.id ? { ...one, width } : one));
            for (const [name, size] of Object.entries(sizesOf(shown))) {
              scroller.current?.style.setProperty(name, String(size));
            }
          }}
        />
        <TableBody
          board={board}
          columns={columns}
          groupBy={table.group}
          groups={groups}
          folded={folded}
          map={map}
          seen={summary.isPending ? { first: 0, end: 12 } : seen}
          slots={slots}
          cardAt={cardAt}
          active={active}
          range={rangeOf(state)}
          editing={state.editing}
          openId={openId}
          personOf={personOf}
          onCommit={onCommit}
          onClose={onClose}
        />
        <span className="flex-1" />
        <TableFooter columns={columns} totals={summary.data} rowIndex={map.length + 2} />
      </div>
    </div>
  );
}

/** On a phone the title leaves room for the other columns. */
const sizesOf = (columns: readonly TableColumn[]) => {
  const rest = columns.slice(1).reduce((sum, { width }) => sum + width, rowHeight);
  return {
    '--table-columns': [
      `${rowHeight}px`,
      ...columns.map(({ width }, at) => (at === 0 ? `min(${width}px, 44vw)` : `${width}px`)),
      'minmax(var(--table-end), 1fr)',
    ].join(' '),
    '--table-width': `calc(${rest}px + var(--table-end) + min(${columns[0]!.width}px, 44vw))`,
  } as CSSProperties;
};

function useTableKeys({ board, onAddingTo }: LayoutProps): void {
  const mayEdit = useMay('records.edit');
  const canSelect = useCanSelect();
  useShortcut('c', () => onAddingTo(board.statuses[0]?.value ?? null), {
    label: t('board.keys.add'),
    group: 'board',
    enabled: mayEdit,
  });
  useListed('enter', t('table.keys.edit'), mayEdit);
  useListed('mod+enter', t('board.keys.open'));
  useListed('shift+space', t('board.keys.select'), canSelect);
  useListed('shift+arrowdown', t('table.keys.extend'));
  useListed('mod+c', t('table.keys.copy'));
  useListed('mod+v', t('table.keys.paste'), mayEdit);
  useListed('delete', t('table.keys.empty'), mayEdit);
}

/** Handled where the table has the focus. */
const useListed = (keys: string, label: string, enabled = true) =>
  useShortcut(keys, () => {}, { label, group: 'board', isListedOnly: true, enabled });
