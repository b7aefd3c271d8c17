import type { ReactNode } from 'react';

export interface TipRow {
  id: string;
  mark?: ReactNode;
  label: string;
  text: string;
  /** Set apart from those above: a sum. */
  isSum?: boolean;
}

/** What a chart says at one place. Screen readers hear it from the chart itself. */
export function Tip({
  title,
  rows,
  at,
  width,
  top = 8,
}: {
  title: string;
  rows: readonly TipRow[];
  /** From the left of the chart, in pixels; the tip is where there is more room. */
  at: number;
  width: number;
  top?: number;
}) {
  return (
    <div
      aria-hidden
      data-chart-tip=""
      style={at > width / 2 ? { right: width - at + 10, top } : { left: at + 10, top }}
      className="pointer-events-none absolute z-20 max-w-72 min-w-36 rounded-control bg-raised px-2.5 py-2 text-sm shadow-float"
    >
      <p className="font-medium whitespace-nowrap">{title}</p>
      {rows.length > 0 && (
        <dl className="mt-1 flex flex-col gap-0.5">
          {rows.map((row) => (
            <div
              key={row.id}
              className={
                row.isSum
                  ? 'mt-0.5 flex gap-2 border-t border-line pt-1 font-medium'
                  : 'flex items-center gap-2'
              }
            >
              {row.mark}
              <dt className="min-w-0 flex-1 truncate font-normal text-muted">{row.label}</dt>
              <dd className="tabular whitespace-nowrap">{row.text}</dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}
