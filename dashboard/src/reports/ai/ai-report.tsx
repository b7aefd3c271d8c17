/** What agents did, what became of it and what it cost. Each figure opens the conversations behind it. */
import { lazy, Suspense, useState } from 'react';
import type { HandoverReason } from '../../../../contract/messaging/messages.ts';
import { useMay } from '../../data/session.ts';
import { number } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { FigureButton, type OpenFigure } from '../figure-button.tsx';
import { ReportBox } from '../report-box.tsx';
import type { Behind, Reports } from '../report-data.ts';
import { useReport, useReportBefore } from '../report-data.ts';
import { average, dollars, share } from '../report-format.ts';
import { ReportTable } from '../report-table.tsx';
import { Tiles } from '../tiles.tsx';
import type { ViewProps } from '../views/view-parts.tsx';
import { AiOverTime } from './ai-over-time.tsx';
import { Copilot } from './copilot.tsx';

type Report = Reports['ai'];
type Figures = Report['total'];
type AiBehind = Behind['ai'];
type OpenAi = OpenFigure<'ai'>;
const ConversationsPanel = lazy(() => import('../conversations-panel.tsx'));

export default function AiReport({ scope }: ViewProps) {
  const query = useReport('ai', scope);
  const past = useReportBefore('ai', scope);
  const [behind, setBehind] = useState<AiBehind | null>(null);
  const onOpen = useMay('conversations.view') ? setBehind : null;
  const { data } = query;
  return (
    <>
      <AiTiles now={data} before={past} scope={scope} onOpen={onOpen} />
      <AiOverTime scope={scope} query={query} onOpen={onOpen} />
      {data && data.agents.length + data.channels.length > 0 && (
        <>
          <ByAgent report={data} onOpen={onOpen} />
          <ByChannel report={data} onOpen={onOpen} />
          <Handovers report={data} onOpen={onOpen} />
        </>
      )}
      <Copilot scope={scope} />
      {behind && (
        <Suspense fallback={null}>
          <ConversationsPanel report="ai" scope={scope} behind={behind} onClose={() => setBehind(null)} />
        </Suspense>
      )}
    </>
  );
}

const part = (some: number, all: number) => (all > 0 ? some / all : null);

function AiTiles({
  now,
  before,
  scope,
  onOpen,
}: ViewProps & { now: Report | undefined; before: Report | undefined; onOpen: OpenAi }) {
  const sums = [now?.total, before?.total] as const;
  const both = (read: (total: Figures) => number | null) => ({
    now: sums[0] && read(sums[0]),
    before: sums[1] && read(sums[1]),
  });
  const rated = (who: keyof Report['ratings']) => ({
    now: now?.ratings[who].average,
    before: before?.ratings[who].average,
    format: average,
    good: 'more' as const,
  });
  const opens = (figure: AiBehind['figure'], label: string, count: number | undefined) =>
    onOpen && count ? () => onOpen({ figure, label }) : undefined;
  const tile = (figure: Exclude<keyof Figures, 'cost'>, label: string) => ({
    label,
    ...both((total) => total[figure]),
    format: number,
    onOpen: opens(figure, label, now?.total[figure]),
  });
  const alone = t('reports.ai.alone');
  const cost = t('reports.ai.cost');
  const withAi = t('reports.ai.ratedWithAi');
  const withoutAi = t('reports.ai.ratedWithoutAi');
  return (
    <Tiles
      label={t('reports.headline')}
      isCompared={scope.before !== null}
      figures={[
        tile('replies', t('reports.ai.replies')),
        {
          label: alone,
          ...both(({ alone: some, resolved }) => part(some, resolved)),
          format: share,
          good: 'more',
          inPoints: true,
          onOpen: opens('alone', alone, now?.total.alone),
        },
        tile('handedOver', t('reports.ai.handedOver')),
        {
          label: cost,
          ...both((total) => total.cost),
          format: dollars,
          onOpen: opens('cost', cost, now?.total.cost),
        },
        tile('held', t('reports.ai.held')),
        tile('failed', t('reports.ai.failed')),
        {
          label: withAi,
          ...rated('withAi'),
          onOpen: opens('ratedWithAi', withAi, now?.ratings.withAi.count),
        },
        {
          label: withoutAi,
          ...rated('withoutAi'),
          onOpen: opens('ratedWithoutAi', withoutAi, now?.ratings.withoutAi.count),
        },
      ]}
    />
  );
}

const columns = () => [
  t('reports.ai.replies'),
  t('reports.ai.alone'),
  t('reports.ai.handedOver'),
  t('reports.ai.held'),
  t('reports.ai.released'),
  t('reports.ai.failed'),
  t('reports.ai.cost'),
];

/** The cells of one agent, version or channel. */
function cellsOf(name: string, figures: Figures, place: Partial<AiBehind>, onOpen: OpenAi) {
  const cell = (figure: keyof Figures, label: string, text?: string) => (
    <FigureButton
      key={figure}
      value={figures[figure]}
      text={text}
      label={`${name}: ${label}`}
      onOpen={onOpen && ((title) => onOpen({ ...place, figure, label: title }))}
    />
  );
  const { alone, resolved, cost, unpriced } = figures;
  return [
    cell('replies', t('reports.ai.replies')),
    cell(
      'alone',
      t('reports.ai.alone'),
      resolved > 0 ? `${number(alone)} (${share(alone / resolved)})` : undefined,
    ),
    cell('handedOver', t('reports.ai.handedOver')),
    cell('held', t('reports.ai.held')),
    cell('released', t('reports.ai.released')),
    cell('failed', t('reports.ai.failed')),
    <span key="cost" className="inline-flex gap-1">
      {(cost > 0 || unpriced === 0) && cell('cost', t('reports.ai.cost'), dollars(cost))}
      {cost > 0 && unpriced > 0 && '+'}
      {unpriced > 0 &&
        cell('unpriced', t('reports.ai.unpriced'), t('reports.ai.unknown', { count: unpriced }))}
    </span>,
  ];
}

function ByAgent({ report: { agents, total }, onOpen }: { report: Report; onOpen: OpenAi }) {
  const title = t('reports.ai.byAgent');
  const rows = agents.flatMap(({ agentId, name, versions, ...figures }) => {
    const shown = name ?? t('reports.ai.removed');
    return [
      { id: agentId, name: shown, cells: cellsOf(shown, figures, { agentId }, onOpen) },
      ...versions.map(({ version, ...own }) => {
        const called = version === null ? t('reports.ai.noVersion') : t('reports.ai.version', { version });
        return {
          id: `${agentId} ${version}`,
          name: `– ${called}`,
          cells: cellsOf(
            `${shown}, ${called}`,
            own,
            { agentId, version: version ?? undefined },
            // What is older than versions cannot be asked for.
            version === null ? null : onOpen,
          ),
        };
      }),
    ];
  });
  return (
    <ReportBox title={title} hint={t('reports.ai.byAgentHint')}>
      <ReportTable
        label={title}
        className="max-h-96"
        table={{
          head: t('reports.filter.agent'),
          columns: columns(),
          rows,
          foot: { name: t('reports.total'), cells: cellsOf(t('reports.total'), total, {}, onOpen) },
        }}
      />
    </ReportBox>
  );
}

function ByChannel({ report: { channels }, onOpen }: { report: Report; onOpen: OpenAi }) {
  const title = t('reports.ai.byChannel');
  return (
    <ReportBox title={title} hint={t('reports.ai.byChannelHint')}>
      <ReportTable
        label={title}
        className="max-h-96"
        table={{
          head: t('reports.filter.channel'),
          columns: columns(),
          rows: channels.map(({ channelId, name, type, ...figures }) => ({
            id: channelId,
            name,
            cells: cellsOf(name, figures, { channelId }, onOpen),
          })),
        }}
      />
    </ReportBox>
  );
}

const reasonName = (reason: string): string => {
  const known: Readonly<Record<HandoverReason, string>> = {
    requested: t('reports.ai.reason.requested'),
    no_knowledge: t('reports.ai.reason.noKnowledge'),
    limit: t('reports.ai.reason.limit'),
  };
  return known[reason as HandoverReason] ?? reason;
};

function Handovers({ report: { handovers }, onOpen }: { report: Report; onOpen: OpenAi }) {
  const title = t('reports.ai.reasons');
  if (handovers.length === 0) return null;
  return (
    <ReportBox title={title} hint={t('reports.ai.reasonsHint')}>
      <ul>
        {handovers.map(({ reason, count }) => (
          <li
            key={reason}
            className="flex min-h-9 items-center gap-3 border-b border-line text-sm last:border-0"
          >
            <span className="min-w-0 flex-1">{reasonName(reason)}</span>
            <FigureButton
              value={count}
              label={reasonName(reason)}
              onOpen={onOpen && ((label) => onOpen({ figure: 'handedOver', reason, label }))}
            />
          </li>
        ))}
      </ul>
    </ReportBox>
  );
}
