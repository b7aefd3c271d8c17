/** A chart over time buckets. The legend hides series; the tooltip follows the pointer and the arrow keys. */
import 'uplot/dist/uPlot.min.css';
import './chart.css';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import uPlot from 'uplot';
import { useIsDark } from '../../app/theme.ts';
import { language, t } from '../../texts/texts.ts';
import { BeforeSwatch, Legend, Swatch } from './legend.tsx';
import { type ChartSeries, drawnAs, type PlotKind, worthDrawing } from './plot.series.ts';
import { countIncrements, plotOptions } from './plot.ts';
import { Tip, type TipRow } from './tip.tsx';

export interface ChartProps {
  label: string;
  kind: PlotKind;
  series: readonly ChartSeries[];
  /** Short, for the axis; and whole, for the tip. One for each bucket. */
  ticks: readonly string[];
  titles: readonly string[];
  format(value: number): string;
  /** Shorter, for the axis. */
  formatAxis?(value: number): string;
  steps?: readonly number[];
  range?: readonly [number, number];
  before?: readonly (number | null)[];
  beforeLabel?: string;
  /** The tip ends with the sum. */
  total?: boolean;
  height?: number;
}

const none: ReadonlySet<string> = new Set();

export function Chart({
  label,
  kind: wanted,
  series: given,
  ticks,
  titles,
  format,
  formatAxis = format,
  steps = countIncrements,
  range,
  before,
  beforeLabel,
  total,
  height = 220,
}: ChartProps) {
  const kind = drawnAs(wanted, ticks.length);
  const series = useMemo(() => worthDrawing(kind, given), [kind, given]);
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const isDark = useIsDark();
  const [chosen, setHidden] = useState<ReadonlySet<string>>(none);
  // If all series are hidden, all are shown: an empty chart would look like an empty period.
  const hidden = series.every((one) => chosen.has(one.id)) ? none : chosen;
  const [at, setAt] = useState<number | null>(null);
  const [left, setLeft] = useState(0);
  const shown = useMemo(() => series.filter((one) => !hidden.has(one.id)), [series, hidden]);
  const formats = useRef(formatAxis);
  formats.current = formatAxis;
  const spoken = language();

  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of theme or language is drawn anew
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const onCursor = (index: number | null) => {
      setAt(index);
      if (index !== null && plot.current)
        setLeft(plot.current.valToPos(index, 'x') + plot.current.over.offsetLeft);
    };
    const input = { kind, ticks, series: shown, before, steps, range, onCursor };
    const [options, data] = plotOptions(
      { ...input, format: (value) => formats.current(value) },
      element.clientWidth,
      height,
    );
    plot.current = new uPlot(options, data, element);
    const observer = new ResizeObserver(() => {
      if (plot.current && plot.current.width !== element.clientWidth && element.clientWidth > 0)
        plot.current.setSize({ width: element.clientWidth, height });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.current?.destroy();
      plot.current = null;
    };
  }, [kind, ticks, shown, before, steps, range, height, isDark, spoken]);

  const toggle = (id: string) =>
    setHidden((now) => {
      const next = new Set(now);
      if (!next.delete(id)) next.add(id);
      return series.every((one) => next.has(one.id)) ? none : next;
    });
  const point = (index: number | null) => {
    const u = plot.current;
    if (!u) return;
    if (index === null) u.setCursor({ left: -10, top: -10 });
    else u.setCursor({ left: u.valToPos(index, 'x'), top: 8 });
  };
  const last = ticks.length - 1;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowRight' || event.key === 'ArrowUp')
      point(at === null ? 0 : Math.min(last, at + 1));
    else if (event.key === 'ArrowLeft' || event.key === 'ArrowDown')
      point(at === null ? last : Math.max(0, at - 1));
    else if (event.key === 'Home') point(0);
    else if (event.key === 'End') point(last);
    else if (event.key === 'Escape' && at !== null) point(null);
    else return;
    event.preventDefault();
  };
  const rows = shown.map((one) => ({ series: one, value: at === null ? null : (one.values[at] ?? null) }));
  const says = (value: number | null) => (value === null ? t('reports.noValue') : format(value));

  const tipRows = (index: number): TipRow[] => [
    ...rows.map(({ series: one, value }) => ({
      id: one.id,
      mark: <Swatch kind={kind} look={one.look} />,
      label: one.label,
      text: says(value),
    })),
    ...(total && rows.length > 1
      ? [
          {
            id: ' total',
            label: t('reports.total'),
            text: format(rows.reduce((sum, { value }) => sum + (value ?? 0), 0)),
            isSum: true,
          },
        ]
      : []),
    ...(before && beforeLabel
      ? [{ id: ' before', mark: <BeforeSwatch />, label: beforeLabel, text: says(before[index] ?? null) }]
      : []),
  ];

  return (
    <div className="flex min-w-0 flex-col gap-2">
      {/* A slider, because screen readers announce its value at each arrow key. */}
      <div
        role="slider"
        tabIndex={0}
        aria-label={t('reports.chartOf', { name: label })}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, last)}
        aria-valuenow={at ?? 0}
        aria-valuetext={
          at === null
            ? t('reports.chartHint')
            : [titles[at], ...rows.map(({ series: one, value }) => `${one.label}: ${says(value)}`)].join(', ')
        }
        onKeyDown={onKeyDown}
        onFocus={(event) => event.currentTarget.matches(':focus-visible') && at === null && point(last)}
        onBlur={() => point(null)}
        className="relative rounded-control"
        style={{ height }}
      >
        <div ref={place} className="chart h-full w-full" />
        {at !== null && (
          <Tip
            at={left}
            width={place.current?.clientWidth ?? 0}
            title={titles[at] ?? ''}
            rows={tipRows(at)}
          />
        )}
      </div>
      <Legend
        kind={kind}
        series={series}
        hidden={hidden}
        onToggle={toggle}
        beforeLabel={before && beforeLabel}
        label={label}
      />
    </div>
  );
}
