import { useMemo } from 'react';
import { number } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { Chart } from '../chart/chart.tsx';
import { useStatusLooks } from '../chart/use-status-looks.ts';
import { ReportCard } from '../report-card.tsx';
import { useReport } from '../report-data.ts';
import { ReportTable } from '../report-table.tsx';
import { useBuckets } from '../use-buckets.ts';
import { BoardName, type ViewProps } from './view-parts.tsx';

export function RecordsByStatus({ scope }: ViewProps) {
  const query = useReport('records-by-status', scope);
  const { data } = query;
  const { ticks, titles } = useBuckets(data);
  const looks = useStatusLooks(data?.statuses);
  const series = useMemo(
    () =>
      (data?.statuses ?? []).map(({ status, label }, at) => ({
        id: status,
        label,
        look: looks[at]!,
        values: (data?.buckets ?? []).map(({ counts }) => counts[at] ?? 0),
      })),
    [data, looks],
  );
  const title = t('reports.records.title');
  return (
    <ReportCard
      name="records-by-status"
      scope={scope}
      query={query}
      title={title}
      aside={<BoardName kanbanId={data?.kanbanId} />}
      hint={t('reports.records.hint')}
      empty={{ title: t('reports.records.empty'), text: t('reports.records.emptyText') }}
      isEmpty={({ buckets }) => buckets.every(({ counts }) => counts.every((count) => count === 0))}
      chart={() => (
        <Chart
          label={title}
          kind="areas"
          series={series}
          ticks={ticks}
          titles={titles}
          format={number}
          total
        />
      )}
      table={({ statuses, atStart, buckets }) => (
        <ReportTable
          label={title}
          table={{
            head: t('reports.time'),
            columns: statuses.map(({ label }) => label),
            rows: [
              { id: 'start', name: t('reports.records.atStart'), cells: atStart.map(number) },
              ...buckets.map(({ from, counts }, at) => ({
                id: String(from),
                name: titles[at] ?? '',
                cells: counts.map(number),
              })),
            ],
          }}
        />
      )}
    />
  );
}
