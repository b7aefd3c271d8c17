import { useMemo } from 'react';
import { number } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { FlowBars, type FlowPart, type FlowRow } from '../chart/flow-bars.tsx';
import type { SeriesLook } from '../chart/series-look.ts';
import { useStatusLooks } from '../chart/use-status-looks.ts';
import { ReportCard } from '../report-card.tsx';
import { type Reports, useReport } from '../report-data.ts';
import { duration, durationOrNone, share } from '../report-format.ts';
import { ReportTable } from '../report-table.tsx';
import { BoardName, type ViewProps } from './view-parts.tsx';

type Conversion = Reports['status-conversion'];
const stayedLook: SeriesLook = { color: 'var(--line-strong)', dash: [], marker: 'bar', hatch: 'plain' };
const deletedLook: SeriesLook = { color: 'var(--faint)', dash: [], marker: 'cross', hatch: 'grid' };

export function StatusConversion({ scope }: ViewProps) {
  const query = useReport('status-conversion', scope);
  const { data } = query;
  const looks = useStatusLooks(data?.statuses);
  const rows = useMemo(() => (data ? flowRows(data, looks) : []), [data, looks]);
  const title = t('reports.conversion.title');
  const parts = rows.flatMap((row) => row.parts);
  const legend = [...rows.map(({ id }) => id), ' stayed', ' deleted'].flatMap(
    (id) => parts.find((part) => part.id === id) ?? [],
  );
  return (
    <ReportCard
      name="status-conversion"
      scope={scope}
      query={query}
      title={title}
      aside={<BoardName kanbanId={data?.kanbanId} />}
      hint={t('reports.conversion.hint')}
      empty={{ title: t('reports.conversion.empty'), text: t('reports.conversion.emptyText') }}
      isEmpty={() => rows.every(({ total }) => total === 0)}
      chart={() => <FlowBars label={title} rows={rows} legend={legend} />}
      table={(report) => (
        <div className="flex h-full flex-col gap-4 overflow-y-auto">
          <ReportTable className="shrink-0" label={title} table={statusTable(report)} />
          {report.transitions.length > 0 && (
            <ReportTable
              className="shrink-0"
              label={t('reports.conversion.move')}
              table={transitionTable(report)}
            />
          )}
        </div>
      )}
    />
  );
}

/** All that were there in the period have left, are deleted, or are still there: the parts make the whole. */
function flowRows({ statuses, transitions }: Conversion, looks: readonly SeriesLook[]): FlowRow[] {
  return statuses.map((one, at) => {
    const total = one.atStart + one.created + one.entered;
    const text = (count: number) => `${number(count)} (${share(count / Math.max(1, total))})`;
    const parts: FlowPart[] = statuses.flatMap(({ status, label }, index) => {
      const count = transitions.find(({ from, to }) => from === one.status && to === status)?.count ?? 0;
      return count > 0
        ? [{ id: status, label: `→ ${label}`, look: looks[index]!, count, text: text(count) }]
        : [];
    });
    if (one.atEnd > 0)
      parts.push({
        id: ' stayed',
        label: t('reports.conversion.stayed'),
        look: stayedLook,
        count: one.atEnd,
        text: text(one.atEnd),
      });
    if (one.deleted > 0)
      parts.push({
        id: ' deleted',
        label: t('reports.conversion.deleted'),
        look: deletedLook,
        count: one.deleted,
        text: text(one.deleted),
      });
    const { medianMs } = one;
    return {
      id: one.status,
      label: one.label,
      color: looks[at]!.color,
      text: number(total),
      total,
      parts,
      more:
        medianMs === null
          ? []
          : [{ id: ' median', label: t('reports.conversion.median'), text: duration(medianMs), isSum: true }],
    };
  });
}

const statusTable = ({ statuses }: Conversion) => ({
  head: t('reports.conversion.status'),
  columns: [
    t('reports.conversion.atStart'),
    t('reports.conversion.created'),
    t('reports.conversion.entered'),
    t('reports.conversion.left'),
    t('reports.conversion.deleted'),
    t('reports.conversion.atEnd'),
    t('reports.conversion.median'),
  ],
  rows: statuses.map((one) => ({
    id: one.status,
    name: one.label,
    cells: [
      ...[one.atStart, one.created, one.entered, one.left, one.deleted, one.atEnd].map(number),
      durationOrNone(one.medianMs),
    ],
  })),
});

function transitionTable({ statuses, transitions }: Conversion) {
  const labelOf = (status: string) => statuses.find((one) => one.status === status)?.label ?? status;
  return {
    head: t('reports.conversion.move'),
    columns: [t('reports.conversion.count'), t('reports.conversion.share'), t('reports.conversion.median')],
    rows: transitions.map((one) => ({
      id: `${one.from} ${one.to}`,
      name: `${labelOf(one.from)} → ${labelOf(one.to)}`,
      cells: [number(one.count), share(one.share), durationOrNone(one.medianMs)],
    })),
  };
}
