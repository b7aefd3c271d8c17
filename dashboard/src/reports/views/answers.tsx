import { useMemo } from 'react';
import { number } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { Chart } from '../chart/chart.tsx';
import { lookOf } from '../chart/series-look.ts';
import { ReportCard } from '../report-card.tsx';
import { useAligned, useReport, useReportBefore } from '../report-data.ts';
import { share } from '../report-format.ts';
import { TimeTable } from '../report-table.tsx';
import { useBuckets } from '../use-buckets.ts';
import type { ViewProps } from './view-parts.tsx';

export function Answers({ scope }: ViewProps) {
  const query = useReport('answers', scope);
  const { data } = query;
  const past = useReportBefore('answers', scope);
  const before = useAligned(data?.buckets, past?.buckets, ({ ai, human }) => ai + human);
  const { ticks, titles } = useBuckets(data);
  const series = useMemo(
    () =>
      (['ai', 'human'] as const).map((who, at) => ({
        id: who,
        label: who === 'ai' ? t('reports.answers.ai') : t('reports.answers.human'),
        look: lookOf(at),
        values: (data?.buckets ?? []).map((bucket) => bucket[who]),
      })),
    [data],
  );
  const title = t('reports.answers.title');
  const cells = ({ ai, human }: { ai: number; human: number }) => [
    number(ai),
    number(human),
    ai + human > 0 ? share(ai / (ai + human)) : '–',
  ];
  return (
    <ReportCard
      name="answers"
      scope={scope}
      query={query}
      title={title}
      hint={t('reports.answers.hint')}
      empty={{ title: t('reports.answers.empty'), text: t('reports.answers.emptyText') }}
      isEmpty={({ total }) => total.ai + total.human === 0}
      chart={() => (
        <Chart
          label={title}
          kind="bars"
          series={series}
          ticks={ticks}
          titles={titles}
          format={number}
          before={before}
          beforeLabel={t('reports.before')}
          total
        />
      )}
      table={({ buckets, total }) => (
        <TimeTable
          label={title}
          columns={[t('reports.answers.ai'), t('reports.answers.human'), t('reports.answers.share')]}
          buckets={buckets}
          titles={titles}
          cells={cells}
          total={total}
        />
      )}
    />
  );
}
