/** The hours of a week in one hue: darker means more. */
import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react';
import { t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { Tip } from './tip.tsx';

export interface HeatMapProps {
  label: string;
  /** Each with a value for every column. */
  rows: readonly { id: string; label: string; values: readonly number[] }[];
  columns: readonly string[];
  titleOf(row: number, column: number): string;
  textsOf(row: number, column: number): readonly string[];
  /** What the darkest means. */
  maxText: string;
}

const shades = [0, 0.25, 0.5, 0.75, 1];
const shade = (part: number) =>
  part === 0
    ? 'var(--sunken)'
    : `color-mix(in oklab, var(--heat) ${Math.round(14 + part * 86)}%, var(--surface))`;

export function HeatMap({ label, rows, columns, titleOf, textsOf, maxText }: HeatMapProps) {
  const grid = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<[row: number, column: number] | null>(null);
  const most = Math.max(1, ...rows.flatMap(({ values }) => values));
  const move = (row: number, column: number) =>
    setAt([Math.max(0, Math.min(rows.length - 1, row)), Math.max(0, Math.min(columns.length - 1, column))]);
  const onKeyDown = (event: KeyboardEvent) => {
    const [row, column] = at ?? [0, -1];
    if (event.key === 'ArrowRight') move(row, column + 1);
    else if (event.key === 'ArrowLeft') move(row, column - 1);
    else if (event.key === 'ArrowDown') move(row + 1, column);
    else if (event.key === 'ArrowUp') move(row - 1, column);
    else if (event.key === 'Home') move(row, 0);
    else if (event.key === 'End') move(row, columns.length - 1);
    else if (event.key === 'Escape' && at) setAt(null);
    else return;
    event.preventDefault();
  };
  const onPointerMove = ({ target }: PointerEvent) => {
    const cell = target instanceof HTMLElement ? target.dataset.cell : undefined;
    if (cell !== undefined) move(Math.floor(Number(cell) / columns.length), Number(cell) % columns.length);
  };
  const width = grid.current?.clientWidth ?? 0;
  const pointed =
    at && grid.current?.querySelector<HTMLElement>(`[data-cell="${at[0] * columns.length + at[1]}"]`);
  return (
    <div className="flex min-w-0 flex-1 flex-col gap-2">
      <div
        ref={grid}
        role="slider"
        tabIndex={0}
        aria-label={t('reports.chartOf', { name: label })}
        aria-valuemin={0}
        aria-valuemax={rows.length * columns.length - 1}
        aria-valuenow={at ? at[0] * columns.length + at[1] : 0}
        aria-valuetext={at ? [titleOf(...at), ...textsOf(...at)].join(', ') : t('reports.chartHint')}
        onKeyDown={onKeyDown}
        onFocus={(event) => event.currentTarget.matches(':focus-visible') && !at && setAt([0, 0])}
        onBlur={() => setAt(null)}
        onPointerMove={onPointerMove}
        onPointerLeave={() => setAt(null)}
        style={{ gridTemplateColumns: `auto repeat(${columns.length}, minmax(0, 1fr))` }}
        className="relative grid flex-1 gap-px rounded-control [grid-template-rows:repeat(7,minmax(24px,1fr))_20px]"
      >
        {rows.map((row, y) => [
          <span key={row.id} className="flex items-center pr-2 text-xs text-faint">
            {row.label}
          </span>,
          ...row.values.map((value, x) => (
            <span
              key={`${row.id} ${columns[x]}`}
              data-cell={y * columns.length + x}
              style={{ background: shade(value / most) }}
              className={cx('rounded-[2px]', at?.[0] === y && at[1] === x && 'z-10 outline-2 outline-ink')}
            />
          )),
        ])}
        <span />
        {columns.map((column, x) => (
          <span key={column} className="relative text-xs whitespace-nowrap text-faint">
            {x % 3 === 0 && (
              <span className={cx('absolute top-1 left-0', x % 6 !== 0 && 'max-sm:hidden')}>{column}</span>
            )}
          </span>
        ))}
        {at && pointed && (
          <Tip
            title={titleOf(...at)}
            rows={textsOf(...at).map((text) => ({ id: text, label: text, text: '' }))}
            at={pointed.offsetLeft + pointed.offsetWidth / 2}
            width={width}
            top={Math.min(pointed.offsetTop + pointed.offsetHeight, 140)}
          />
        )}
      </div>
      <div aria-hidden className="flex h-6 items-center gap-1.5 px-1.5 text-sm text-muted">
        0
        {shades.map((part) => (
          <span key={part} style={{ background: shade(part) }} className="size-3 rounded-[2px]" />
        ))}
        {maxText}
      </div>
    </div>
  );
}
