import { useVirtualizer } from '@tanstack/react-virtual';
import { AlertCircle } from 'lucide-react';
import { useRef } from 'react';
import type { ImportColumn, ImportPreviewCell, ImportPreviewRow } from '../../../contract/crm/imports.ts';
import type { Kanban } from '../../../contract/crm/kanbans.ts';
import { usePersonOf } from '../data/queries.ts';
import { FieldValue, isEmptyValue } from '../fields/field-value.tsx';
import { number } from '../texts/format.ts';
import { t } from '../texts/texts.ts';
import { cx } from '../ui/class-names.ts';
import { Badge, Dot } from '../ui/display/badge.tsx';
import type { Hue } from '../ui/hues.ts';
import { sayReason } from './import-reasons.ts';
import type { StepProps } from './import-steps.tsx';
import { targetName } from './mapping-row.tsx';

const hues: { [outcome in ImportPreviewRow['outcome']]: Hue | undefined } = {
  create: 'green',
  update: 'blue',
  skip: undefined,
  fail: 'red',
};
const widths = { row: 56, outcome: 130, cell: 190 };

/** Only the columns that become something, and only the rows that are seen. */
export function PreviewTable({ board, current, rows }: StepProps & { rows: readonly ImportPreviewRow[] }) {
  const scroller = useRef<HTMLElement>(null);
  const columns = current.columns.filter(({ target }) => target !== null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 33,
    overscan: 8,
    useFlushSync: false,
    initialRect: { width: 800, height: 600 },
  });
  const shown = virtual.getVirtualItems();
  const above = shown[0]?.start ?? 0;
  const below = virtual.getTotalSize() - (shown.at(-1)?.end ?? 0);
  const head = 'sticky top-0 z-10 border-b border-line bg-sunken px-2.5 py-1.5 text-left font-medium';
  return (
    <section
      ref={scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label={t('import.preview.label')}
      className="mb-4 min-h-64 flex-1 overflow-auto rounded-panel border border-line focus-visible:-outline-offset-2"
    >
      <table
        aria-rowcount={rows.length + 1}
        style={{ minWidth: widths.row + widths.outcome + columns.length * widths.cell }}
        className="w-full table-fixed border-separate border-spacing-0"
      >
        <colgroup>
          <col style={{ width: widths.row }} />
          <col style={{ width: widths.outcome }} />
          {columns.map(({ index }) => (
            <col key={index} />
          ))}
        </colgroup>
        <thead>
          <tr>
            <th scope="col" className={cx(head, 'text-right')}>
              {t('import.preview.row')}
            </th>
            <th scope="col" className={head}>
              {t('import.preview.outcome')}
            </th>
            {columns.map((column) => (
              <th key={column.index} scope="col" className={head}>
                <span className="block truncate" title={targetName(board, column.target)}>
                  {targetName(board, column.target)}
                </span>
                <span className="block truncate text-sm font-normal text-muted" title={column.name}>
                  {column.name}
                </span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {above > 0 && <Gap height={above} span={columns.length + 2} />}
          {shown.map(({ index }) => (
            <Row
              key={rows[index]!.row}
              ref={virtual.measureElement}
              index={index}
              row={rows[index]!}
              board={board}
              columns={columns}
            />
          ))}
          {below > 0 && <Gap height={below} span={columns.length + 2} />}
        </tbody>
      </table>
    </section>
  );
}

const Gap = ({ height, span }: { height: number; span: number }) => (
  <tr aria-hidden>
    <td colSpan={span} style={{ height, padding: 0 }} />
  </tr>
);

function Row({
  ref,
  index,
  row,
  board,
  columns,
}: {
  ref: (element: HTMLTableRowElement | null) => void;
  index: number;
  row: ImportPreviewRow;
  board: Kanban;
  columns: readonly ImportColumn[];
}) {
  const look = 'border-b border-line px-2.5 py-1.5 align-top';
  return (
    <tr ref={ref} data-index={index} aria-rowindex={index + 2} data-outcome={row.outcome}>
      <th scope="row" className={cx(look, 'tabular text-right font-normal text-faint')}>
        {number(row.row)}
      </th>
      <td className={look}>
        <Badge hue={hues[row.outcome]}>{t(`import.outcome.${row.outcome}`)}</Badge>
        {row.error && (
          <p className="mt-0.5 text-sm break-words text-danger">{sayReason(row.reason, row.error)}</p>
        )}
      </td>
      {columns.map((column) => {
        const cell = row.cells.find((one) => one.column === column.index);
        return (
          <td
            key={column.index}
            className={cx(look, cell?.error && 'bg-danger-soft shadow-[inset_2px_0_0_var(--danger)]')}
          >
            {cell && <Cell cell={cell} board={board} target={column.target!} />}
          </td>
        );
      })}
    </tr>
  );
}

function Cell({ cell, board, target }: { cell: ImportPreviewCell; board: Kanban; target: string }) {
  if (cell.error) {
    return (
      <>
        <span className="block truncate" title={cell.text}>
          {cell.text || <span className="text-muted">{t('import.preview.empty')}</span>}
        </span>
        <span className="flex items-start gap-1 text-sm break-words text-danger">
          <AlertCircle aria-hidden className="mt-px size-3.5 shrink-0" />
          {sayReason(cell.reason, cell.error)}
        </span>
      </>
    );
  }
  if (isEmptyValue(cell.value)) return <span className="text-faint">–</span>;
  return (
    <span className="flex min-w-0 items-center truncate" title={cell.text}>
      <Value value={cell.value} board={board} target={target} />
    </span>
  );
}

function Value({ value, board, target }: { value: unknown; board: Kanban; target: string }) {
  const personOf = usePersonOf();
  if (target === 'status') {
    const status = board.statuses.find((one) => one.value === value);
    return (
      <span className="flex items-center gap-1.5">
        {status && <Dot color={status.color} />}
        {status?.label ?? String(value)}
      </span>
    );
  }
  if (target === 'assignedUserIds') {
    const ids = Array.isArray(value) ? value.map(String) : [String(value)];
    return <span className="truncate">{ids.map((id) => personOf(id)?.name ?? id).join(', ')}</span>;
  }
  const field = board.fields.find(({ id }) => id === target);
  return field ? (
    <FieldValue field={field} value={value} />
  ) : (
    <span className="truncate">{String(value)}</span>
  );
}
