/**
 * From series to uPlot's options. The x axis counts buckets (0, 1, 2 …) instead of seconds: buckets are days and months
 * of the workspace's time zone, which are not equally long and not the browser's.
 */
import uPlot from 'uplot';
import { drawMarker, hatchFill } from './marks.ts';
import { type ChartSeries, isLone, type PlotKind, stacked } from './plot.series.ts';

export interface PlotInput {
  kind: PlotKind;
  /** What may be written under each bucket. */
  ticks: readonly string[];
  /** Only those that are shown. */
  series: readonly ChartSeries[];
  /** The same time span before, as one quiet line behind. */
  before?: readonly (number | null)[];
  format(value: number): string;
  /** Steps that the y axis may take. */
  steps: readonly number[];
  /** Lowest and highest value of the y axis. Without it, it begins at zero and fits. */
  range?: readonly [number, number];
  onCursor(index: number | null): void;
}

const styleOf = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
/** A canvas cannot use CSS variables. */
export const concrete = (color: string) => {
  const name = color.match(/^var\((--[\w-]+)\)$/)?.[1];
  return name ? styleOf(name) : color;
};

const countSteps = [1, 2, 5];
export const countIncrements = Array.from({ length: 10 }, (_, power) =>
  countSteps.map((step) => step * 10 ** power),
).flat();
export const secondIncrements = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400, 172_800,
  432_000, 864_000, 2_592_000,
];

const tickSteps = [1, 2, 3, 4, 6, 7, 10, 12, 14, 21, 28, 30, 60, 90, 120, 180, 365];

export function plotOptions(
  input: PlotInput,
  width: number,
  height: number,
): [uPlot.Options, uPlot.AlignedData] {
  const { kind, ticks, series, before, format, steps, range, onCursor } = input;
  const count = ticks.length;
  const font = `11px ${getComputedStyle(document.body).fontFamily}`;
  const [ground, line, faint] = ['--surface', '--line', '--faint'].map(styleOf) as [string, string, string];
  const colors = series.map((one) => concrete(one.look.color));
  const isStacked = kind !== 'lines';
  const sums = isStacked ? stacked(series) : series.map((one) => one.values as (number | null)[]);
  // The highest bar is drawn first and the lower ones over it; lines are drawn in their order.
  const order = series.map((_, at) => (kind === 'bars' ? series.length - 1 - at : at));
  const half = kind === 'bars' || count < 2 ? 0.5 : 0;
  const bars = uPlot.paths.bars?.({ size: [0.72, 36], gap: count < 60 ? 2 : 0 });

  const lines: uPlot.Series[] = order.map((at) => ({
    stroke: kind === 'bars' ? ground : colors[at]!,
    width: kind === 'bars' ? 1 : kind === 'areas' ? 1.5 : 2,
    dash: kind === 'bars' ? undefined : [...series[at]!.look.dash],
    paths: kind === 'bars' ? bars : undefined,
    fill:
      kind === 'bars'
        ? hatchFill(series[at]!.look.hatch, colors[at]!, ground, uPlot.pxRatio)
        : kind === 'areas' && at === 0
          ? `${colors[at]}38`
          : undefined,
    points: { show: false },
  }));
  const previous: uPlot.Series[] = before
    ? [
        {
          stroke: faint,
          width: 1.5,
          dash: [3, 4],
          points: {
            show: true,
            size: 5,
            width: 0,
            fill: faint,
            filter: () => before.flatMap((_, index) => (isLone(before, index) ? [index] : [])),
          },
        },
      ]
    : [];

  const options: uPlot.Options = {
    width,
    height,
    // The last label is centred on the edge, where there is no half a bucket beside it.
    padding: [10, half > 0 ? 8 : Math.max(8, Math.ceil(textWidth(ticks.at(-1) ?? '', font) / 2)), 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      drag: { x: false, y: false, setScale: false },
      points: { show: false },
      move: (u, left, top) => {
        // The line is on the bucket, not between two.
        if (left < 0) return [left, top];
        const index = Math.max(0, Math.min(count - 1, Math.round(u.posToVal(left, 'x'))));
        return [u.valToPos(index, 'x'), top];
      },
    },
    scales: {
      x: { time: false, range: () => [-half, Math.max(count - 1, 0) + half] },
      y: { range: (_u, _low, high) => rangeOf(range) ?? [0, high > 0 ? high * 1.08 : steps[0]!] },
    },
    series: [{}, ...lines, ...previous],
    bands:
      kind === 'areas'
        ? series.slice(1).map((_, at) => ({ series: [at + 2, at + 1], fill: `${colors[at + 1]}38` }))
        : undefined,
    axes: [
      {
        font,
        stroke: faint,
        size: 26,
        gap: 6,
        grid: { show: false },
        ticks: { show: false },
        border: { show: true, stroke: line, width: 1 },
        splits: (u) => tickPlaces(ticks, u.bbox.width / uPlot.pxRatio, font),
        values: (_u, places) => places.map((place) => ticks[place] ?? ''),
      },
      {
        font,
        stroke: faint,
        gap: 6,
        space: 34,
        incrs: [...steps],
        size: (_u, values) => Math.max(24, ...(values ?? []).map((text) => textWidth(text, font) + 12)),
        grid: { stroke: line, width: 1 },
        ticks: { show: false },
        values: (_u, places) => places.map((place) => format(place)),
      },
    ],
    hooks: {
      ready: [
        (u) => {
          // A canvas does not wait for the page's own font, and would keep the one it was drawn with.
          if (!document.fonts.check(font)) void document.fonts.load(font).then(() => u.redraw(false, true));
        },
      ],
      setCursor: [
        (u) => onCursor(u.cursor.left !== undefined && u.cursor.left >= 0 ? (u.cursor.idx ?? null) : null),
      ],
      draw: [(u) => kind !== 'bars' && drawMarkers(u, series, sums, colors, ground)],
    },
  };
  const buckets = Array.from({ length: count }, (_, index) => index);
  return [options, [buckets, ...order.map((at) => sums[at]!), ...(before ? [[...before]] : [])]];
}

/** With room for the markers of the lowest and the highest value. */
const rangeOf = (range: PlotInput['range']): [number, number] | null =>
  range ? [range[0] - 0.1, range[1] + 0.1] : null;

function drawMarkers(
  u: uPlot,
  series: readonly ChartSeries[],
  sums: readonly (readonly (number | null)[])[],
  colors: readonly string[],
  ground: string,
): void {
  const count = u.data[0].length;
  const every = Math.max(1, Math.ceil((count * 28) / Math.max(1, u.bbox.width / uPlot.pxRatio)));
  for (const [at, one] of series.entries()) {
    const values = sums[at] ?? [];
    const first = every > 1 ? (at * 2) % every : 0;
    for (let index = 0; index < count; index++) {
      const value = values[index];
      if (value === null || value === undefined) continue;
      if ((index < first || (index - first) % every !== 0) && !isLone(values, index)) continue;
      const x = u.valToPos(index, 'x', true);
      const y = u.valToPos(value, 'y', true);
      drawMarker(u.ctx, one.look.marker, x, y, 3 * uPlot.pxRatio, colors[at]!, ground);
    }
  }
}

let measuring: CanvasRenderingContext2D | null = null;
function textWidth(text: string, font: string): number {
  measuring ??= document.createElement('canvas').getContext('2d');
  if (!measuring) return text.length * 6;
  measuring.font = font;
  return measuring.measureText(text).width;
}

/** As many labels as have room, at even distances. */
function tickPlaces(ticks: readonly string[], width: number, font: string): number[] {
  const widest = Math.max(1, ...ticks.map((text) => textWidth(text, font)));
  const room = Math.max(1, Math.floor(width / (widest + 20)));
  const least = ticks.length / room;
  const step = tickSteps.find((one) => one >= least) ?? Math.ceil(least);
  return ticks.map((_, index) => index).filter((index) => index % step === 0);
}
