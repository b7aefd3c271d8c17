import { useMemo } from 'react';
import { number } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { Chart } from '../chart/chart.tsx';
import { lookOf } from '../chart/series-look.ts';
import { ReportCard } from '../report-card.tsx';
import { type Reports, useReport } from '../report-data.ts';
import { TimeTable } from '../report-table.tsx';
import { useBuckets } from '../use-buckets.ts';
import type { ViewProps } from '../views/view-parts.tsx';

const outcomes = ['accepted', 'edited', 'discarded'] as const;
const label = (outcome: (typeof outcomes)[number]) =>
  ({
    accepted: t('reports.copilot.accepted'),
    edited: t('reports.copilot.edited'),
    discarded: t('reports.copilot.discarded'),
  })[outcome];

export function Copilot({ scope }: ViewProps) {
  const query = useReport('copilot', scope);
  const { data } = query;
  const { ticks, titles } = useBuckets(data);
  const series = useMemo(
    () =>
      outcomes.map((outcome, at) => ({
        id: outcome,
        label: label(outcome),
        look: lookOf(at),
        values: (data?.buckets ?? []).map((bucket) => bucket[outcome]),
      })),
    [data],
  );
  const title = t('reports.copilot.title');
  const cells = (one: Reports['copilot']['total']) => [
    number(one.suggested),
    ...outcomes.map((outcome) => number(one[outcome])),
  ];
  return (
    <ReportCard
      name="copilot"
      scope={scope}
      query={query}
      title={title}
      hint={t('reports.copilot.hint')}
      empty={{ title: t('reports.copilot.empty'), text: t('reports.copilot.emptyText') }}
      isEmpty={({ total }) => total.suggested === 0}
      chart={() => (
        <Chart label={title} kind="bars" series={series} ticks={ticks} titles={titles} format={number} />
      )}
      table={({ buckets, total }) => (
        <TimeTable
          label={title}
          columns={[t('reports.copilot.suggested'), ...outcomes.map(label)]}
          buckets={buckets}
          titles={titles}
          cells={cells}
          total={total}
        />
      )}
    />
  );
}
