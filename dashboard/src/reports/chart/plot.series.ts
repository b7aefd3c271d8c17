/** What of the series is drawn, and where; without the library that draws it. */
import type { SeriesLook } from './series-look.ts';

export type PlotKind = 'lines' | 'areas' | 'bars';

export interface ChartSeries {
  id: string;
  label: string;
  look: SeriesLook;
  values: readonly (number | null)[];
}

/** Each series on top of those before it; where nothing is known, nothing is added. */
export function stacked(series: readonly ChartSeries[]): number[][] {
  const sums: number[][] = [];
  for (const [at, one] of series.entries()) {
    const below = sums[at - 1];
    sums.push(one.values.map((value, index) => (below?.[index] ?? 0) + (value ?? 0)));
  }
  return sums;
}

/** An area needs two points to have a width. */
export const drawnAs = (kind: PlotKind, buckets: number): PlotKind =>
  kind === 'areas' && buckets < 2 ? 'bars' : kind;

/**
 * Stacked, a series of zeros would be a line on top of another one's and read as its value. The table has it all the
 * same; where all are zero none misleads.
 */
export function worthDrawing(kind: PlotKind, series: readonly ChartSeries[]): readonly ChartSeries[] {
  if (kind === 'lines') return series;
  const some = series.filter(({ values }) => values.some((value) => value));
  return some.length > 0 ? some : series;
}

/** Between nothing and nothing there is no line to draw, so the point itself has to be seen. */
export function isLone(values: readonly (number | null)[], index: number): boolean {
  const isThere = (at: number) => (values[at] ?? null) !== null;
  return isThere(index) && !isThere(index - 1) && !isThere(index + 1);
}
