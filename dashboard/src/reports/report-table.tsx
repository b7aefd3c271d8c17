import type { ReactNode } from 'react';
import { t } from '../texts/texts.ts';
import { cx } from '../ui/class-names.ts';

export interface TableData {
  /** Over the names of the rows. */
  head: string;
  columns: readonly string[];
  rows: readonly { id: string; name: string; cells: readonly ReactNode[] }[];
  /** The sum, below. */
  foot?: { name: string; cells: readonly ReactNode[] };
}

/** The numbers of a report to read; scrolls within its place. */
export function ReportTable({
  label,
  table,
  className = 'h-full',
}: {
  label: string;
  table: TableData;
  className?: string;
}) {
  const { head, columns, rows, foot } = table;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <section aria-label={label} tabIndex={0} className={cx('overflow-auto rounded-control', className)}>
      <table className="tabular w-full border-separate border-spacing-0 text-sm">
        <caption className="sr-only">{label}</caption>
        <thead>
          <tr>
            {[head, ...columns].map((column, at) => (
              <th
                key={column}
                scope="col"
                className={cx(
                  'sticky top-0 z-10 border-b border-line bg-surface px-2 py-1.5 font-medium whitespace-nowrap text-muted',
                  at === 0 ? 'left-0 z-20 pl-0 text-left' : 'text-right',
                )}
              >
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <th
                scope="row"
                className="sticky left-0 max-w-56 max-sm:max-w-32 truncate border-b border-line bg-surface py-1.5 pr-2 text-left font-normal whitespace-nowrap"
                title={row.name}
              >
                {row.name}
              </th>
              {row.cells.map((cell, at) => (
                <td
                  key={columns[at]}
                  className="border-b border-line px-2 py-1.5 text-right whitespace-nowrap"
                >
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
        {foot && (
          <tfoot>
            <tr>
              <th
                scope="row"
                className="sticky bottom-0 left-0 z-10 border-t border-line-strong bg-surface py-1.5 pr-2 text-left font-semibold"
              >
                {foot.name}
              </th>
              {foot.cells.map((cell, at) => (
                <td
                  key={columns[at]}
                  className="sticky bottom-0 border-t border-line-strong bg-surface px-2 py-1.5 text-right font-semibold whitespace-nowrap"
                >
                  {cell}
                </td>
              ))}
            </tr>
          </tfoot>
        )}
      </table>
    </section>
  );
}

interface Bucket {
  from: number;
  to: number;
}

/** A row for each bucket of time, and the sum. */
export function TimeTable<Figures>({
  label,
  columns,
  buckets,
  titles,
  cells,
  total,
}: {
  label: string;
  columns: readonly string[];
  buckets: readonly (Figures & Bucket)[];
  titles: readonly string[];
  /** `title` is that of the row. */
  cells(figures: Figures, title: string, bucket?: Bucket): readonly ReactNode[];
  total: Figures;
}) {
  const rows = buckets.map((bucket, at) => ({
    id: String(bucket.from),
    name: titles[at] ?? '',
    cells: cells(bucket, titles[at] ?? '', bucket),
  }));
  const foot = { name: t('reports.total'), cells: cells(total, t('reports.total')) };
  return <ReportTable label={label} table={{ head: t('reports.time'), columns, rows, foot }} />;
}
