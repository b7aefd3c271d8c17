import { useMemo, useState } from 'react';
import { number } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { Chart } from '../chart/chart.tsx';
import { secondIncrements } from '../chart/plot.ts';
import { lookOf } from '../chart/series-look.ts';
import { ReportCard } from '../report-card.tsx';
import { type Reports, useAligned, useReport, useReportBefore } from '../report-data.ts';
import { duration, durationOrNone, seconds, share } from '../report-format.ts';
import { TimeTable } from '../report-table.tsx';
import { useBuckets } from '../use-buckets.ts';
import { type ViewProps, Whose } from './view-parts.tsx';

type Figures = Reports['resolutions']['total'];
type Shown = 'time' | 'reopened';

export function Resolutions({ scope }: ViewProps) {
  const [shown, setShown] = useState<Shown>('time');
  const query = useReport('resolutions', scope);
  const { data } = query;
  const { titles } = useBuckets(data);
  const title = t('reports.resolutions.title');
  const cells = (one: Figures) => [
    number(one.resolved),
    durationOrNone(one.medianMs),
    durationOrNone(one.p90Ms),
    number(one.reopened),
    number(one.reopenedByCustomer),
    one.reopenRate === null ? '–' : share(one.reopenRate),
  ];
  return (
    <ReportCard
      name="resolutions"
      scope={scope}
      query={query}
      title={title}
      aside={
        <Whose<Shown>
          label={t('reports.resolutions.shown')}
          value={shown}
          options={[
            { value: 'time', label: t('reports.resolutions.time') },
            { value: 'reopened', label: t('reports.resolutions.reopened') },
          ]}
          onChange={setShown}
        />
      }
      hint={t('reports.resolutions.hint')}
      empty={{ title: t('reports.resolutions.empty'), text: t('reports.resolutions.emptyText') }}
      isEmpty={({ total }) => (shown === 'time' ? total.resolved : total.resolved + total.reopened) === 0}
      chart={(report) =>
        shown === 'time' ? <Times report={report} scope={scope} /> : <Reopened report={report} />
      }
      table={({ buckets, total }) => (
        <TimeTable
          label={title}
          columns={[
            t('reports.resolutions.resolved'),
            t('reports.response.median'),
            t('reports.response.p90'),
            t('reports.resolutions.reopened'),
            t('reports.resolutions.byCustomer'),
            t('reports.headline.reopenRate'),
          ]}
          buckets={buckets}
          titles={titles}
          cells={cells}
          total={total}
        />
      )}
    />
  );
}

function Times({ report, scope }: ViewProps & { report: Reports['resolutions'] }) {
  const { ticks, titles } = useBuckets(report);
  const past = useReportBefore('resolutions', scope);
  const before = useAligned(report.buckets, past?.buckets, ({ medianMs }) => seconds(medianMs));
  const series = useMemo(
    () => [
      {
        id: 'median',
        label: t('reports.response.median'),
        look: lookOf(0),
        values: report.buckets.map(({ medianMs }) => seconds(medianMs)),
      },
      {
        id: 'p90',
        label: t('reports.response.p90'),
        look: lookOf(1),
        values: report.buckets.map(({ p90Ms }) => seconds(p90Ms)),
      },
    ],
    [report],
  );
  return (
    <Chart
      label={t('reports.resolutions.title')}
      kind="lines"
      series={series}
      ticks={ticks}
      titles={titles}
      format={(value) => duration(value * 1_000)}
      formatAxis={(value) => (value === 0 ? number(0) : duration(value * 1_000))}
      steps={secondIncrements}
      before={before}
      beforeLabel={t('reports.response.medianBefore')}
    />
  );
}

function Reopened({ report }: { report: Reports['resolutions'] }) {
  const { ticks, titles } = useBuckets(report);
  const series = useMemo(
    () => [
      {
        id: 'resolved',
        label: t('reports.resolutions.resolved'),
        look: lookOf(0),
        values: report.buckets.map(({ resolved }) => resolved),
      },
      {
        id: 'reopened',
        label: t('reports.resolutions.reopened'),
        look: lookOf(1),
        values: report.buckets.map(({ reopened }) => reopened),
      },
    ],
    [report],
  );
  return (
    <Chart
      label={t('reports.resolutions.title')}
      kind="lines"
      series={series}
      ticks={ticks}
      titles={titles}
      format={number}
    />
  );
}
