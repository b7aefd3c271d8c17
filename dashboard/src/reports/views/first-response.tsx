import { useMemo, useState } from 'react';
import { number } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { Chart } from '../chart/chart.tsx';
import { secondIncrements } from '../chart/plot.ts';
import { lookOf } from '../chart/series-look.ts';
import { ReportCard } from '../report-card.tsx';
import { type Reports, useAligned, useReport, useReportBefore } from '../report-data.ts';
import { duration, durationOrNone, seconds } from '../report-format.ts';
import { TimeTable } from '../report-table.tsx';
import { useBuckets } from '../use-buckets.ts';
import { type ViewProps, Whose } from './view-parts.tsx';

type Responses = Reports['first-response']['total'];
const whoNames = ['all', 'ai', 'human'] as const;
type Who = (typeof whoNames)[number];

export function FirstResponse({ scope }: ViewProps) {
  const [who, setWho] = useState<Who>('all');
  const query = useReport('first-response', scope);
  const { data } = query;
  const past = useReportBefore('first-response', scope);
  const { ticks, titles } = useBuckets(data);
  const allBefore = useAligned(data?.buckets, past?.buckets, ({ all }) => seconds(all.medianMs));
  const series = useMemo(
    () => [
      {
        id: 'median',
        label: t('reports.response.median'),
        look: lookOf(0),
        values: (data?.buckets ?? []).map((bucket) => seconds(bucket[who].medianMs)),
      },
      {
        id: 'p90',
        label: t('reports.response.p90'),
        look: lookOf(1),
        values: (data?.buckets ?? []).map((bucket) => seconds(bucket[who].p90Ms)),
      },
    ],
    [data, who],
  );
  const title = t('reports.response.title');
  const names = {
    all: t('reports.response.all'),
    ai: t('reports.response.ai'),
    human: t('reports.response.human'),
  };
  const cells = (one: Responses) => [
    number(one.conversations),
    number(one.unanswered),
    ...whoNames.flatMap((whose) => [durationOrNone(one[whose].medianMs), durationOrNone(one[whose].p90Ms)]),
  ];
  return (
    <ReportCard
      name="first-response"
      scope={scope}
      query={query}
      title={title}
      aside={
        <Whose<Who>
          label={t('reports.response.of')}
          value={who}
          options={whoNames.map((value) => ({ value, label: names[value] }))}
          onChange={setWho}
        />
      }
      hint={t('reports.response.hint')}
      empty={{ title: t('reports.response.empty'), text: t('reports.response.emptyText') }}
      isEmpty={({ total }) => total[who].count === 0}
      chart={() => (
        <Chart
          label={title}
          kind="lines"
          series={series}
          ticks={ticks}
          titles={titles}
          format={(value) => duration(value * 1_000)}
          formatAxis={(value) => (value === 0 ? number(0) : duration(value * 1_000))}
          steps={secondIncrements}
          before={who === 'all' ? allBefore : undefined}
          beforeLabel={t('reports.response.medianBefore')}
        />
      )}
      table={({ buckets, total }) => (
        <TimeTable
          label={title}
          columns={[
            t('reports.response.conversations'),
            t('reports.response.unanswered'),
            ...whoNames.flatMap((whose) => [
              t('reports.response.medianOf', { who: names[whose] }),
              t('reports.response.p90Of', { who: names[whose] }),
            ]),
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
