import { t } from '../../texts/texts.ts';
import { BeforeSwatch, Swatch } from './legend.tsx';
import type { ChartSeries, PlotKind } from './plot.ts';

/** What the chart says at one bucket. Screen readers hear it from the chart itself. */
export function ChartTip({
  left,
  width,
  kind,
  title,
  rows,
  before,
  total,
}: {
  left: number;
  width: number;
  kind: PlotKind;
  title: string;
  rows: readonly { series: ChartSeries; text: string }[];
  before?: { label: string; text: string };
  total?: string;
}) {
  const atLeft = left > width / 2;
  return (
    <div
      aria-hidden
      data-chart-tip=""
      style={atLeft ? { right: width - left + 10 } : { left: left + 10 }}
      className="pointer-events-none absolute top-2 z-20 max-w-64 min-w-36 rounded-control bg-raised px-2.5 py-2 text-sm shadow-float"
    >
      <p className="mb-1 font-medium whitespace-nowrap">{title}</p>
      <dl className="flex flex-col gap-0.5">
        {rows.map(({ series, text }) => (
          <div key={series.id} className="flex items-center gap-2">
            <Swatch kind={kind} look={series.look} />
            <dt className="min-w-0 flex-1 truncate text-muted">{series.label}</dt>
            <dd className="tabular">{text}</dd>
          </div>
        ))}
        {total !== undefined && (
          <div className="mt-0.5 flex items-center gap-2 border-t border-line pt-1">
            <dt className="flex-1 text-muted">{t('reports.total')}</dt>
            <dd className="tabular font-medium">{total}</dd>
          </div>
        )}
        {before && (
          <div className="flex items-center gap-2">
            <BeforeSwatch />
            <dt className="min-w-0 flex-1 truncate text-muted">{before.label}</dt>
            <dd className="tabular">{before.text}</dd>
          </div>
        )}
      </dl>
    </div>
  );
}
