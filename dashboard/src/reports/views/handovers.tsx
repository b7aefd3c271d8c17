import { useMemo } from 'react';
import { number } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { Chart } from '../chart/chart.tsx';
import { lookOf } from '../chart/series-look.ts';
import { ReportCard } from '../report-card.tsx';
import { type Reports, useReport } from '../report-data.ts';
import { TimeTable } from '../report-table.tsx';
import { useBuckets } from '../use-buckets.ts';
import type { ViewProps } from './view-parts.tsx';

const figures = ['byAi', 'byPeople', 'suppressed', 'held', 'failed', 'resumed'] as const;
/** What is handed back is no hand-over and no reply: it is in the table only. */
const drawn = figures.filter((figure) => figure !== 'resumed');
const label = (figure: (typeof figures)[number]) =>
  ({
    byAi: t('reports.handovers.byAi'),
    byPeople: t('reports.handovers.byPeople'),
    suppressed: t('reports.handovers.suppressed'),
    held: t('reports.handovers.held'),
    failed: t('reports.handovers.failed'),
    resumed: t('reports.handovers.resumed'),
  })[figure];

/** Reasons that the service itself gives; others are shown as they are. */
const reasonName = (reason: string): string =>
  ({
    'AI paused': t('reports.reason.paused'),
    'session transferred': t('reports.reason.transferred'),
    'contact blocked': t('reports.reason.blocked'),
  })[reason] ?? reason;

export function Handovers({ scope }: ViewProps) {
  const query = useReport('handovers', scope);
  const { data } = query;
  const { ticks, titles } = useBuckets(data);
  const series = useMemo(
    () =>
      drawn.map((figure, at) => ({
        id: figure,
        label: label(figure),
        look: lookOf(at),
        values: (data?.buckets ?? []).map((bucket) => bucket[figure]),
      })),
    [data],
  );
  const title = t('reports.handovers.title');
  const cells = (one: Reports['handovers']['total']) => figures.map((figure) => number(one[figure]));
  return (
    <ReportCard
      name="handovers"
      scope={scope}
      query={query}
      title={title}
      hint={t('reports.handovers.hint')}
      empty={{ title: t('reports.handovers.empty'), text: t('reports.handovers.emptyText') }}
      isEmpty={({ total }) => figures.every((figure) => total[figure] === 0)}
      chart={({ reasons }) => (
        <>
          <Chart label={title} kind="bars" series={series} ticks={ticks} titles={titles} format={number} />
          {reasons.length > 0 && (
            <p className="mt-2 px-1.5 text-sm text-muted">
              {t('reports.handovers.reasons')}:{' '}
              {reasons.map(({ reason, count }) => `${reasonName(reason)} ${number(count)}`).join(' · ')}
            </p>
          )}
        </>
      )}
      table={({ buckets, total }) => (
        <TimeTable
          label={title}
          columns={figures.map(label)}
          buckets={buckets}
          titles={titles}
          cells={cells}
          total={total}
        />
      )}
    />
  );
}
