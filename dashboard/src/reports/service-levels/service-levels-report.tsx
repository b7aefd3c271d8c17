/** Targets of service levels that were met or breached. Each figure opens the conversations behind it. */
import type { UseQueryResult } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState } from 'react';
import { useMay } from '../../data/session.ts';
import { number } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { Chart } from '../chart/chart.tsx';
import { countIncrements } from '../chart/plot.ts';
import { lookOf } from '../chart/series-look.ts';
import { FigureButton, type OpenFigure } from '../figure-button.tsx';
import { ReportBox } from '../report-box.tsx';
import { ReportCard } from '../report-card.tsx';
import { type Behind, type Reports, useReport, useReportBefore } from '../report-data.ts';
import { share } from '../report-format.ts';
import { ReportTable, TimeTable } from '../report-table.tsx';
import { Tiles } from '../tiles.tsx';
import { useBuckets } from '../use-buckets.ts';
import type { ViewProps } from '../views/view-parts.tsx';

type Report = Reports['service-levels'];
type Figures = Report['total'];
type Chosen = Behind['service-levels'];
type OpenTargets = OpenFigure<'service-levels'>;
const ConversationsPanel = lazy(() => import('../conversations-panel.tsx'));

/** Null: nothing was due. */
const sharedOf = ({ met, breached }: Figures) => (met + breached > 0 ? met / (met + breached) : null);

export default function ServiceLevelsReport({ scope }: ViewProps) {
  const query = useReport('service-levels', scope);
  const past = useReportBefore('service-levels', scope);
  const [behind, setBehind] = useState<Chosen | null>(null);
  const onOpen = useMay('conversations.view') ? setBehind : null;
  const { data } = query;
  return (
    <>
      <TargetTiles now={data} before={past} scope={scope} onOpen={onOpen} />
      <OverTime scope={scope} query={query} onOpen={onOpen} />
      {data && sharedOf(data.total) !== null && <Tables report={data} onOpen={onOpen} />}
      {behind && (
        <Suspense fallback={null}>
          <ConversationsPanel
            report="service-levels"
            scope={scope}
            behind={behind}
            onClose={() => setBehind(null)}
          />
        </Suspense>
      )}
    </>
  );
}

function TargetTiles({
  now,
  before,
  scope,
  onOpen,
}: ViewProps & { now: Report | undefined; before: Report | undefined; onOpen: OpenTargets }) {
  const sums = [now?.total, before?.total] as const;
  const tile = (figure: keyof Figures, good: 'more' | 'less') => ({
    label: t(`reports.sla.${figure}`),
    now: sums[0]?.[figure],
    before: sums[1]?.[figure],
    format: number,
    good,
    onOpen:
      onOpen && now?.total[figure] ? () => onOpen({ figure, label: t(`reports.sla.${figure}`) }) : undefined,
  });
  return (
    <Tiles
      label={t('reports.headline')}
      isCompared={scope.before !== null}
      columns={3}
      figures={[
        {
          label: t('reports.sla.share'),
          now: sums[0] && sharedOf(sums[0]),
          before: sums[1] && sharedOf(sums[1]),
          format: share,
          good: 'more',
          inPoints: true,
        },
        tile('met', 'more'),
        tile('breached', 'less'),
      ]}
    />
  );
}

const columns = () => [t('reports.sla.met'), t('reports.sla.breached'), t('reports.sla.share')];

/** The cells of one row. `place` narrows the conversations to it. */
function cellsOf(name: string, figures: Figures, place: Partial<Chosen>, onOpen: OpenTargets) {
  const part = sharedOf(figures);
  return [
    ...(['met', 'breached'] as const).map((figure) => (
      <FigureButton
        key={figure}
        value={figures[figure]}
        label={`${name}: ${t(`reports.sla.${figure}`)}`}
        onOpen={onOpen && ((label) => onOpen({ ...place, figure, label }))}
      />
    )),
    part === null ? '–' : share(part),
  ];
}

function OverTime({
  scope,
  query,
  onOpen,
}: ViewProps & { query: UseQueryResult<Report>; onOpen: OpenTargets }) {
  const { titles } = useBuckets(query.data);
  const title = t('reports.sla.overTime');
  return (
    <ReportCard
      name="service-levels"
      scope={scope}
      query={query}
      title={title}
      hint={t('reports.sla.hint')}
      empty={{ title: t('reports.sla.empty'), text: t('reports.sla.emptyText') }}
      isEmpty={({ total }) => sharedOf(total) === null}
      chart={(report) => <Drawn report={report} label={title} />}
      table={({ buckets, total }) => (
        <TimeTable
          label={title}
          columns={columns()}
          buckets={buckets}
          titles={titles}
          cells={(one: Figures, row, bucket) =>
            cellsOf(row, one, bucket ? { from: bucket.from, to: bucket.to } : {}, onOpen)
          }
          total={total}
        />
      )}
    />
  );
}

function Drawn({ report, label }: { report: Report; label: string }) {
  const { ticks, titles } = useBuckets(report);
  const series = useMemo(
    () => [
      {
        id: 'met',
        label: t('reports.sla.met'),
        look: lookOf(2),
        values: report.buckets.map(({ met }) => met),
      },
      {
        id: 'breached',
        label: t('reports.sla.breached'),
        look: lookOf(1),
        values: report.buckets.map(({ breached }) => breached),
      },
    ],
    [report],
  );
  return (
    <Chart
      label={label}
      kind="bars"
      series={series}
      ticks={ticks}
      titles={titles}
      format={number}
      steps={countIncrements}
      total
    />
  );
}

/** What the figures are made of. Without a name: it was removed. */
function Tables({ report, onOpen }: { report: Report; onOpen: OpenTargets }) {
  const { kinds, policies, teams, people, channels } = report;
  const called = (id: string | null, name: string | null, none: string) =>
    id === null ? none : (name ?? t('reports.sla.removed'));
  const parts: Part[] = [
    {
      name: 'kind',
      rows: kinds.map(({ kind, ...figures }) => ({
        id: kind,
        name: t(`reports.sla.kind.${kind}`),
        figures,
        place: { kind },
      })),
    },
    {
      name: 'policy',
      rows: policies.map(({ policyId, name, ...figures }) => ({
        id: policyId,
        name: called(policyId, name, ''),
        figures,
        place: { policyId },
      })),
    },
    {
      name: 'team',
      rows: teams.map(({ teamId, name, ...figures }) => ({
        id: teamId ?? 'none',
        name: called(teamId, name, t('reports.sla.noTeam')),
        figures,
        place: { teamId: teamId ?? 'none' },
      })),
    },
    {
      name: 'person',
      rows: people.map(({ userId, name, ...figures }) => ({
        id: userId ?? 'none',
        name: called(userId, name, t('reports.sla.nobody')),
        figures,
        place: { userId: userId ?? 'none' },
      })),
    },
    {
      name: 'channel',
      rows: channels.map(({ channelId, name, type: _, ...figures }) => ({
        id: channelId,
        name,
        figures,
        place: { channelId },
      })),
    },
  ];
  return (
    <div className="grid gap-3 xl:grid-cols-2">
      {parts.map((part) => (
        <PartBox key={part.name} part={part} onOpen={onOpen} />
      ))}
    </div>
  );
}

interface Part {
  name: 'kind' | 'policy' | 'team' | 'person' | 'channel';
  rows: { id: string; name: string; figures: Figures; place: Partial<Chosen> }[];
}

function PartBox({ part: { name, rows }, onOpen }: { part: Part; onOpen: OpenTargets }) {
  const title = t(`reports.sla.by.${name}`);
  return (
    <ReportBox title={title} hint={t(`reports.sla.by.${name}.hint`)}>
      <ReportTable
        label={title}
        className="max-h-96"
        table={{
          head: t(`reports.sla.${name}`),
          columns: columns(),
          rows: rows.map((row) => ({
            id: row.id,
            name: row.name,
            cells: cellsOf(row.name, row.figures, row.place, onOpen),
          })),
        }}
      />
    </ReportBox>
  );
}
