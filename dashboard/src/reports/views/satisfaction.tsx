import { useMemo, useState } from 'react';
import { number } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { Chart } from '../chart/chart.tsx';
import { lookOf } from '../chart/series-look.ts';
import { ReportCard } from '../report-card.tsx';
import { type Reports, useAligned, useReport, useReportBefore } from '../report-data.ts';
import { ReportTable } from '../report-table.tsx';
import { useBuckets } from '../use-buckets.ts';
import { type ViewProps, Whose } from './view-parts.tsx';

type Report = Reports['satisfaction'];
type Figures = Report['total'];
type Shown = 'time' | 'people' | 'channels';

const worstToBest = [1, 5] as const;
const shownAverage = (value: number | null) => (value === null ? '–' : number(Math.round(value * 100) / 100));
const cells = ({ count, average, distribution }: Figures) => [
  number(count),
  shownAverage(average),
  ...distribution.map(number),
];

export function Satisfaction({ scope }: ViewProps) {
  const [shown, setShown] = useState<Shown>('time');
  const query = useReport('satisfaction', scope);
  const title = t('reports.satisfaction.title');
  return (
    <ReportCard
      name="satisfaction"
      scope={scope}
      query={query}
      title={title}
      aside={
        <Whose<Shown>
          label={t('reports.satisfaction.shown')}
          value={shown}
          options={(['time', 'people', 'channels'] as const).map((value) => ({
            value,
            label: t(`reports.satisfaction.${value}`),
          }))}
          onChange={setShown}
        />
      }
      hint={t('reports.satisfaction.hint')}
      empty={{ title: t('reports.satisfaction.empty'), text: t('reports.satisfaction.emptyText') }}
      isEmpty={({ total }) => total.count === 0}
      chart={(report) =>
        shown === 'time' ? (
          <Averages report={report} scope={scope} />
        ) : (
          <Figures report={report} shown={shown} />
        )
      }
      table={(report) => <Figures report={report} shown={shown} />}
    />
  );
}

function Figures({ report, shown }: { report: Report; shown: Shown }) {
  const { titles } = useBuckets(report);
  const heads = {
    time: t('reports.time'),
    people: t('reports.satisfaction.person'),
    channels: t('reports.satisfaction.channel'),
  };
  const rows = {
    time: () =>
      report.buckets.map((one, at) => ({ id: String(one.from), name: titles[at] ?? '', cells: cells(one) })),
    people: () =>
      report.operators.map((one) => ({
        id: one.userId ?? '',
        name: one.name ?? t('reports.satisfaction.nobody'),
        cells: cells(one),
      })),
    channels: () => report.channels.map((one) => ({ id: one.channelId, name: one.name, cells: cells(one) })),
  };
  const counts = report.total.distribution.map((_, index) => number(index + 1));
  return (
    <ReportTable
      label={t('reports.satisfaction.title')}
      table={{
        head: heads[shown],
        columns: [t('reports.satisfaction.count'), t('reports.satisfaction.average'), ...counts],
        rows: rows[shown](),
        foot: { name: t('reports.total'), cells: cells(report.total) },
      }}
    />
  );
}

function Averages({ report, scope }: ViewProps & { report: Report }) {
  const { ticks, titles } = useBuckets(report);
  const past = useReportBefore('satisfaction', scope);
  const before = useAligned(report.buckets, past?.buckets, ({ average }) => average);
  const series = useMemo(
    () => [
      {
        id: 'average',
        label: t('reports.satisfaction.average'),
        look: lookOf(0),
        values: report.buckets.map(({ average }) => average),
      },
    ],
    [report],
  );
  return (
    <Chart
      label={t('reports.satisfaction.title')}
      kind="lines"
      series={series}
      ticks={ticks}
      titles={titles}
      format={shownAverage}
      range={worstToBest}
      before={before}
      beforeLabel={t('reports.satisfaction.averageBefore')}
    />
  );
}
