import { useMemo } from 'react';
import { number } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { Chart } from '../chart/chart.tsx';
import { lookOf } from '../chart/series-look.ts';
import { ReportCard } from '../report-card.tsx';
import { useAligned, useReport, useReportBefore } from '../report-data.ts';
import { ReportTable } from '../report-table.tsx';
import { useBuckets } from '../use-buckets.ts';
import type { ViewProps } from './view-parts.tsx';

const sum = (counts: readonly number[]) => counts.reduce((all, one) => all + one, 0);

export function NewConversations({ scope }: ViewProps) {
  const query = useReport('new-conversations', scope);
  const { data } = query;
  const past = useReportBefore('new-conversations', scope);
  const before = useAligned(data?.buckets, past?.buckets, ({ counts }) => sum(counts));
  const { ticks, titles } = useBuckets(data);
  const series = useMemo(
    () =>
      (data?.channels ?? []).map(({ channelId, name }, at) => ({
        id: channelId,
        label: name,
        look: lookOf(at),
        values: (data?.buckets ?? []).map(({ counts }) => counts[at] ?? 0),
      })),
    [data],
  );
  const title = t('reports.new.title');
  return (
    <ReportCard
      name="new-conversations"
      scope={scope}
      query={query}
      title={title}
      hint={t('reports.new.hint')}
      empty={{ title: t('reports.new.empty'), text: t('reports.new.emptyText') }}
      isEmpty={({ total }) => total === 0}
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
      table={({ channels, buckets, total }) => (
        <ReportTable
          label={title}
          table={{
            head: t('reports.time'),
            columns: [...channels.map(({ name }) => name), t('reports.total')],
            rows: buckets.map(({ from, counts }, at) => ({
              id: String(from),
              name: titles[at] ?? '',
              cells: [...counts.map(number), number(sum(counts))],
            })),
            foot: {
              name: t('reports.total'),
              cells: [...channels.map((channel) => number(channel.total)), number(total)],
            },
          }}
        />
      )}
    />
  );
}
