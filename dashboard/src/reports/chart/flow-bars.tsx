/** A bar for each status: as long as the cards that were there, divided by where they went. */
import { type KeyboardEvent, useId, useRef, useState } from 'react';
import { t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { Dot } from '../../ui/display/badge.tsx';
import { Swatch } from './legend.tsx';
import { hatchPaths, hatchStrength, hatchTile, hatchWidth } from './marks.ts';
import { hatches, type SeriesLook } from './series-look.ts';
import { Tip, type TipRow } from './tip.tsx';

export interface FlowPart {
  id: string;
  label: string;
  look: SeriesLook;
  count: number;
  text: string;
}
export interface FlowRow {
  id: string;
  label: string;
  color: string;
  /** At the end of the row. */
  text: string;
  total: number;
  parts: readonly FlowPart[];
  /** Below the parts in the tip. */
  more: readonly TipRow[];
}

/** Few statuses fill the height of a chart, many make it longer. */
const heightOf = (rows: number) => Math.max(28, Math.min(40, Math.floor(220 / Math.max(1, rows))));
const barHeight = 16;

export function FlowBars({
  label,
  rows,
  legend,
}: {
  label: string;
  rows: readonly FlowRow[];
  legend: readonly Pick<FlowPart, 'id' | 'label' | 'look'>[];
}) {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<number | null>(null);
  const rowHeight = heightOf(rows.length);
  const longest = Math.max(1, ...rows.map(({ total }) => total));
  const last = rows.length - 1;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowRight') setAt(Math.min(last, (at ?? -1) + 1));
    else if (event.key === 'ArrowUp' || event.key === 'ArrowLeft') setAt(Math.max(0, (at ?? 1) - 1));
    else if (event.key === 'Home') setAt(0);
    else if (event.key === 'End') setAt(last);
    else if (event.key === 'Escape' && at !== null) setAt(null);
    else return;
    event.preventDefault();
  };
  const pointed = at === null ? undefined : rows[at];
  const width = box.current?.clientWidth ?? 0;
  return (
    <div className="flex min-w-0 flex-1 flex-col gap-2">
      <svg aria-hidden="true" className="absolute size-0">
        <defs>
          {hatches.map((hatch) => (
            <pattern
              key={hatch}
              id={`${id}${hatch}`}
              width={hatchTile}
              height={hatchTile}
              patternUnits="userSpaceOnUse"
            >
              <path
                d={hatchPaths[hatch]}
                stroke="var(--surface)"
                strokeOpacity={hatchStrength}
                strokeWidth={hatchWidth(hatch)}
                strokeLinecap={hatch === 'dots' ? 'round' : 'butt'}
              />
            </pattern>
          ))}
        </defs>
      </svg>
      <div
        ref={box}
        role="slider"
        tabIndex={0}
        aria-orientation="vertical"
        aria-label={t('reports.chartOf', { name: label })}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, last)}
        aria-valuenow={at ?? 0}
        aria-valuetext={
          pointed
            ? [
                `${pointed.label}: ${pointed.text}`,
                ...pointed.parts.map((part) => `${part.label} ${part.text}`),
                ...pointed.more.map((row) => `${row.label} ${row.text}`),
              ].join(', ')
            : t('reports.chartHint')
        }
        onKeyDown={onKeyDown}
        onFocus={(event) => event.currentTarget.matches(':focus-visible') && setAt(0)}
        onBlur={() => setAt(null)}
        onPointerLeave={() => setAt(null)}
        className="relative rounded-control"
      >
        {rows.map((row, index) => (
          <div
            key={row.id}
            onPointerMove={() => setAt(index)}
            style={{ height: rowHeight }}
            className={cx(
              'grid grid-cols-[minmax(72px,22%)_1fr_48px] items-center gap-3 rounded-control px-1.5',
              index === at && 'bg-hover',
            )}
          >
            <span className="flex min-w-0 items-center gap-1.5 text-sm">
              <Dot color={row.color} />
              <span className="truncate">{row.label}</span>
            </span>
            <svg aria-hidden="true" width="100%" height={barHeight}>
              {spread(row.parts, longest).map(({ part, from, size }) => (
                <g key={part.id}>
                  <rect x={`${from}%`} width={`${size}%`} height={barHeight} fill={part.look.color} />
                  {part.look.hatch !== 'plain' && (
                    <rect
                      x={`${from}%`}
                      width={`${size}%`}
                      height={barHeight}
                      fill={`url(#${id}${part.look.hatch})`}
                    />
                  )}
                  <rect x={`${from + size}%`} width="1" height={barHeight} fill="var(--surface)" />
                </g>
              ))}
            </svg>
            <span className="tabular text-right text-sm text-muted">{row.text}</span>
          </div>
        ))}
        {at !== null && pointed && (
          <Tip
            title={pointed.label}
            rows={[
              ...pointed.parts.map((part) => ({
                id: part.id,
                mark: <Swatch kind="bars" look={part.look} />,
                label: part.label,
                text: part.text,
              })),
              ...pointed.more,
            ]}
            at={width * 0.42}
            width={width}
            top={(at + 1) * rowHeight + 4}
          />
        )}
      </div>
      <ul
        aria-label={t('reports.legend', { name: label })}
        className="mt-auto flex flex-wrap gap-x-1 gap-y-0.5"
      >
        {legend.map((one) => (
          <li key={one.id} className="flex h-6 items-center gap-1.5 px-1.5 text-sm text-muted">
            <Swatch kind="bars" look={one.look} />
            {one.label}
          </li>
        ))}
      </ul>
    </div>
  );
}

function spread(parts: readonly FlowPart[], longest: number) {
  let from = 0;
  return parts.map((part) => {
    const size = (part.count / longest) * 100;
    const place = { part, from, size };
    from += size;
    return place;
  });
}
