import type { UseQueryResult } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { number } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { Chart } from '../chart/chart.tsx';
import { countIncrements } from '../chart/plot.ts';
import { lookOf } from '../chart/series-look.ts';
import { FigureButton, type OpenFigure } from '../figure-button.tsx';
import { ReportCard } from '../report-card.tsx';
import type { Reports } from '../report-data.ts';
import { dollars } from '../report-format.ts';
import { TimeTable } from '../report-table.tsx';
import { useBuckets } from '../use-buckets.ts';
import { type ViewProps, Whose } from '../views/view-parts.tsx';

type Report = Reports['ai'];
type Figures = Report['total'];
type Shown = 'replies' | 'resolved' | 'cost';

const costIncrements = [
  ...[0.0001, 0.001, 0.01, 0.1].flatMap((one) => [one, one * 2, one * 5]),
  ...countIncrements,
];

export function AiOverTime({
  scope,
  query,
  onOpen,
}: ViewProps & { query: UseQueryResult<Report>; onOpen: OpenFigure<'ai'> }) {
  const [shown, setShown] = useState<Shown>('replies');
  const { titles } = useBuckets(query.data);
  const title = t('reports.ai.overTime');
  const columns: readonly [keyof Figures, string][] = [
    ['replies', t('reports.ai.replies')],
    ['resolved', t('reports.ai.resolved')],
    ['alone', t('reports.ai.alone')],
    ['handedOver', t('reports.ai.handedOver')],
    ['held', t('reports.ai.held')],
    ['released', t('reports.ai.released')],
    ['failed', t('reports.ai.failed')],
    ['cost', t('reports.ai.cost')],
  ];
  const cells = (one: Figures, row: string, bucket?: { from: number; to: number }) =>
    columns.map(([figure, name]) => (
      <FigureButton
        key={figure}
        value={one[figure]}
        text={figure === 'cost' ? dollars(one.cost) : undefined}
        label={`${row}: ${name}`}
        onOpen={
          onOpen &&
          ((label) => onOpen({ figure, label, ...(bucket && { from: bucket.from, to: bucket.to }) }))
        }
      />
    ));
  return (
    <ReportCard
      name="ai"
      scope={scope}
      query={query}
      title={title}
      aside={
        <Whose<Shown>
          label={t('reports.satisfaction.shown')}
          value={shown}
          options={[
            { value: 'replies', label: t('reports.ai.replies') },
            { value: 'resolved', label: t('reports.ai.resolved') },
            { value: 'cost', label: t('reports.ai.cost') },
          ]}
          onChange={setShown}
        />
      }
      hint={t('reports.ai.hint')}
      empty={{ title: t('reports.ai.empty'), text: t('reports.ai.emptyText') }}
      isEmpty={({ total }) => Object.values(total).every((figure) => figure === 0)}
      chart={(report) => <Drawn report={report} shown={shown} label={title} />}
      table={({ buckets, total }) => (
        <TimeTable
          label={title}
          columns={columns.map(([, name]) => name)}
          buckets={buckets}
          titles={titles}
          cells={cells}
          total={total}
        />
      )}
    />
  );
}

function Drawn({ report, shown, label }: { report: Report; shown: Shown; label: string }) {
  const { ticks, titles } = useBuckets(report);
  const series = useMemo(() => {
    const figures: Record<Shown, [string, string, (one: Figures) => number][]> = {
      replies: [
        ['replies', t('reports.ai.replies'), (one) => one.replies],
        ['handedOver', t('reports.ai.handedOver'), (one) => one.handedOver],
        ['held', t('reports.ai.held'), (one) => one.held],
        ['failed', t('reports.ai.failed'), (one) => one.failed],
      ],
      resolved: [
        ['alone', t('reports.ai.alone'), (one) => one.alone],
        ['helped', t('reports.ai.helped'), (one) => one.resolved - one.alone],
      ],
      cost: [['cost', t('reports.ai.cost'), (one) => one.cost]],
    };
    return figures[shown].map(([id, name, read], at) => ({
      id,
      label: name,
      look: lookOf(at),
      values: report.buckets.map(read),
    }));
  }, [report, shown]);
  return (
    <Chart
      label={label}
      // Replies that were handed over or held are replies as well: they are not added up.
      kind={shown === 'replies' ? 'lines' : 'bars'}
      series={series}
      ticks={ticks}
      titles={titles}
      format={shown === 'cost' ? dollars : number}
      steps={shown === 'cost' ? costIncrements : countIncrements}
    />
  );
}
