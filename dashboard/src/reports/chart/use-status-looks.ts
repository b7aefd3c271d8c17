import { useMemo } from 'react';
import type { ReportStatus } from '../../../../contract/reports.ts';
import { useIsDark } from '../../app/theme.ts';
import { concrete } from './plot.ts';
import { lookOf, type SeriesLook, tellApart } from './series-look.ts';

const withoutColor = '#8b8f9a';

/** The statuses' own colours as far as they are distinguishable on this background, each with a second sign. */
export function useStatusLooks(statuses: readonly ReportStatus[] | undefined): SeriesLook[] {
  const isDark = useIsDark();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme decides on the ground
  return useMemo(() => {
    const colors = tellApart(
      (statuses ?? []).map(({ color }) => color ?? withoutColor),
      concrete('var(--surface)'),
    );
    return colors.map((color, at) => lookOf(at, color));
  }, [statuses, isDark]);
}
